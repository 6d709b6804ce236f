/**
 * The service on PostgreSQL: against the driver alone, against the same service with a transaction for each request, and
 * two instances against one. The server is durable, and on this machine like all else.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import postgres from 'postgres';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import type { Bench } from '../bench.ts';
import type { DriverJob, DriverResult } from '../driver.ts';
import { fillDatabase } from '../fill.ts';
import type { Subjects } from '../load/job.ts';
import { newest, subjectAt, writeSubjects } from '../load/subjects.ts';
import {
  CONNECTIONS,
  cpuUsOfEach,
  inTurn,
  pair,
  rateOf,
  requestsTo,
  type Side,
  sideFigures,
} from '../pair.ts';
import { cpuUsOfPostgres } from '../process-figures.ts';
import { startService } from '../processes.ts';
import { create, fetchOf, updateOf } from '../requests.ts';
import type { Measured, Row } from '../row.ts';
import { rounded } from '../statistics.ts';
import { sampleOf } from '../yardstick.ts';
import { exportReach, exportTimed, screensTimed, signIn } from './dashboard.ts';
import { deliveriesPerSecond } from './deliveries.ts';
import { listsReach, moneyGoals, moneyOf, surveyOf } from './lists.ts';
import { HOT_SESSIONS, SESSIONS } from './throughput.ts';

/** Fewer than may wait for their commit in any case: one by one, further ones would wait too long, and be refused. */
const FEW_CONNECTIONS = 100;

type Filled = { readonly url: string; readonly server: PostgresServer; readonly ids: Subjects };

async function filledDatabase(bench: Bench, sessions: number, isMixed: boolean): Promise<Filled> {
  const server = await bench.postgres();
  const name = `bench_${isMixed ? 'mixed_' : ''}${sessions}`;
  const url = await newDatabase(server.url, name);
  const writing = writeSubjects(join(bench.directory, `${name}.ids`));
  const startedAt = performance.now();
  await fillDatabase(await openPostgresStore(url), {
    sessions,
    isMixed,
    webhookUrl: `${bench.receiver.url}/webhooks`,
    onSession: writing.add,
  });
  await vacuumed(url);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`   (${sessions.toLocaleString('en')} sessions were made on PostgreSQL in ${seconds} s)`);
  return { url, server, ids: writing.end() };
}

/** As the server does by itself within minutes: without it, no index alone tells what is visible. */
async function vacuumed(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  await sql.unsafe('VACUUM (ANALYZE)');
  await sql.end();
}

/** Databases by how they are filled, each filled once. */
const known = new WeakMap<Bench, Map<string, Promise<Filled>>>();

/** Very many sessions are of every status, as those on SQLite. */
function shared(bench: Bench, sessions = SESSIONS, isMixed = false): Promise<Filled> {
  const all = known.get(bench) ?? new Map<string, Promise<Filled>>();
  const name = `${sessions} ${isMixed}`;
  const filled = all.get(name) ?? filledDatabase(bench, sessions, isMixed);
  known.set(bench, all.set(name, filled));
  return filled;
}

async function newDatabase(url: string, name: string): Promise<string> {
  const sql = postgres(url, { max: 1 });
  await sql.unsafe(`CREATE DATABASE ${name}`);
  await sql.end();
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

/** Fetches, against the driver alone in a process of its own, and against the driver behind HTTP: as many processes as here. */
async function fetches(bench: Bench): Promise<Measured> {
  const { url, server, ids } = await shared(bench);
  const request = fetchOf(newest(ids, HOT_SESSIONS));
  await using service = await startService({ DATABASE_URL: url });
  await using driver = await startDriver(url, (await sampleOf(service.url, request)).body.length);
  const withPostgres = { service: 0, driver: 0 };
  const counted =
    (name: keyof typeof withPostgres, side: Side): Side =>
    async (seconds) => {
      const before = cpuUsOfPostgres(server.directory);
      const slice = await side(seconds);
      withPostgres[name] = (cpuUsOfPostgres(server.directory) - before) / slice.answered;
      return slice;
    };
  const slices = await inTurn({
    service: counted('service', requestsTo(bench.generator, [service], request)),
    driver: counted('driver', driver.alone(newest(ids, HOT_SESSIONS))),
    http: requestsTo(bench.generator, [driver], request),
  });
  return {
    figures: {
      ratio: rounded(rateOf(slices.service) / rateOf(slices.driver)),
      http_ratio: rounded(rateOf(slices.service) / rateOf(slices.http)),
      cpu_ratio: rounded(cpuUsOfEach(slices.driver) / cpuUsOfEach(slices.service)),
      http_cpu_ratio: rounded(cpuUsOfEach(slices.http) / cpuUsOfEach(slices.service)),
      ...sideFigures('service', slices.service),
      service_postgres_cpu_us: rounded(withPostgres.service),
      ...sideFigures('driver', slices.driver),
      driver_postgres_cpu_us: rounded(withPostgres.driver),
      ...sideFigures('http', slices.http),
    },
  };
}

async function startDriver(url: string, answerBytes: number) {
  const child = fork(join(import.meta.dirname, '../driver.ts'), [url, String(answerBytes)]);
  const ended = once(child, 'exit');
  const [{ url: address }] = (await once(child, 'message')) as [{ url: string }];
  const alone =
    (subjects: Subjects): Side =>
    async (seconds) => {
      const job: DriverJob = { seconds, subjects, underWay: CONNECTIONS };
      child.send(job);
      const [result] = (await once(child, 'message')) as [DriverResult | { error: string }];
      if ('error' in result) throw new Error(result.error);
      const { answered, cpuUs } = result;
      const perSecond = answered / result.seconds;
      return { answered, seconds: result.seconds, perSecond, serverCpuUs: cpuUs, cpuUs: 0, answerBytes: 0 };
    };
  return {
    url: address,
    pid: child.pid ?? 0,
    alone,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await ended;
    },
  };
}

