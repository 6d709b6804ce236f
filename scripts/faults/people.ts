/** Faults in the dashboard's screens of people: who is found, what an export has, and who erases. */
import type { Fault } from './fault.ts';

const tests = ['test/dashboard/people.test.ts'];
const exported = { file: 'src/dashboard/people/export.ts', tests };
const screens = { file: 'src/dashboard/screens/people.ts', tests };

const removable = { file: 'src/store/resources/removable.ts', tests: ['test/api/retention.test.ts'] };

export const peopleFaults: readonly Fault[] = [
  {
    name: 'an export of a person has the sessions of everybody',
    ...exported,
    find: 'new URLSearchParams({ customer })',
    replace: "new URLSearchParams({ q: customer.slice(0, 0) || 'order' })",
  },
  {
    name: 'an export of a person says nothing of payments',
    ...exported,
    find: 'return { session, payin, timeline',
    replace: 'return { session, payin: payin && null, timeline',
  },
  {
    name: 'a person is erased without a proof of who does it',
    ...screens,
    find: "needs: { operation: 'CUSTOMER.DELETE', confirmed: true }",
    replace: "needs: { operation: 'CUSTOMER.DELETE' }",
  },
  {
    name: 'somebody who may not erase is offered to',
    ...screens,
    find: "place.may('CUSTOMER.DELETE') &&",
    replace: 'true &&',
  },
  {
    name: 'the filter by e-mail address finds everybody',
    ...screens,
    find: 'queryOf(filters, query)',
    replace: 'queryOf([], query)',
  },
  {
    name: 'events are counted by the age of deliveries',
    ...removable,
    find: "older(tenant, 'event', 'evt', events)",
    replace: "older(tenant, 'event', 'evt', deliveries)",
  },
  {
    name: 'all that there is counts as removable',
    ...removable,
    find: 'AND id < ${firstIdAt(prefix, before)}',
    replace: 'AND id <> ${firstIdAt(prefix, before)}',
  },
  {
    name: 'settings are tried that the service would refuse',
    file: 'src/http/routes/retention.ts',
    tests: ['test/api/retention.test.ts'],
    find: 'eventsOutliveDeliveries(asked) ? [] : [tooFew]',
    replace: 'eventsOutliveDeliveries(asked) ? [] : []',
  },
];
