/** Campaigns that move, kill and freeze the nodes of a distributed database below it. */
import type { Listed } from './campaign.ts';

export const onCitus: readonly Listed[] = [
  {
    name: 'citus-suites',
    what: 'The suites of the store, of the API and of several processes, on Citus with a coordinator and two workers, each test in a distributed database of its own.',
    files: [
      'test/store/postgres.test.ts',
      'test/api/**/*.test.ts',
      'test/cluster/{races,refund-races,killed,stopped,work,hints,event-stream,failing-receivers}.test.ts',
    ],
    databases: ['postgres'],
    onCitus: true,
    scale: 1,
    reach: { tests: { atLeast: 1_900 } },
    limitMinutes: 90,
  },
  {
    name: 'citus-moves',
    what: 'On Citus, with a coordinator and two workers, shards are moved there and back one after the other while eight accounts are under load, whose webhooks a receiver takes: with writes that wait (`block_writes`), and with a copy that catches up (`force_logical`). Then accounts get shards of their own, which move. After each round everything acknowledged is there, once, feeds have no gaps and go on, every webhook has arrived, those of a session in their order, and all rules of `db check` hold. So it is in the other campaigns on Citus.',
    files: ['test/citus/moves.ts', 'test/citus/isolate.ts'],
    onCitus: true,
    scale: 10,
    reach: {
      moves: { atLeast: 160 },
      isolated: { atLeast: 8 },
      acknowledged_changes: { atLeast: 10_000 },
      deliveries: { atLeast: 5_000 },
    },
    limitMinutes: 90,
  },
  {
    name: 'citus-rebalance',
    what: 'On Citus, under load, a worker is emptied and filled again by `citus_rebalance_start` in the background, in both modes of moving.',
    files: ['test/citus/rebalance.ts'],
    onCitus: true,
    scale: 10,
    reach: {
      rebalances: { atLeast: 40 },
      moves: { atLeast: 80 },
      acknowledged_changes: { atLeast: 10_000 },
      deliveries: { atLeast: 5_000 },
    },
    limitMinutes: 90,
  },
  {
    name: 'citus-workers',
    what: 'On Citus, whose nodes speak TLS, a worker is killed under load, or stands still for eight seconds, in turn one and the other. Accounts elsewhere are served from the first moment on, their times are those of all eight seconds, and from the fourth on none of them is put off; until then those may be that share a connection with requests that wait for the worker. The service says what share of accounts it serves; all others get 503 until the worker is back.',
    files: ['test/citus/workers.ts'],
    onCitus: true,
    environment: { CITUS_TLS: '1' },
    scale: 10,
    reach: {
      rounds: { atLeast: 20 },
      acknowledged_changes: { atLeast: 10_000 },
      deliveries: { atLeast: 5_000 },
      living_p99_ms: { atMost: 2000 },
    },
    limitMinutes: 90,
  },
  {
    name: 'citus-coordinator',
    what: 'On Citus, under load, the coordinator is restarted.',
    files: ['test/citus/coordinator.ts'],
    onCitus: true,
    scale: 10,
    reach: {
      rounds: { atLeast: 10 },
      acknowledged_changes: { atLeast: 1_000 },
      deliveries: { atLeast: 500 },
    },
    limitMinutes: 60,
  },
  {
    name: 'citus-migration',
    what: 'On Citus, under load, newer versions migrate: new tables, which must lie in shards, and new columns and indexes of those that every change writes. The older version goes on serving.',
    files: ['test/citus/migration.ts'],
    onCitus: true,
    scale: 10,
    reach: { migrations: { atLeast: 10 }, acknowledged_changes: { atLeast: 1_000 } },
    limitMinutes: 20,
  },
];