/** Changes, against the same service with a transaction for each. */
async function changes(bench: Bench, kind: 'update' | 'create'): Promise<Measured> {
  const { url, ids } = await shared(bench);
  const request =
    kind === 'update' ? updateOf(newest(ids, HOT_SESSIONS)) : create(`${bench.receiver.url}/webhooks`);
  await using service = await startService({ DATABASE_URL: url });
  await using oneByOne = await startService({ DATABASE_URL: url }, 'one-by-one.ts');
  const [ours, theirs] = [service, oneByOne].map((each) =>
    requestsTo(bench.generator, [each], request, { connections: FEW_CONNECTIONS }),
  ) as [Side, Side];
  return { figures: await pair(ours, theirs) };
}

async function twoInstances(bench: Bench): Promise<Measured> {
  const { url, ids } = await shared(bench);
  const hot = newest(ids, HOT_SESSIONS);
  await using one = await startService({ DATABASE_URL: url });
  await using other = await startService({ DATABASE_URL: url });
  const figures: Record<string, number> = {};
  for (const [name, request] of Object.entries({ update: updateOf(hot), fetch: fetchOf(hot) })) {
    const slices = await inTurn({
      one: requestsTo(bench.generator, [one], request),
      two: requestsTo(bench.generator, [one, other], request),
    });
    figures[`${name}_ratio`] = rounded(rateOf(slices.two) / rateOf(slices.one));
    Object.assign(figures, sideFigures(`${name}_one`, slices.one), sideFigures(`${name}_two`, slices.two));
  }
  return { figures };
}

/** Very many sessions, and the cookie of an owner who may see them. */
async function forOwner(bench: Bench): Promise<Filled & { readonly cookie: string }> {
  const filled = await shared(bench, bench.many, true);
  const store = await openPostgresStore(filled.url);
  const cookie = await signIn(store);
  await store.close();
  return { ...filled, cookie };
}

/** Every screen of the dashboard. */
async function screens(bench: Bench): Promise<Measured> {
  const { url, ids, cookie } = await forOwner(bench);
  await using service = await startService({ DATABASE_URL: url });
  return await screensTimed(bench, service.url, subjectAt(ids, ids.count / 2), cookie);
}

async function exported(bench: Bench): Promise<Measured> {
  const { cookie, ...filled } = await forOwner(bench);
  return await exportTimed(bench, filled, cookie);
}

/** Measures a service over many sessions, and names one in the middle. */
const overMany = (measure: typeof surveyOf) => async (bench: Bench) => {
  const { url, ids } = await shared(bench, bench.many, true);
  await using service = await startService({ DATABASE_URL: url });
  return await measure(bench, service.url, subjectAt(ids, ids.count / 2));
};

export const postgresRows: readonly Row[] = [
  {
    name: 'postgres-fetch',
    title:
      'Fetch (PostgreSQL), against the driver alone doing the same select, and the driver behind bare `node:http`',
    reach: { ratio: { atLeast: 0.4 } },
    aim: { ratio: { atLeast: 0.55 } },
    run: fetches,
  },
  {
    name: 'postgres-update',
    title: 'Update with items (PostgreSQL), against one transaction for each request',
    reach: { ratio: { atLeast: 2 } },
    aim: { ratio: { atLeast: 3.5 } },
    run: (bench) => changes(bench, 'update'),
  },
  {
    name: 'postgres-create',
    title: 'Create, likewise (PostgreSQL)',
    reach: { ratio: { atLeast: 2 } },
    aim: { ratio: { atLeast: 3.5 } },
    run: (bench) => changes(bench, 'create'),
  },
  {
    name: 'postgres-two',
    title: 'Two instances over one, on the same two cores (PostgreSQL)',
    reach: { update_ratio: { atLeast: 1 }, fetch_ratio: { atLeast: 1 } },
    aim: {},
    run: twoInstances,
  },
  {
    name: 'postgres-deliveries',
    title: 'Webhooks to a receiver on this machine, and updates of the API beside them (PostgreSQL)',
    reach: { alone_per_second: { atLeast: 1500 } },
    aim: { alone_per_second: { atLeast: 3000 } },
    run: (bench) =>
      deliveriesPerSecond(bench, async (filling) => {
        const url = await newDatabase((await bench.postgres()).url, 'deliveries');
        await fillDatabase(await openPostgresStore(url), filling);
        return url;
      }),
  },
  {
    name: 'postgres-lists',
    title: 'Any list filter, any pair of them, searches with any filter, 1 M sessions (PostgreSQL)',
    reach: listsReach,
    aim: { slowest_p95_ms: { atMost: 15 } },
    isLong: true,
    run: overMany(surveyOf),
  },
  {
    name: 'postgres-money',
    title: 'Totals and movements of money, 1 M sessions, of which 180,000 are paid (PostgreSQL)',
    ...moneyGoals,
    isLong: true,
    run: overMany(moneyOf),
  },
  {
    name: 'postgres-dashboard',
    title: 'Every screen of the dashboard, 1 M sessions (PostgreSQL)',
    ...moneyGoals,
    isLong: true,
    run: screens,
  },
  {
    name: 'postgres-export',
    title:
      'Export of 1 M sessions as CSV: memory beside that of lists, and p99 of fetches beside it over that without (PostgreSQL)',
    reach: exportReach,
    aim: {},
    isLong: true,
    run: exported,
  },
];
