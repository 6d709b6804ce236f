/** Faults of the kinds that such services ship with: each needs several things at once to show, which histories bring. */
import type { Fault } from './fault.ts';

const found = (file: string) => ({
  file: `src/${file}.ts`,
  tests: ['test/sim/sim.test.ts'],
  checkers: { simulation: 'finds' } as const,
});
/** Found by later histories than those of npm test. */
const foundAt = (file: string, seed: number) => ({ ...found(file), histories: { seed, count: 10 } });

export const simulationFaults: readonly Fault[] = [
  {
    name: 'a request is answered before it is committed',
    ...found('writer/group-commit'),
    find: '      await commit(batch.map(({ unit }) => unit));\n',
    replace:
      '      const written = commit(batch.map(({ unit }) => unit));\n      for (const { resolve } of batch) resolve();\n      await written;\n',
  },
  {
    name: 'the answer to a request is not kept with its change',
    ...found('writer/writer'),
    find: 'if (idempotency === null) return writes;',
    replace: 'if (idempotency === null || committed !== null) return writes;',
  },
  {
    name: 'an event has a new id when it is sent again',
    ...found('worker/deliveries'),
    find: 'dependencies.send({ ...to, event: { ...event, body } }',
    replace:
      'dependencies.send({ ...to, event: { ...event, body, id: attempts === 0 ? event.id : (`${event.id}0` as typeof event.id) } }',
  },
  {
    name: 'an event is made anew when it is sent again',
    ...found('worker/deliveries'),
    find: 'dependencies.send({ ...to, event: { ...event, body } }',
    replace:
      "dependencies.send({ ...to, event: { ...event, body: attempts === 0 ? body : body.replace('unpaid', 'paid') } }",
  },
  {
    name: 'a delivery counts as made before it is sent',
    ...found('worker/deliveries'),
    find: '  const result = await dependencies.send(',
    replace:
      "  const early = { ...about, state: 'delivered', dueAt: null, httpStatus: 200, error: null, attempt: { durationMs: 0, bodyHash: '', answer: '' } } as const;\n  await dependencies.execute({ subject: 'deliveries', origin: ownOrigin(delivery.tenant, 'time'), results: [early] });\n  const result = await dependencies.send(",
  },
  {
    name: 'a delivery without an answer counts as made',
    ...found('worker/deliveries'),
    find: "  if (outcome === 'delivered') return",
    replace: "  if (outcome === 'delivered' || httpStatus === null) return",
  },
  {
    name: 'nobody wakes the worker for a new delivery',
    ...found('worker/engine'),
    find: "if (committed.deliveries) worker.nudge('deliveries', committed.tenant);",
    replace: '',
  },
  {
    name: 'a provider that does not answer has refused',
    ...found('writer/rails'),
    find: "const noAnswer: RailAnswer = { status: 'unknown'",
    replace: "const noAnswer: RailAnswer = { status: 'failed'",
  },
  {
    name: 'an endpoint stays in memory as it was',
    ...found('store/sqlite/commit'),
    find: '      if (writes.endpoints) endpoints.forget();\n',
    replace: '',
  },
  {
    name: 'the delivery behind one that has arrived is never due',
    ...found('store/write-deliveries'),
    find: 'orderingKeysOf([...ended, ...resends])',
    replace: 'orderingKeysOf(resends)',
  },
  {
    name: 'every delivery is due at once, whatever is in front of it',
    ...found('store/write-deliveries'),
    find: 'CASE WHEN ${r.first} AND ${earlier} IS NULL THEN ${r.createdAt} END',
    replace: 'CASE WHEN ${r.first} AND ${earlier} IS NULL THEN ${r.createdAt} ELSE ${r.createdAt} END',
  },
  {
    name: 'answers to requests are forgotten after an hour',
    ...found('worker/retention'),
    find: 'const KEEP_ANSWERS_MS = 25 *',
    replace: 'const KEEP_ANSWERS_MS = 1 *',
  },
  {
    name: 'the clock of the machine is believed at once',
    ...found('lib/steady-clock'),
    find: 'if (Math.abs(claimed - origin) <= HARMLESS_MS) {',
    replace: 'if (Math.abs(claimed - origin) <= Number.MAX_SAFE_INTEGER) {',
  },
  {
    name: 'the second of two requests in one commit does not see the first',
    ...found('store/sqlite/commit'),
    find: '        checkouts.remember(writes.checkout.after);\n',
    replace: '',
  },
  {
    name: 'a key that was used is not found',
    ...found('store/resources/answers'),
    find: '      sql`SELECT idempotency_key AS',
    replace: "      sql`SELECT 'of ' || idempotency_key AS",
  },
  {
    name: 'answers to repeated requests are forgotten within a day',
    ...found('worker/retention'),
    find: 'const KEEP_ANSWERS_MS = 25 * 3_600_000;',
    replace: 'const KEEP_ANSWERS_MS = 20 * 3_600_000;',
  },
  {
    name: 'deliveries are forgotten a day early',
    ...found('worker/retention'),
    find: "ofEach('deliveries', deliveryDays,",
    replace: "ofEach('deliveries', deliveryDays - 1,",
  },
  {
    name: 'a delivery is forgotten on its way',
    file: 'src/store/retention.ts',
    tests: ['test/store/sqlite.test.ts'],
    checkers: {
      simulation: {
        beyond:
          'histories have fewer deliveries than are given up at once, so none is on its way when it could be forgotten',
      },
    },
    find: `AND id < \${first} AND state <> 'pending'
    ORDER BY id LIMIT \${BATCH}\${either({ postgres: raw(' FOR UPDATE SKIP LOCKED') })}\`);
  // Once more, for one may have been sent again meanwhile.
  const gone = yield* rowsOf<Found>(sql\`
    DELETE FROM delivery WHERE \${owned(tenant)} AND state <> 'pending'`,
    replace: `AND id < \${first}
    ORDER BY id LIMIT \${BATCH}\${either({ postgres: raw(' FOR UPDATE SKIP LOCKED') })}\`);
  // Once more, for one may have been sent again meanwhile.
  const gone = yield* rowsOf<Found>(sql\`
    DELETE FROM delivery WHERE \${owned(tenant)}`,
  },
  {
    name: 'the first event that stays does not keep those behind it',
    ...found('store/retention'),
    tests: ['test/store/sqlite.test.ts'],
    find: 'const going = stays < 0 ? oldest : oldest.slice(0, stays);',
    replace: 'const going = oldest.filter(({ goes }) => goes);',
  },
  {
    name: 'events of test data are never forgotten',
    ...found('worker/retention'),
    find: '() => retention.purgeEvents(tenant, before)',
    replace: "async () => (tenant.mode === 'test' ? 0 : retention.purgeEvents(tenant, before))",
  },
  {
    name: 'a refund at Stripe has another key at each try',
    ...found('methods/stripe/refund'),
    tests: ['test/methods/stripe/refund.test.ts'],
    find: '{ idempotencyKey: days > 0 ? `${refund.id}-${days}` : refund.id }',
    replace: '{ idempotencyKey: `${refund.id}-${days}-${nowMs}` }',
  },
  {
    name: 'a page at Stripe has another key at each try',
    ...found('methods/stripe/page'),
    find: '{ idempotencyKey: attempt.id }',
    replace: '{ idempotencyKey: `${attempt.id}-${Date.now()}` }',
  },
  {
    name: 'a call to Stripe that fails counts as under way for ever',
    ...foundAt('methods/stripe/client', 110),
    find: '.finally(() => ended(account));',
    replace: '.then((said) => {\n      ended(account);\n      return said;\n    });',
  },
  {
    name: 'a refund that Stripe has not answered for has failed',
    ...foundAt('methods/stripe/refund', 36),
    find: 'const reference = refund.reference;',
    replace:
      "if (error.kind === 'unavailable' && nowMs - refund.createdAt > 1_000) return refundFailed('Stripe does not answer.');\n    const reference = refund.reference;",
  },
  {
    name: 'a payment that is asked about again has another name',
    ...found('methods/stripe/standing'),
    find: '    payment: { reference: id, amount, ',
    replace: "    payment: { reference: attempt.status === 'succeeded' ? page.id : id, amount, ",
  },
  {
    name: 'an event of Stripe about a declined card is believed',
    ...found('worker/provider-events'),
    find: '  const reason: WaitReason | null =',
    replace:
      "  if (checkout && attempt && event.body.includes('payment_failed')) {\n    const said = { status: 'failed', reason: '', syncAt: null, payment: null, details: null } as const;\n    const command = { type: 'report', now, rail: event.rail, reference: attempt.reference, unknownAttempt: attempt, refundId: 'rfd_0', ...said } as const;\n    await dependencies.execute({ subject: 'checkout', origin: ownOrigin(tenant, 'rail'), id: checkout.id, command });\n    await followedUp(dependencies, tenant, event, null, now);\n    return;\n  }\n  const reason: WaitReason | null =",
  },
  {
    name: 'a page of Stripe that could not be closed is left open',
    ...found('methods/stripe/stripe'),
    find: "? { ...answer, status: 'cancelled' } : answer;",
    replace: "? { ...answer, status: 'cancelled', syncAt: null } : answer;",
  },
  {
    name: 'a page that was closed before its attempt was given up has brought no money',
    ...found('methods/stripe/stripe'),
    find: '  return standing(ask, asked, session);\n}\n',
    replace: "  return { status: 'cancelled', reason: '', syncAt: null, payment: null };\n}\n",
  },
  {
    name: 'a page that is not there yet will never be',
    ...found('methods/stripe/stripe'),
    find: 'if (age > (expiresAt - plannedAt) * 1000)',
    replace: 'if (age > 5 * 60_000)',
  },
  {
    name: 'an answer of a rail is applied to the newest attempt',
    ...found('writer/rails'),
    find: '      reference: attempt.reference,\n',
    replace: '      reference: checkout.attempts.at(-1)?.reference ?? attempt.reference,\n',
  },
  {
    name: 'an older version serves what a newer one has migrated',
    ...found('store/schema-version'),
    find: '  if (schema > known) {',
    replace: '  if (schema > known && !migrates) {',
  },
  {
    name: 'a file that broke off counts as read',
    ...foundAt('ingest/statement', 85),
    find: '  if (failures.length > 0) throw failures[0];',
    replace: '  if (failures.length > counts.entries) throw failures[0];',
  },
  {
    name: 'a file counts as read as soon as it is begun',
    ...found('ingest/statement'),
    find: "    kind: 'ingesting',",
    replace: "    kind: 'statement',",
  },
  {
    name: 'money that another file tells in another form is booked once more',
    ...found('banking/effects'),
    find: '    entry.statement !== other.statement &&\n',
    replace: '    entry.statement === other.statement &&\n',
  },
  {
    name: 'money for several sessions is booked although it is more than is due',
    ...foundAt('banking/effects', 815),
    find: 'const isClear = total === entry.amount &&',
    replace: 'const isClear = total <= entry.amount &&',
  },
  {
    name: 'a transfer counts for the newest attempt, whatever it names',
    ...found('banking/effects'),
    find: 'attempts.find((each) => each.rail === BANK && each.reference === reference) ??\n',
    replace: '',
  },
  {
    name: 'the money of a refund that was carried out cannot come back',
    ...found('banking/effects'),
    find: "if (!cameBack && refund.status !== 'pending') {",
    replace: "if (refund.status !== 'pending') {",
  },
  {
    name: 'two equal payments of a day are one',
    ...foundAt('statements/identity', 925),
    find: 'const occurrence = (counts.get(hash) ?? 0) + 1;',
    replace: 'const occurrence = Math.min(1, (counts.get(hash) ?? 0) + 1);',
  },
  {
    name: 'the number that a bank gives anew each day is taken for one that lasts',
    ...foundAt('statements/identity', 220),
    find: "bankReference.length < LASTING_LENGTH ? bookedOn : ''",
    replace: "bankReference.length < 1 ? bookedOn : ''",
  },
  {
    name: 'an entry without an owner is never left to a person',
    ...found('writer/handlers/bank-entry'),
    find: "    state: isTried && wait === undefined ? 'open' : state,",
    replace: '    state,',
  },
  {
    name: 'two payment files have the same refund',
    ...foundAt('writer/handlers/payment-file', 310),
    find: "    if (decision.kind === 'unchanged') continue;\n    transfers.push(transfer);\n",
    replace: "    transfers.push(transfer);\n    if (decision.kind === 'unchanged') continue;\n",
  },
  {
    name: 'a dispute that is known is never asked about again',
    ...found('methods/stripe/stripe'),
    find: 'isKnown || charge.disputed ? ask',
    replace: '!isKnown && charge.disputed ? ask',
  },
  {
    name: 'a database with a session that has changed unseen behind an erasure counts as broken',
    ...foundAt('store/check/session-rules', 18),
    find: '[toldVersions(row, checkout), row.version].includes(row.audited)',
    replace: 'row.audited === toldVersions(row, checkout)',
  },
  {
    name: 'an erasure leaves the newest event of a session as it was',
    ...found('store/erase'),
    find: "  yield* rewrite(tenant, 'event', blankEvents);",
    replace: "  yield* rewrite(tenant, 'event', blankEvents.slice(0, -1));",
  },
];
