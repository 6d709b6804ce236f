/** Faults in what is stored: data of others, changes over those of others, order that is lost, too little that is forgotten. */
import type { Fault } from './fault.ts';
import { postgres, sqlite } from './rooms.ts';

export const storeFaults: readonly Fault[] = [
  {
    name: 'ids of one millisecond lose their order beside a clock that is ahead',
    file: 'src/lib/id.ts',
    tests: ['test/lib/id.test.ts'],
    find: 'if (counter >= COUNTER_LIMIT / 2) counter = 0;',
    replace: 'counter = 0;',
  },
  {
    name: 'a session in memory is believed while its version is the same',
    ...postgres('postgres/checkouts', 'store/postgres-only'),
    find: 'WHERE checkout.revision IS DISTINCT FROM seen.revision',
    replace: 'WHERE seen.revision = 0 OR checkout.version IS DISTINCT FROM seen.revision',
  },
  {
    name: 'a change of a session that came to nothing stays in memory',
    ...sqlite('sqlite/commit', 'store/sqlite'),
    checkers: { simulation: 'finds' },
    find: 'else for (const id of changed) checkouts.forget(id);',
    replace: '',
  },
  {
    name: 'a session in memory is seen by another account',
    ...sqlite('sqlite/checkouts', 'store/sqlite'),
    find: 'sameTenant(cached.tenant, tenant) ? cached : null',
    replace: 'cached',
  },
  {
    name: 'the history of a session that was read from its row begins anew with the next change',
    ...sqlite('sqlite/checkouts', 'store/sqlite'),
    find: 'lastEvents.set(checkout, row.lastEvent);',
    replace: 'lastEvents.set(checkout, 0);',
  },
  {
    name: 'what is of the other mode is read',
    ...sqlite('resources/read', 'store/sqlite'),
    find: 'return sql`account = ${account} AND live = ${live}`',
    replace: 'return sql`account = ${account} AND ${live} = ${live}`',
  },
  {
    name: 'what a commit has changed is not seen by those behind it',
    ...sqlite('sqlite/commit', 'store/sqlite', 'writer/writer'),
    find: 'checkouts.remember(writes.checkout.after);',
    replace: '',
  },
  {
    name: 'endpoints in memory are not forgotten when they change',
    ...sqlite('sqlite/commit', 'store/sqlite', 'writer/writer-endpoints'),
    find: 'if (writes.endpoints) endpoints.forget();',
    replace: '',
  },
  {
    name: 'a session is written over whatever it has become',
    ...postgres('statements', 'cluster/without-locks'),
    find: 'isCounter ? `CASE WHEN ${table}.${name} = ${r.seen} THEN ${value} END` : value',
    replace: 'value',
  },
  {
    name: 'a feed that cannot go on is counted no more',
    ...postgres('postgres/feed', 'store/postgres-only'),
    find: 'if (!(await keepOn(tenant))) failed++;',
    replace: 'await keepOn(tenant);',
  },
  {
    name: 'a feed that went on behind a lost end is not counted',
    ...postgres('postgres/feed', 'store/postgres-only'),
    find: 'repairs++;',
    replace: '',
  },
  {
    name: 'events that have got their numbers are looked for among all that wait',
    ...postgres('postgres/feed', 'postgres/feed'),
    find: 'AND subject >= ${first} AND subject <= ${last} ',
    replace: '',
  },
  {
    name: 'the feed goes on from the end that was kept, whatever has a place behind it',
    ...postgres('postgres/feed', 'store/postgres-only'),
    find: 'Math.max(kept, used)',
    replace: 'kept',
  },
  {
    name: 'a person is not redacted in what was stored of a session',
    ...sqlite('redact', 'store/sqlite'),
    find: 'const payer = { ...session.payer, ...blankPayer };',
    replace: 'const payer = { ...session.payer };',
  },
  {
    name: 'a session is written over a version that was not read',
    ...sqlite('sqlite/statements', 'store/sqlite'),
    find: 'const isSame = `AND version = $',
    replace: 'const isSame = `AND version <> -$',
  },
  {
    name: 'an instance shows a session as it saw it first',
    ...postgres('postgres/checkouts', 'store/postgres-only'),
    find: 'WHERE checkout.revision IS DISTINCT FROM seen.revision',
    replace: 'WHERE seen.revision = 0',
  },
  {
    name: 'an instance shows a session that is gone',
    ...postgres('postgres/checkouts', 'store/postgres-only'),
    find: 'LEFT JOIN checkout ON',
    replace: 'JOIN checkout ON',
  },
  {
    name: 'reads by a key are planned each time',
    ...postgres('postgres/pool', 'postgres/connection'),
    find: 'if (!inShards) quick.configure(PLANNED_ONCE);',
    replace: '',
  },
  {
    name: 'a connection behind a pooler changes the sessions of others',
    ...postgres('postgres/connection', 'postgres/connection'),
    find: ' && row?.process === answer.state?.pid',
    replace: '',
  },
  {
    name: 'what another process has changed is decided on as it was',
    ...sqlite('sqlite/commit', 'store/sqlite'),
    find: '      checkouts.forgetAll();\n      endpoints.forget();\n      return commitOnce(units);',
    replace: '      endpoints.forget();\n      return commitOnce(units);',
  },
  {
    name: 'an answer is held against its event without the cause of that',
    ...sqlite('resources/answers', 'store/sqlite'),
    find: 'cause, body: eventBody',
    replace: 'body: eventBody',
  },
];
