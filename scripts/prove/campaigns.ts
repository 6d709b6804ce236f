/** What `npm run prove` runs, and what each must reach. The figures are those that the tests say with `evidence`. */

/** The chapters of the page, in their order. */
export const CHAPTERS = ['Nothing lost, nothing doubled', 'Nobody in', 'Nobody in the way'] as const;

export interface Campaign {
  /** By which the tests say figures, and by which it can be run alone. */
  readonly name: string;
  readonly chapter: (typeof CHAPTERS)[number];
  /** What is done, and what must come of it. */
  readonly what: string;
  /** Test files, or programs that measure, each of them in a process of its own, one after the other. */
  readonly files: readonly string[];
  /** Where the files are suites that run on either database. */
  readonly databases?: readonly ('sqlite' | 'postgres')[];
  /** How many times as long as in `npm test`. */
  readonly scale: number;
  /** Where they run on the nodes of scripts/citus.sh, which OPENTILL_CITUS has the source for. */
  readonly onCitus?: boolean;
  /** Further settings of the tests. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The figures that count: each at least, or at most, so much. `tests` is the number of those that have passed. */
  readonly reach: Readonly<Record<string, Bound>>;
  /** After so long a file has failed. */
  readonly limitMinutes: number;
}

export type Bound = { readonly atLeast: number } | { readonly atMost: number };

