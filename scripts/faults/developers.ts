/** Faults in the screens of the dashboard for developers and of settings: what is shown once, who may, and what is kept. */
import type { Fault } from './fault.ts';

const keys = { file: 'src/dashboard/screens/keys.ts', tests: ['test/dashboard/keys.test.ts'] };
const webhooks = { file: 'src/dashboard/screens/webhooks.ts', tests: ['test/dashboard/webhooks.test.ts'] };
const endpoints = { file: 'src/dashboard/screens/endpoint.ts', tests: ['test/dashboard/endpoints.test.ts'] };
const settings = { file: 'src/dashboard/screens/settings.ts', tests: ['test/dashboard/settings.test.ts'] };
const credentials = ['test/dashboard/rail-credentials.test.ts'];
const edit = { file: 'src/dashboard/edit.ts', tests: ['test/dashboard/settings.test.ts'] };
const listing = { file: 'src/dashboard/listing.ts', tests: ['test/dashboard/log.test.ts'] };

export const developerFaults: readonly Fault[] = [
  {
    name: 'a form for a key that is sent twice makes two',
    ...keys,
    find: 'body, onceIn(form));',
    replace: 'body);',
  },
  {
    name: 'a key is made without a proof of who somebody is',
    ...keys,
    find: "needs: { operation: 'API_KEY.CREATE', confirmed: true }",
    replace: "needs: { operation: 'API_KEY.CREATE' }",
  },
  {
    name: 'a key that is revoked can be revoked again',
    ...keys,
    find: 'timeIn(key.revoked_at, place',
    replace: 'timeIn(null, place',
  },
  {
    name: 'a role that may not resend has the button for it',
    ...webhooks,
    find: "const mayResend = visit.place.may('WEBHOOK_DELIVERY.RESEND');",
    replace: 'const mayResend = true;',
  },
  {
    name: 'the next failed deliveries begin anew',
    ...webhooks,
    find: "hidden('after', cursor ?? '')",
    replace: "hidden('after', '')",
  },
  {
    name: 'all failed deliveries are sent again where one endpoint was chosen',
    ...webhooks,
    find: 'endpoint: to, after',
    replace: 'after',
  },
  {
    name: 'what a receiver answered a delivery with is not shown',
    file: 'src/dashboard/screens/delivery.ts',
    tests: webhooks.tests,
    find: '<pre tabindex="0">${attempt.answer}</pre>',
    replace: '',
  },
  {
    name: 'the address of an endpoint changes without a proof of who somebody is',
    ...endpoints,
    find: "const updating = { operation: 'WEBHOOK_ENDPOINT.UPDATE', confirmed: true }",
    replace: "const updating = { operation: 'WEBHOOK_ENDPOINT.UPDATE' }",
  },
  {
    name: 'a form for a new endpoint forgets that no event was chosen',
    file: 'src/dashboard/edit.ts',
    tests: endpoints.tests,
    find: "setAt(body, name.split('/'), value(typed(each, form) ?? ''));",
    replace: "if (typed(each, form)) setAt(body, name.split('/'), value(typed(each, form) ?? ''));",
  },
  {
    name: 'of two who edit at once the second wins unseen',
    ...edit,
    find: 'if (now !== before) mistakes',
    replace: 'if (now === before && text === before) mistakes',
  },
  {
    name: 'a form takes back what somebody else has changed meanwhile',
    ...edit,
    find: 'if (text === before || text === now) continue;',
    replace: 'if (text === now) continue;',
  },
  {
    name: 'what was typed is lost beside a mistake',
    ...edit,
    find: '(wasSent ? typed(each, form) : undefined) ?? text(thing)',
    replace: 'text(thing)',
  },
  {
    name: 'test mode changes the name that payers see',
    ...settings,
    find: "part === 'business' && place.mode === 'live'",
    replace: "part === 'business'",
  },
  {
    name: 'secrets that were typed stand in the page that asks who somebody is',
    file: 'src/dashboard/confirm.ts',
    tests: credentials,
    find: "  'form_token',\n  ...TYPED_SECRETS,",
    replace: "  'form_token',",
  },
  {
    name: 'whoever proves who they are to see a form is told that it is out of date',
    file: 'src/dashboard/confirm.ts',
    tests: credentials,
    find: '${tokenField(visitor)}${given',
    replace: '${given',
  },
  {
    name: 'secrets that were typed stand in the page for signing in',
    file: 'src/dashboard/kept.ts',
    tests: credentials,
    find: '  ...TYPED_SECRETS,\n',
    replace: '',
  },
  {
    name: 'a form for a new receiving account changes one that is there',
    file: 'src/dashboard/screens/receiving-account.ts',
    tests: ['test/dashboard/receiving-accounts.test.ts'],
    find: "body, { 'if-none-match': '*' })",
    replace: 'body)',
  },
  {
    name: 'the next page of a list forgets the filters',
    ...listing,
    find: 'const next = chosenOf(filters, query);',
    replace: 'const next = new URLSearchParams();',
  },
  {
    name: 'a mistake in a day does not stand beside it',
    ...listing,
    find: '{ message, pointer: found === undefined ? pointer : `/${found.name}` }',
    replace: '{ message, pointer: found === undefined ? pointer : pointer }',
  },
  {
    name: 'the log has users by their ids',
    file: 'src/dashboard/actors.ts',
    tests: listing.tests,
    find: 'rows.find(({ id }) => id === actor)',
    replace: 'rows.find(({ name }) => name === actor)',
  },
  {
    name: 'a checkbox comes back unchecked beside a mistake',
    file: 'src/dashboard/form.ts',
    tests: keys.tests,
    find: 'chosen.includes(each) && html` checked`',
    replace: 'false && html` checked`',
  },
  {
    name: 'a command lists the provider events that are looked at again as those that wait for a person',
    file: 'src/cli/commands/provider-events/list.ts',
    tests: ['test/cli/provider-events.test.ts'],
    find: "waiting ? 'waiting' : 'open'",
    replace: "waiting ? 'waiting' : 'waiting'",
  },
  {
    name: 'a provider event is fetched without the session that has its payment',
    file: 'src/http/routes/waiting-event.ts',
    tests: ['test/api/provider-events.test.ts'],
    find: 'representWaitingEvent(event, await sessionOf(store, tenant, event))',
    replace: 'representWaitingEvent(event, null)',
  },
  {
    name: 'a command does not say why a provider event waits',
    file: 'src/cli/provider-event.ts',
    tests: ['test/cli/provider-events.test.ts'],
    find: "(reason ?? '').replaceAll('_', ' ')",
    replace: "''",
  },
];
