/** Faults in the writer: what a repeated request gets, how events are numbered, whom they go to. */
import type { Fault } from './fault.ts';

const writer = (file: string, ...tests: readonly string[]) => ({
  file: `src/writer/${file}.ts`,
  tests: tests.map((name) => `test/${name}.test.ts`),
});

export const writerFaults: readonly Fault[] = [
  {
    name: 'a key that was used with another body is answered with the first one',
    ...writer('writer', 'writer/writer', 'api/idempotency'),
    checkers: { simulation: 'finds' },
    find: 'requestHash === idempotency.requestHash',
    replace: "requestHash !== ''",
  },
  {
    name: 'the first event of a change has the number of the last one before',
    ...writer('event-rows', 'writer/writer', 'api/webhooks'),
    checkers: { simulation: 'finds' },
    find: 'subject.eventCount - events.length + 1',
    replace: 'subject.eventCount - events.length',
  },
  {
    name: 'an endpoint is told about itself',
    ...writer('event-rows', 'writer/writer-deliveries'),
    find: 'each.id !== subject && selects(each, type)',
    replace: 'selects(each, type)',
  },
  {
    name: 'a payment is booked for a second session',
    ...writer('handlers/checkout', 'api/lifecycle', 'api/records', 'writer/writer'),
    checkers: { simulation: 'finds' },
    find: 'owner !== undefined && owner !== id && before !== null',
    replace: "owner === ''",
  },
  {
    name: 'a receiver that asks for less counts as failing',
    ...writer('handlers/deliveries', 'writer/writer-deliveries', 'api/endpoints-health'),
    find: '} else if (!asksForLess(httpStatus)) {',
    replace: '} else {',
  },
  {
    name: 'what the service does to an endpoint is in no log of changes',
    ...writer('handlers/deliveries', 'api/endpoints-health'),
    find: 'audits.push(auditOf(origin, after.id, after.version, now, actions[type]));',
    replace: '',
  },
  {
    name: 'what was on its way to a deleted endpoint suspends it',
    ...writer('handlers/deliveries', 'writer/writer-endpoints', 'writer/writer-deliveries'),
    find: 'isEndpoint(receiver) && endpoint?.disabled !== null',
    replace: 'isEndpoint(receiver) && endpoint?.disabled',
  },
  {
    name: 'a provider is not told that an attempt was given up',
    ...writer('rails', 'methods/contract-sqlite-restarted'),
    checkers: { simulation: 'finds' },
    find: 'isGivenUp && rail?.cancel ?',
    replace: "attempt.status === 'requires_action' && rail?.cancel ?",
  },
  {
    name: 'a rail that is silent is not asked again',
    ...writer('rails', 'methods/contract-sqlite-restarted'),
    find: 'answer.syncAt ?? (isOpen ? now + ASK_AGAIN_MS : null)',
    replace: 'answer.syncAt ?? null',
  },
  {
    name: 'a provider event that was settled waits again',
    ...writer('handlers/provider-event', 'writer/provider-event'),
    find: "known.state === 'done' || !isNews",
    replace: '!isNews',
  },
  {
    name: 'a provider event gets an older state than another process has written',
    ...writer('handlers/provider-event', 'writer/provider-event', 'worker/provider-events'),
    find: "(known.state === 'waiting' && known.tries === action.tries)",
    replace: "known.state !== 'done'",
  },
  {
    name: 'a delivery that is made again is shown as due behind another one',
    ...writer('handlers/resend', 'api/deliveries-resend'),
    find: 'const isHead = !isBehind && heads.get(keyOf(each)) === each;',
    replace: 'const isHead = heads.get(keyOf(each)) === each;',
  },
  {
    name: 'an entry that several processes find due is tried once by each of them',
    ...writer('handlers/bank-entry', 'writer/bank-entry'),
    find: "action.type === 'retry' && !isDue",
    replace: "action.type === 'retry' && known?.dueAt === null",
  },
  {
    name: 'a payment file has an amount that was decided on anew',
    ...writer('handlers/payment-file', 'writer/payment-file'),
    find: 'entry.sentBack.amount !== transfer.amount',
    replace: "transfer.id === ''",
  },
  {
    name: 'one failing row ends the turn of those behind it',
    file: 'src/worker/due-rows.ts',
    tests: ['test/worker/due-rows.test.ts'],
    find: '      if (!leaveAlone(row.id, error)) onError(error);\n      return false;',
    replace: '      throw error;',
  },
  {
    name: 'a damaged row is in the way of the others at each look',
    file: 'src/worker/due-rows.ts',
    tests: ['test/worker/due-rows.test.ts'],
    find: '[...leftAlone.keys()]',
    replace: '[]',
  },
  {
    name: 'damaged sessions are in the way of the others at each look',
    file: 'src/worker/deadlines.ts',
    tests: ['test/worker/worker.test.ts'],
    find: '.filter((id) => !damaged.includes(id))',
    replace: '',
  },
  {
    name: 'units of several tenants share a batch where they must not',
    ...writer('group-commit', 'writer/group-commit'),
    find: '(mixed || sameTenant(first.unit.needs.tenant, entry.unit.needs.tenant)) &&',
    replace: '(mixed || true) &&',
  },
  {
    name: 'webhooks and payers wait behind all that is requested',
    ...writer('group-commit', 'writer/group-commit'),
    withPostgres: true,
    find: 'takeInto(batch, Math.ceil(maxBatch / 2));',
    replace: 'takeInto(batch, maxBatch);',
  },
  {
    name: 'one unit that fails takes its batch with it',
    ...writer('group-commit', 'writer/group-commit', 'writer/writer'),
    checkers: { simulation: 'finds' },
    find: 'if (alone) entry.reject(error);',
    replace: 'if (error) entry.reject(error);',
  },
  {
    name: 'a stall long ago refuses changes for ever',
    ...writer('backlog', 'writer/backlog'),
    find: 'count > MAX_BATCH && ',
    replace: '',
  },
  {
    name: 'a tenant with few changes is refused for one with many',
    ...writer('backlog', 'writer/backlog'),
    find: ' * waiting.size >= count',
    replace: ' * waiting.size >= 0',
  },
  {
    name: 'time in which nothing waited counts as that of a change',
    ...writer('backlog', 'writer/backlog'),
    find: 'last = count > 0 && tenants.length > 0 ?',
    replace: 'last = tenants.length > 0 ?',
  },
  {
    name: 'each commit lets one client connect',
    ...writer('group-commit', 'writer/group-commit'),
    withPostgres: true,
    find: 'if (!grows && connections === connectionsBefore) return;',
    replace: 'if (!grows) return;',
  },
];
