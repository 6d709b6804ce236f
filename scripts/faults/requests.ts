/** Faults in the log of requests and the list of provider events: what gets there, whose it is, and what it may cost. */
import type { Fault } from './fault.ts';

const api = ['test/api/requests.test.ts'];
const gathered = { file: 'src/http/request-log.ts', tests: ['test/http/request-log.test.ts'] };
const entries = { file: 'src/http/logged-requests.ts', tests: api };
const rows = { file: 'src/store/resources/requests.ts', tests: ['test/store/sqlite.test.ts'] };
const queue = { file: 'src/lib/fair-queue.ts', tests: ['test/lib/fair-queue.test.ts'] };
const events = {
  file: 'src/store/resources/provider-events.ts',
  tests: ['test/api/provider-events.test.ts'],
};

export const requestFaults: readonly Fault[] = [
  {
    name: 'names of fields that a client has made up are in the log of requests',
    ...entries,
    find: "return isOurs ? token : '*';",
    replace: "return isFree ? '*' : token;",
  },
  {
    name: 'keys of metadata that look like names or numbers are in the log of requests',
    ...entries,
    find: '!isBelowChosen && !isFree && (',
    replace: '(',
  },
  {
    name: 'keys of a field that may be null are in the log of requests',
    ...entries,
    tests: ['test/http/logged-requests.test.ts'],
    find: 'if (anyOf !== undefined) return anyOf.map(freeKeysOf)',
    replace: 'if (anyOf !== undefined) return anyOf.slice(1).map(freeKeysOf)',
  },
  {
    name: 'keys of a field of which nothing is said are in the log of requests',
    ...entries,
    tests: ['test/http/logged-requests.test.ts'],
    find: 'if (!isAnything && !isOneOf(',
    replace: 'if (isAnything || !isOneOf(',
  },
  {
    name: 'keys beside those that are declared are in the log of requests',
    ...entries,
    tests: ['test/http/logged-requests.test.ts'],
    find: 'if (additionalProperties === false && patternProperties === undefined) return null;',
    replace: 'if (additionalProperties !== true && patternProperties === undefined) return null;',
  },
  {
    name: 'names of fields that are numbers are in the log of requests',
    ...entries,
    find: 'position.test(token) && lists.has(before)',
    replace: 'position.test(token)',
  },
  {
    name: 'the log of requests has whatever stands in the place of an id',
    ...entries,
    find: '.find((each) => ownId.test(each)) ?? null',
    replace: ".find((each) => each !== '' && each !== 'no_body') ?? null",
  },
  {
    name: 'reads that succeed are logged',
    ...entries,
    find: '(isRead && (status < 400 || principal.isInProcess))',
    replace: '(isRead && (status > 200 && status < 400 || principal.isInProcess))',
  },
  {
    name: 'reads that are refused are not logged',
    ...entries,
    find: '(isRead && (status < 400 || principal.isInProcess))',
    replace: 'isRead',
  },
  {
    name: 'what a screen of the dashboard looks for and does not find is logged as a refusal',
    ...entries,
    tests: ['test/dashboard/requests.test.ts'],
    find: '(status < 400 || principal.isInProcess)',
    replace: 'status < 400',
  },
  {
    name: 'a repeated answer is logged as a new one',
    ...entries,
    find: "reply.hasHeader('idempotent-replayed')",
    replace: "reply.hasHeader('idempotent-replay')",
  },
  {
    name: 'changes that are refused for too many others are not logged',
    file: 'src/http/app.ts',
    tests: ['test/api/overload.test.ts'],
    find: 'logged.early(caller, failure, request);',
    replace: '',
  },
  {
    name: 'a client in a loop fills the log of requests',
    ...gathered,
    find: "if (leftOut === null) onLeftOut('alike', 1);",
    replace: "if (leftOut === null && everyMs === 0) onLeftOut('alike', 1);",
  },
  {
    name: 'nobody is told how many requests alike were left out',
    ...gathered,
    find: 'return found?.leftOut ?? 0;',
    replace: 'return 0;',
  },
  {
    name: 'requests of one key keep those of another out of the log',
    ...gathered,
    find: '${name} ${entry.actor} ${entry.operation} ${entry.status}',
    replace: '${name} ${entry.operation} ${entry.status}',
  },
  {
    name: 'entries that the database did not take are not counted',
    ...gathered,
    find: "onLeftOut('failed', entries.length);",
    replace: '',
  },
  {
    name: 'what waits is lost when the service ends',
    ...gathered,
    find: 'while (!isOver && queue.size() > 0)',
    replace: 'while (isOver && queue.size() > 0)',
  },
  {
    name: 'batches of the log of requests have no bound',
    ...gathered,
    find: 'queue.take(BATCH)',
    replace: 'queue.take(QUEUE.inAll)',
  },
  {
    name: 'the oldest requests of those who ask often never go',
    ...gathered,
    find: 'count < TRIM_EVERY || first === undefined',
    replace: 'count < TRIM_EVERY * 99 || first === undefined',
  },
  {
    name: 'more requests come than go',
    ...gathered,
    find: 'trims < MOST_TRIMS',
    replace: 'trims < 1',
  },
  {
    name: 'old requests that could not be removed stay until many more have come',
    ...gathered,
    find: 'untrimmed.set(name, count);',
    replace: 'untrimmed.set(name, count < TRIM_EVERY ? count : 0);',
  },
  {
    name: 'the service looks for old requests while it stops',
    ...gathered,
    find: 'isStopping || count < TRIM_EVERY',
    replace: 'count < TRIM_EVERY',
  },
  {
    name: 'trouble with the log of requests of one keeps the old requests of all',
    file: 'src/worker/retention.ts',
    tests: ['test/worker/retention.test.ts'],
    find: `tenants.map((tenant) =>
        part(\`\${tenantName(tenant)}: requests\`, () => requestLog.purge(tenant, before)),
      )`,
    replace:
      "[part('all', async () => { let count = 0; for (const tenant of tenants) count += await requestLog.purge(tenant, before); return count; })]",
  },
  {
    name: 'trouble of one tenant ends the round for those behind it',
    file: 'src/lib/apart.ts',
    tests: ['test/lib/apart.test.ts', 'test/worker/retention.test.ts', 'test/worker/worker.test.ts'],
    find: '      failed++;\n',
    replace: '      failed = parts.length;\n      if (failed > 0) throw error;\n',
  },
  {
    name: 'a round of which all has failed is repeated without a longer pause',
    file: 'src/lib/apart.ts',
    tests: ['test/lib/apart.test.ts'],
    find: '  if (last !== undefined) throw last;\n',
    replace: '  if (last !== undefined) onError(last);\n',
  },
  {
    name: 'a locked database file is waited for once for each tenant',
    file: 'src/lib/apart.ts',
    tests: ['test/lib/apart.test.ts'],
    find: 'if (failingMs < MOST_FAILING_MS) continue;',
    replace: 'if (failingMs >= 0 || failed > 0) continue;',
  },
  {
    name: 'a database that is away is told of once for each tenant',
    file: 'src/lib/apart.ts',
    tests: ['test/lib/apart.test.ts'],
    find: 'troubles.get(message) ??',
    replace: 'troubles.get(`${name} ${message}`) ??',
  },
  {
    name: 'deliveries that have ended stay where others cannot be given up',
    file: 'src/worker/retention.ts',
    tests: ['test/worker/retention.test.ts'],
    find: `() => giveUp(dependencies, tenant, before)),
      part(\`\${tenantName(tenant)}: removed\`, () => retention.purgeDeliveries(tenant, before)),`,
    replace: `() => giveUp(dependencies, tenant, before).then(async (count) => count + (await retention.purgeDeliveries(tenant, before)))),`,
  },
  {
    name: 'answers of all tenants stay where those of one cannot be removed',
    file: 'src/store/postgres/retention.ts',
    tests: ['test/store/postgres-retention.test.ts'],
    withPostgres: true,
    find: 'all.map((tenant) => ({ name: tenantName(tenant), run: () => removeOf(tenant) })),',
    replace: "[{ name: 'all', run: async () => { for (const tenant of all) await removeOf(tenant); } }],",
  },
  {
    name: 'a tenant whose deliveries cannot be claimed keeps those of all others',
    file: 'src/worker/deliveries.ts',
    tests: ['test/worker/worker.test.ts'],
    find: `        inOrder.map((clock) => ({
          name: \`\${tenantName(clock.tenant)}: deliveries\`,
          run: () => fillFor(clock),
        })),`,
    replace:
      "        [{ name: 'all', run: async () => { for (const clock of inOrder) await fillFor(clock); } }],",
  },
  {
    name: 'a tenant whose deliveries nobody can wake keeps those of all others asleep',
    file: 'src/worker/stranded.ts',
    tests: ['test/worker/stranded.test.ts'],
    find: 'stranded.map((each) => ({ name: tenantName(each.tenant), run: () => wake(each) })),',
    replace: "[{ name: 'all', run: async () => { for (const each of stranded) await wake(each); } }],",
  },
  {
    name: 'a tenant with many entries keeps out those of others',
    ...queue,
    find: 'if (size < inAll) {',
    replace: 'if (size >= inAll) return false;\n      if (size < inAll) {',
  },
  {
    name: 'one of the longest queue is dropped for nothing',
    ...queue,
    find: 'if (most.length <= own + 1) return false;',
    replace: '',
  },
  {
    name: 'the newest of too many requests goes, and not the oldest',
    ...rows,
    find: 'ORDER BY id DESC LIMIT 1 OFFSET',
    replace: 'ORDER BY id LIMIT 1 OFFSET',
  },
  {
    name: 'requests of all accounts go with those of one',
    ...rows,
    find: 'DELETE FROM request_log WHERE ${owned(tenant)} AND ${isOld}',
    replace: 'DELETE FROM request_log WHERE ${isOld}',
  },
  {
    name: 'requests are kept for ever where nobody asks any more',
    file: 'src/worker/retention.ts',
    tests: ['test/worker/retention.test.ts'],
    find: '() => requestLog.purge(tenant, before)',
    replace: 'async () => tenant.account * 0',
  },
  {
    name: 'the log of requests waits for the lock of another program, and the service with it',
    file: 'src/store/sqlite/requests.ts',
    tests: ['test/store/sqlite-requests.test.ts'],
    find: "database.exec('PRAGMA busy_timeout = 0');",
    replace: '',
  },
  {
    name: 'a fetch waits until the log of requests is on the disk',
    file: 'src/store/sqlite/access.ts',
    tests: ['test/store/sqlite-requests.test.ts'],
    find: 'writing(operation, () => nothing)',
    replace: 'writing(operation, () => everything)',
  },
  {
    name: 'entries of several tenants go to the shard of one',
    file: 'src/store/postgres/requests.ts',
    tests: ['test/store/postgres.test.ts'],
    withPostgres: true,
    find: 'each.tenant.account !== tenant.account || each.tenant.mode !== tenant.mode',
    replace: 'each.tenant.account < 0',
  },
  {
    name: 'the filter by request of the log of changes finds all',
    file: 'src/store/resources/audit.ts',
    tests: api,
    find: 'condition: (id) => sql`request_id = ${id}`',
    replace: 'condition: () => sql`request_id IS NOT NULL`',
  },
  {
    name: 'provider events that are looked at again wait for a person',
    ...events,
    find: 'sql`state = ${word(state)}`, ...isDue',
    replace: "sql`state <> 'done'`, ...isDue",
  },
  {
    name: 'the body of a provider event is shown',
    ...events,
    file: 'src/methods/provider-event.ts',
    find: 'kind: kindIn(body),',
    replace: 'kind: body,',
  },
  {
    name: 'a provider event leads to no session although its attempt is known',
    file: 'src/http/routes/waiting-event.ts',
    tests: events.tests,
    find: 'for (const reference of [attemptReference, paymentReference])',
    replace: 'for (const reference of [paymentReference])',
  },
];
