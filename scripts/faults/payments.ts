/** Faults in the dashboard's screens of payments: what is shown, exported, and done by a form. */
import type { Fault } from './fault.ts';

const amounts = { file: 'src/dashboard/amounts.ts', tests: ['test/dashboard/amounts.test.ts'] };
const exported = { file: 'src/dashboard/export.ts', tests: ['test/dashboard/export.test.ts'] };
const filters = { file: 'src/dashboard/sessions/filters.ts', tests: ['test/dashboard/sessions.test.ts'] };
const session = ['test/dashboard/session.test.ts'];
const history = { file: 'src/dashboard/sessions/history.ts', tests: session };
const money = { file: 'src/dashboard/screens/session-money.ts', tests: session };
const items = { file: 'src/dashboard/screens/session-items.ts', tests: session };
const actions = { file: 'src/dashboard/screens/session.ts', tests: session };

const sums = { file: 'src/dashboard/overview/sums.ts', tests: ['test/dashboard/overview-sums.test.ts'] };
const overview = ['test/dashboard/overview.test.ts'];
const evidence = ['test/api/evidence.test.ts'];
const waiting = { file: 'src/dashboard/overview/waiting.ts', tests: overview };

export const paymentFaults: readonly Fault[] = [
  {
    name: 'a view keeps what was searched for',
    file: 'src/dashboard/sessions/views.ts',
    tests: ['test/dashboard/saved-views.test.ts'],
    find: '!personal.includes(name) &&',
    replace: 'personal.length > 0 &&',
  },
  {
    name: 'a view takes the place of one on another account',
    file: 'src/users/views.ts',
    tests: ['test/users/views.test.ts'],
    find: 'each.account === account && each.name === name',
    replace: 'account > 0 && each.name === name',
  },
  {
    name: 'a slow search overtakes a later one',
    file: 'src/dashboard/assets/dashboard.js',
    tests: ['test/dashboard/views.test.ts'],
    find: 'asked.abort();',
    replace: '',
  },
  {
    name: 'the evidence of a payment is that of every payment of the session',
    file: 'src/checkout/evidence.ts',
    tests: evidence,
    checkers: { rules: { beyond: 'a search looks at sessions, and not at their history' } },
    find: 'each.bookedAt === createdAt && ',
    replace: '',
  },
  {
    name: 'a part of a split entry has no entry',
    file: 'src/http/evidence.ts',
    tests: evidence,
    find: "(bankEntry ?? reference).split('.')",
    replace: "(bankEntry ?? reference).split('/')",
  },
  {
    name: 'a provider event that came later is why it was paid',
    file: 'src/http/evidence.ts',
    tests: evidence,
    find: 'each.receivedAt <= at &&',
    replace: '',
  },
  {
    name: 'an attempt of which no provider has told has evidence',
    file: 'src/http/evidence.ts',
    tests: evidence,
    find: 'each.isOfAttempt && shown.provider_event === null',
    replace: 'each.isOfAttempt && shown.reference === null',
  },
  {
    name: 'a period of months begins on the day of the month that it is',
    file: 'src/dashboard/overview/period.ts',
    tests: sums.tests,
    find: 'Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months)',
    replace: 'Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months, today.getUTCDate())',
  },
  {
    name: 'sessions that were paid within a minute count as paid within ten minutes, once more',
    ...sums,
    find: 'within_10_minutes - within_1_minute',
    replace: 'within_10_minutes',
  },
  {
    name: 'a day without sessions has a paid rate',
    ...sums,
    find: 'created === 0 ? null',
    replace: 'created === 0 ? 0',
  },
  {
    name: 'the sum of large amounts is rounded',
    ...sums,
    find: 'amount: intervals.reduce((sum, each) => sum + BigInt(each[key].amount), 0n)',
    replace: 'amount: BigInt(intervals.reduce((sum, each) => sum + each[key].amount, 0))',
  },
  {
    name: 'steps of the first hour are to do where they cannot be read',
    file: 'src/dashboard/overview/first-hour.ts',
    tests: ['test/dashboard/refusals.test.ts'],
    find: 'for (const answer of answers) if (!answer.ok) return answer;',
    replace: 'for (const answer of answers) if (!answer.ok && answer.status === 500) return answer;',
  },
  {
    name: 'sums that were refused are refused again without a look',
    file: 'src/dashboard/screens/overview.ts',
    tests: overview,
    find: 'undefined, ({ ok }) => ok)',
    replace: 'undefined, () => true)',
  },
  {
    name: 'the overview leads people to screens that refuse them',
    ...waiting,
    find: 'way && place.may(way.operation) && ',
    replace: 'way && ',
  },
  {
    name: 'the overview looks at test mode by the clock of live mode',
    file: 'src/dashboard/screens/overview.ts',
    tests: overview,
    find: 'tenantNow(place.account, place.mode, realNow())',
    replace: "tenantNow(place.account, 'live', realNow())",
  },
  {
    name: 'sums of one currency are told again for another one',
    file: 'src/dashboard/screens/overview.ts',
    tests: overview,
    find: '`${tenantName(place.tenant)} ${ofTimes}`',
    replace: '`${tenantName(place.tenant)} ${period.unit}`',
  },
  {
    name: 'a webhook of live mode is not the one that a shop is told by',
    file: 'src/dashboard/overview/first-hour.ts',
    tests: overview,
    find: 'isDone: some(ofLive) || some(ofTest)',
    replace: 'isDone: some(ofLive)',
  },
  {
    name: 'digits that a currency has not are cut off',
    ...amounts,
    find: "if (whole === '' || fraction.length > exponent) {",
    replace: "if (whole === '') {",
  },
  {
    name: 'half of the digits behind the point is taken for all of them',
    ...amounts,
    find: "fraction.padEnd(exponent, '0')",
    replace: 'fraction',
  },
  {
    name: 'an amount that cannot be read is taken for none',
    ...amounts,
    tests: session,
    find: '  return REFUSED;',
    replace: "  return '';",
  },
  {
    name: 'a spreadsheet runs a cell of an export',
    ...exported,
    file: 'src/lib/csv.ts',
    find: '=+\\-@',
    replace: '=+@',
  },
  {
    name: 'a part of an export is taken for the whole',
    ...exported,
    find: 'if (!isForNow || waits === MAX_WAITS) throw new Error(`an export ended early: ${answer.status}`);',
    replace: 'if (!isForNow) return { ...answer, data: [], nextCursor: null };',
  },
  {
    name: 'an export forgets its filters on the second page',
    ...exported,
    find: 'patiently(() => pageOf<T>(api, list,',
    replace: 'patiently(() => pageOf<T>(api, { ...list, query: new URLSearchParams() },',
  },
  {
    name: 'a file is made for a request that asks for none',
    file: 'src/dashboard/screen.ts',
    tests: ['test/dashboard/sessions.test.ts'],
    find: "if (visit.request.method === 'HEAD') return",
    replace: "if (visit.request.method === 'NONE') return",
  },
  {
    name: 'an export goes on for somebody who has lost the role',
    file: 'src/dashboard/screens/sessions.ts',
    tests: ['test/dashboard/sessions.test.ts'],
    find: 'pagesFrom(anew, all, first)',
    replace: 'pagesFrom(visit.api, all, first)',
  },
  {
    name: 'the next page of a list has no filters',
    file: 'src/dashboard/screens/sessions.ts',
    tests: ['test/dashboard/sessions.test.ts'],
    find: 'searchOf(filters, { after: found.nextCursor })',
    replace: 'searchOf(new Map(), { after: found.nextCursor })',
  },
  {
    name: 'a list is shown although a filter is wrong',
    file: 'src/dashboard/screens/sessions.ts',
    tests: ['test/dashboard/sessions.test.ts'],
    find: 'found.ok && mistakes.length === 0 ? found.data : []',
    replace: 'found.ok ? found.data : []',
  },
  {
    name: 'a link of a filter removes all others',
    ...filters,
    find: 'filter(([each]) => each !== name)',
    replace: 'filter(([each]) => each === name)',
  },
  {
    name: 'a day of a filter begins at noon',
    ...filters,
    tests: ['test/dashboard/filters.test.ts'],
    find: 'T00:00:00Z',
    replace: 'T12:00Z',
  },
  {
    name: 'somebody of another account is told of as nobody',
    ...history,
    file: 'src/dashboard/actors.ts',
    find: 'name: others.get(actor) ?? actor',
    replace: "name: others.get(actor) ?? ''",
  },
  {
    name: 'a change is told of as that of the one before it',
    ...history,
    find: 'const cause = causes.get(version);',
    replace: 'const cause = causes.get(version - 1) ?? causes.get(version);',
  },
  {
    name: 'webhooks are told of as sent, although nobody knows which have failed',
    ...actions,
    tests: ['test/dashboard/refusals.test.ts'],
    find: 'if (!left.ok) return refused(left.status, left.mistakes);',
    replace: "if (!left.ok) return { goTo: sessionWay(visit), done: 'webhooks-resent' };",
  },
  {
    name: 'a session without time for its history is told of as none',
    ...actions,
    tests: ['test/dashboard/refusals.test.ts'],
    find: 'if (!history.ok) return refused(history.status, history.mistakes);',
    replace: 'if (!history.ok) return refused(404, history.mistakes);',
  },
  {
    name: 'money goes back without a proof of who asks for it',
    ...money,
    find: "needs: { operation: 'REFUND.CREATE', confirmed: true }",
    replace: "needs: { operation: 'REFUND.CREATE' }",
  },
  {
    name: 'a form that has lost its amount gives everything back',
    ...money,
    find: 'if (form.amount === undefined) return',
    replace: 'if (form.amount === null) return',
  },
  {
    name: 'a field that comes twice is left out',
    file: 'src/dashboard/screen.ts',
    tests: session,
    find: 'if (repeated.length > 0) return',
    replace: 'if (repeated.length > 99) return',
  },
  {
    name: 'a refund that is sent twice is made twice',
    ...money,
    find: "api.send('POST', '/v3/refund', body, onceIn(form))",
    replace: "api.send('POST', '/v3/refund', body)",
  },
  {
    name: 'what was typed into a refund is lost where it is refused',
    ...money,
    find: "label: 'Reason', value: form.reason,",
    replace: "label: 'Reason',",
  },
  {
    name: 'live sessions have a screen to pay as a test',
    ...actions,
    find: "place.mode === 'test' && place.may('TEST_HELPER.PAY')",
    replace: "place.may('TEST_HELPER.PAY')",
  },
  {
    name: 'a session that is sent twice is made twice',
    ...items,
    find: "'/v3/checkout', body, onceIn(form))",
    replace: "'/v3/checkout', body)",
  },
  {
    name: 'the second of two who edit items overwrites what the first has done',
    ...items,
    find: "'if-match': etag }",
    replace: "'if-match': now.etag }",
  },
  {
    name: 'a form for more rows makes a session',
    ...items,
    find: 'if (form.more !== undefined) return newForm(',
    replace: "if (form.more === '') return newForm(",
  },
  {
    name: 'an action is shown to who may not do it',
    ...actions,
    find: "refundableOf(payin) > 0 && place.may('REFUND.CREATE')",
    replace: 'refundableOf(payin) > 0',
  },
  {
    name: 'webhooks of a session of another account are sent again, as far as it is told',
    ...actions,
    find: 'if (!session.ok) return refused(session.status, session.mistakes);',
    replace: '',
  },
  {
    name: 'a refusal of one webhook keeps the others from being sent',
    ...actions,
    find: 'const sent = await resendAll(visit, session.data.id);',
    replace:
      "const known = await deliveriesOf(api, idIn(visit), { status: 'failed', limit: 1 });\n      const blocked = known.ok ? await api.send('POST', `/v3/webhook_delivery/${known.data[0]?.id}/resend`) : known;\n      if (!blocked.ok) return screen(visit, blocked);\n      const sent = await resendAll(visit, session.data.id);",
  },
];