export const campaigns: readonly Campaign[] = [
  {
    name: 'kill',
    chapter: 'Nothing lost, nothing doubled',
    what: 'kill -9 of a service on SQLite, at random moments under load and while it starts. What was acknowledged is there, what was not happens once when it is asked again, and nothing has happened by half.',
    files: ['test/crash/kill.test.ts'],
    scale: 125,
    reach: { kills: { atLeast: 500 }, acknowledged_changes: { atLeast: 50_000 }, ready_ms: { atMost: 2000 } },
    limitMinutes: 90,
  },
  {
    name: 'kill-cluster',
    chapter: 'Nothing lost, nothing doubled',
    what: 'kill -9 of one of two processes on PostgreSQL behind a proxy, at random moments under load. Every client gets an answer from the other one; whoever follows the feed sees each event once, in one order.',
    files: ['test/cluster/killed.test.ts'],
    scale: 500,
    reach: { kills: { atLeast: 500 }, acknowledged_changes: { atLeast: 50_000 } },
    limitMinutes: 90,
  },
  {
    name: 'simulation',
    chapter: 'Nothing lost, nothing doubled',
    what: 'Seeded simulations with an oracle beside them: time, ids, network, provider, disk and crashes are under control.',
    files: ['test/sim/sim.test.ts'],
    scale: 1,
    environment: { COUNT: '10000' },
    reach: { histories: { atLeast: 10_000 }, minutes: { atMost: 10 } },
    limitMinutes: 30,
  },
  {
    name: 'rules',
    chapter: 'Nothing lost, nothing doubled',
    what: 'Every command from every state that commands lead to, within bounds, held to an oracle, the table of states and invariants.',
    files: ['test/checkout/exhaustive/exhaustive.test.ts'],
    scale: 100,
    reach: { states: { atLeast: 1_000_000 } },
    limitMinutes: 90,
  },
  {
    name: 'races',
    chapter: 'Nothing lost, nothing doubled',
    what: 'One session is paid twice, updated and expired at once, at two processes on PostgreSQL; and 100 requests at once carry one idempotency key. One outcome, one event of it, one effect.',
    files: ['test/cluster/races.test.ts'],
    scale: 100,
    reach: { races: { atLeast: 2000 }, rounds_of_100_requests_with_one_key: { atLeast: 200 } },
    limitMinutes: 30,
  },
  {
    name: 'linearizable',
    chapter: 'Nothing lost, nothing doubled',
    what: 'Several clients read, change, pay, expire and refund single sessions at once, and some of them give up waiting, while a process on SQLite or one of two on PostgreSQL is killed or frozen, or answers of the database are lost. Each history is explained by an order in which every request happens at one moment, those without an answer at any later time or never.',
    files: ['test/linearizable/checker.test.ts', 'test/linearizable/linearizable.test.ts'],
    scale: 130,
    reach: {
      sessions: { atLeast: 3000 },
      operations: { atLeast: 50_000 },
      open_ended: { atLeast: 500 },
      faults: { atLeast: 400 },
    },
    limitMinutes: 60,
  },
  {
    name: 'refund-races',
    chapter: 'Nothing lost, nothing doubled',
    what: 'More is asked back than was paid, by several clients at once, on SQLite and at two processes on PostgreSQL. Never more has gone back than came.',
    files: ['test/cluster/refund-races.test.ts'],
    scale: 10,
    reach: { races: { atLeast: 2000 } },
    limitMinutes: 30,
  },
  {
    name: 'failing-receivers',
    chapter: 'Nothing lost, nothing doubled',
    what: 'Receivers fail three times in ten while processes are killed again and again, on SQLite and at two processes on PostgreSQL. Every event arrives, in the order of its session.',
    files: ['test/cluster/failing-receivers.test.ts'],
    scale: 25,
    reach: { events: { atLeast: 20_000 }, twice_ratio: { atMost: 0.01 } },
    limitMinutes: 60,
  },
  {
    name: 'fail-over',
    chapter: 'Nothing lost, nothing doubled',
    what: 'PostgreSQL crashes, is restarted, or hands over to its standby, under load.',
    files: ['test/cluster/fail-over.test.ts'],
    scale: 6,
    reach: { tests: { atLeast: 4 } },
    limitMinutes: 30,
  },
  {
    name: 'citus-moves',
    chapter: 'Nothing lost, nothing doubled',
    what: 'On Citus, with a coordinator and two workers, shards are moved there and back one after the other while eight accounts are under load: with writes that wait (`block_writes`), and with a copy that catches up (`force_logical`). Feeds have no gaps and go on.',
    files: ['test/citus/moves.ts'],
    onCitus: true,
    scale: 10,
    reach: { moves: { atLeast: 160 }, acknowledged_changes: { atLeast: 10_000 } },
    limitMinutes: 30,
  },
  {
    name: 'citus-rebalance',
    chapter: 'Nothing lost, nothing doubled',
    what: 'On Citus, under load, a worker is emptied and filled again by `citus_rebalance_start` in the background, in both modes of moving.',
    files: ['test/citus/rebalance.ts'],
    onCitus: true,
    scale: 10,
    reach: { rebalances: { atLeast: 40 }, moves: { atLeast: 80 }, acknowledged_changes: { atLeast: 10_000 } },
    limitMinutes: 30,
  },
  {
    name: 'citus-workers',
    chapter: 'Nothing lost, nothing doubled',
    what: 'On Citus, under load, a worker is killed, or stands still, for eight seconds. Accounts on the other one are served as before and never put off; the service says what share of accounts that is; all others get 503 until it is back.',
    files: ['test/citus/workers.ts'],
    onCitus: true,
    scale: 10,
    reach: {
      rounds: { atLeast: 20 },
      acknowledged_changes: { atLeast: 10_000 },
      living_p99_ms: { atMost: 2000 },
    },
    limitMinutes: 30,
  },
  {
    name: 'citus-coordinator',
    chapter: 'Nothing lost, nothing doubled',
    what: 'On Citus, under load, the coordinator is restarted.',
    files: ['test/citus/coordinator.ts'],
    onCitus: true,
    scale: 10,
    reach: { rounds: { atLeast: 10 }, acknowledged_changes: { atLeast: 1_000 } },
    limitMinutes: 20,
  },
  {
    name: 'citus-migration',
    chapter: 'Nothing lost, nothing doubled',
    what: 'On Citus, under load, newer versions migrate: new tables, which must lie in shards, and new columns and indexes of those that every change writes. The older version goes on serving.',
    files: ['test/citus/migration.ts'],
    onCitus: true,
    scale: 10,
    reach: { migrations: { atLeast: 10 }, acknowledged_changes: { atLeast: 1_000 } },
    limitMinutes: 20,
  },
  {
    name: 'owner',
    chapter: 'Nothing lost, nothing doubled',
    what: 'Two servers on one file by any two names; the file or its log replaced or removed under a server; an older and a newer version side by side, on both databases. One owner, and no schema changes under a server.',
    files: ['test/sqlite/owner.test.ts', 'test/sqlite/replaced.test.ts', 'test/cli/versions.test.ts'],
    scale: 1,
    reach: { tests: { atLeast: 15 } },
    limitMinutes: 10,
  },
  {
    name: 'disk-full',
    chapter: 'Nothing lost, nothing doubled',
    what: 'The disk is full under load, after as many bytes as chance says, and has room again. What cannot be stored is refused, and the service is not ready meanwhile.',
    files: ['test/crash/disk-full.test.ts', 'test/crash/file-limit.test.ts'],
    scale: 50,
    reach: { tests: { atLeast: 3 }, sizes: { atLeast: 100 }, not_ready_ms: { atMost: 1000 } },
    limitMinutes: 30,
  },
  {
    name: 'damage',
    chapter: 'Nothing lost, nothing doubled',
    what: 'Damage planted in a healthy database, one kind after the other. The check names each, and tells the rest beside a row that it cannot read.',
    files: ['test/cli/db-check.test.ts'],
    scale: 6,
    reach: { damages_named: { atLeast: 160 } },
    limitMinutes: 30,
  },
  {
    name: 'stopped',
    chapter: 'Nothing lost, nothing doubled',
    what: 'One of two processes on PostgreSQL stands still past its leases (SIGSTOP) while its clients ask the other one, and goes on; a server on SQLite stands still while another one would start. No money is there twice, no event comes again before its lease has run out, no second owner.',
    files: ['test/cluster/stopped.test.ts', 'test/crash/stopped.test.ts'],
    scale: 50,
    reach: {
      stops: { atLeast: 100 },
      second_servers_refused: { atLeast: 50 },
      acknowledged_changes: { atLeast: 1_000 },
    },
    limitMinutes: 30,
  },
  {
    name: 'io-faults',
    chapter: 'Nothing lost, nothing doubled',
    what: 'The disk fails at write 1, 2, 3 … under load, under a backup and under a check: it is full, has errors, does not sync, writes less than it should, or is slow. After a kill and a start everything acknowledged is there and the books add up; who cannot write is not ready, and says so. Needs a C compiler.',
    files: ['test/crash/io-faults.campaign.ts'],
    scale: 40,
    reach: {
      rounds: { atLeast: 200 },
      backups: { atLeast: 200 },
      checks: { atLeast: 200 },
      not_ready_ms: { atMost: 1000 },
    },
    limitMinutes: 60,
  },
  {
    name: 'power-loss',
    chapter: 'Nothing lost, nothing doubled',
    what: 'A loss of power under load: what was not synced is gone, all of it or as chance says. What was acknowledged is there, and the books add up. The control, which does not sync each commit, loses some. Needs a C compiler.',
    files: ['test/crash/power-loss.campaign.ts'],
    scale: 50,
    reach: {
      cycles: { atLeast: 100 },
      writes_lost: { atLeast: 100 },
      changes_lost_by_the_control: { atLeast: 1 },
    },
    limitMinutes: 30,
  },
  {
    name: 'page-damage',
    chapter: 'Nothing lost, nothing doubled',
    what: 'A page of the database file is damaged at random: random bytes, zeroes, another page, one bit, or nothing from there on. The service gives no other answer than before; the check and the backup name whatever reads differently, but for counters of deliveries.',
    files: ['test/crash/page-damage.test.ts'],
    scale: 100,
    reach: { damages: { atLeast: 200 }, named: { atLeast: 100 }, answers: { atLeast: 10_000 } },
    limitMinutes: 60,
  },
  {
    name: 'permissions',
    chapter: 'Nobody in',
    what: 'Every operation with every kind of credentials: own account, other account, other mode, each permission alone, revoked, wrong, none, payer’s token. What is foreign is told apart from what is unknown by no byte.',
    files: ['test/api/auth.test.ts', 'test/api/keys.test.ts'],
    databases: ['sqlite', 'postgres'],
    scale: 1,
    reach: { tests: { atLeast: 400 } },
    limitMinutes: 10,
  },
  {
    name: 'openapi-fuzz',
    chapter: 'Nobody in',
    what: 'Requests made from the API document alone, valid, nearly valid and hostile, to every operation; and statements, provider events, credentials, headers, multipart bodies, forms, tokens and cursors after some changes. No answer is a failure or one that the document does not have, what breaks the document is refused, what is refused writes nothing, and no input holds up the serving thread.',
    files: ['test/api/fuzz/openapi-fuzz.test.ts', 'test/api/fuzz/parsers.test.ts'],
    databases: ['sqlite', 'postgres'],
    scale: 150,
    reach: {
      requests: { atLeast: 100_000 },
      refused_and_nothing_written: { atLeast: 10_000 },
      inputs: { atLeast: 20_000 },
      longest_ms: { atMost: 50 },
    },
    limitMinutes: 60,
  },
  {
    name: 'canaries',
    chapter: 'Nobody in',
    what: 'A day of use in which every field holds a value that nobody else has: every operation, well and badly asked, payers’ pages, webhooks, a provider and a database that fail, commands. None of it, and no secret, is in logs at their most talkative, in metrics, errors, addresses of requests; and no key in a backup.',
    files: ['test/api/canaries/canaries.test.ts'],
    databases: ['sqlite', 'postgres'],
    scale: 1,
    reach: { canaries: { atLeast: 1000 }, places_searched: { atLeast: 400 }, found: { atMost: 0 } },
    limitMinutes: 10,
  },
  {
    name: 'hostile-pages',
    chapter: 'Nobody in',
    what: 'Texts and addresses that carry scripts, in every field that a page may show and in addresses, queries and forms of pages: names, descriptions, references, metadata, persons, `success_url`, `cancel_url`, `webhook_url` and more. Chromium, told to ignore the policy of the pages, runs none of them; no address that carries one is stored. As a control the same texts are put into a page as they are.',
    files: ['test/pages/script-carriers.test.ts'],
    scale: 120,
    reach: {
      payloads: { atLeast: 100 },
      stored: { atMost: 0 },
      run: { atMost: 0 },
      run_where_nothing_escapes: { atLeast: 40 },
    },
    limitMinutes: 20,
  },
  {
    name: 'guard',
    chapter: 'Nobody in',
    what: 'Addresses, spellings, names, redirects and rebound names that lead webhooks inside. Nobody connects to the listener there; that the same ways reach it where they are allowed is tried too.',
    files: [
      'test/webhooks/guard-corpus.test.ts',
      'test/webhooks/guard-rebind.test.ts',
      'test/webhooks/sender-guard.test.ts',
    ],
    scale: 1,
    reach: { ways_inside: { atLeast: 150 }, rebound_names: { atLeast: 100 } },
    limitMinutes: 10,
  },
  {
    name: 'prices',
    chapter: 'Nobody in the way',
    what: 'One request to every route, by every kind of caller: what it costs the thread that answers, how many bytes come back, and how many rows are written.',
    files: ['test/api/prices.test.ts'],
    databases: ['sqlite'],
    scale: 20,
    reach: {
      prices: { atLeast: 150 },
      own_dearest_ms: { atMost: 50 },
      open_dearest_ms: { atMost: 20 },
      refused_dearest_ms: { atMost: 2 },
    },
    limitMinutes: 15,
  },
  {
    name: 'neighbours',
    chapter: 'Nobody in the way',
    what: 'A tenant fetches and updates at a steady rate while another caller asks for all he can: routes without a key, the longest receipts, lists and statements in parallel, 2,000 connections that are slow or do not read. Ratios are those of the tenant’s 99th percentile, and `own` is what it waits for a receipt or an upload of its own.',
    files: ['bench/neighbours.ts'],
    scale: 1,
    reach: {
      open_routes_p99_ratio: { atMost: 2 },
      documents_p99_ratio: { atMost: 2 },
      documents_own_ms: { atMost: 2000 },
      documents_memory_mib: { atMost: 200 },
      lists_p99_ratio: { atMost: 2 },
      uploads_p99_ratio: { atMost: 2 },
      uploads_memory_mib: { atMost: 200 },
      unread_memory_mib: { atMost: 100 },
      slow_closed_ms: { atMost: 60_000 },
      slow_memory_mib: { atMost: 100 },
      slow_stop_ms: { atMost: 11_000 },
    },
    limitMinutes: 15,
  },
  {
    name: 'overload',
    chapter: 'Nobody in the way',
    what: 'Changes come at three times the rate at which a service on SQLite does them and delivers their webhooks; then at six times. Goodput is the share of that rate that is done all the same; the rest is refused at once, webhooks go on, and soon afterwards everything is as before.',
    files: ['bench/overload.ts'],
    scale: 1,
    reach: {
      goodput: { atLeast: 0.8 },
      accepted_p99_ms: { atMost: 1000 },
      recovery_ms: { atMost: 5000 },
    },
    limitMinutes: 5,
  },
];
