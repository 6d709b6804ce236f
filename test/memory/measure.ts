/**
 * Measures, in a thread of its own, how many bytes each run of some work leaves among V8's old objects, although nobody
 * holds them any more: the test runner itself keeps every promise of its tests for a while.
 */
import { Readable } from 'node:stream';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import Fastify from 'fastify';
import { dispatch } from '../../src/http/dispatch.ts';
import { GeneratedReadable } from '../../src/lib/generated-readable.ts';
import { openInstance } from '../../src/store/postgres/connection.ts';
import { createPool } from '../../src/store/postgres/pool.ts';
import { readRows, waiting } from '../../src/store/postgres/run.ts';
import { sql } from '../../src/store/sql.ts';

/** What is measured, in bytes of each run. */
export type Left = {
  /** A request of the service to itself, and the same by the function of Fastify that is for tests. */
  readonly dispatched: number;
  readonly injected: number;
  readonly generated: number;
  readonly readableFrom: number;
  /** A query with 10,000 bytes of values, all of which come back as rows. */
  readonly query: number;
  /** A statement with 5,000 bytes of values in a transaction. */
  readonly statement: number;
};

const RUNS = 400;

setFlagsFromString('--expose-gc');
const collect: (how: { readonly type: 'minor' | 'major' }) => void = runInNewContext('gc');

const oldBytes = (): number =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name === 'old_space' || space_name === 'large_object_space')
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);

async function leftBy(work: () => Promise<unknown>): Promise<number> {
  const repeat = async () => {
    for (let count = 0; count < RUNS; count++) {
      await work();
      // What still lives when the young are collected for the second time becomes old.
      if (count % 10 === 0) collect({ type: 'minor' });
    }
  };
  // Until the code is compiled, and caches are full.
  await repeat();
  collect({ type: 'major' });
  const before = oldBytes();
  await repeat();
  return (oldBytes() - before) / RUNS;
}

const app = Fastify();
app.get('/', ({ ip }) => ({ ip }));
await app.ready();

async function* pieces() {
  yield 'one';
  yield 'two';
}

async function read(stream: Readable): Promise<void> {
  for await (const _ of stream);
}

const { url } = workerData as { readonly url: string };
const instance = openInstance(url, 'memory', {});
const pool = createPool(url, { commitsAtOnce: 1, serve: false, onBroken: () => {} });
let count = 0;
/** Another text each time: one that is always the same is in memory anyway. */
const text = () => `${'x'.repeat(5_000)}${count++}`;

const transactionOf = (statements: number) => () =>
  pool.transaction(null, ({ sql: on, commit }) =>
    commit(Array.from({ length: statements }, () => waiting(on, sql`SELECT length(${text()}::text)`))),
  );

const left: Left = {
  dispatched: await leftBy(() => dispatch(app, { method: 'GET', url: '/' })),
  injected: await leftBy(() => app.inject({ method: 'GET', url: '/' }).then()),
  generated: await leftBy(() => read(new GeneratedReadable(pieces()))),
  readableFrom: await leftBy(() => read(Readable.from(pieces()))),
  query: await leftBy(() => readRows(instance, sql`SELECT ${text()}::text AS one, ${text()}::text AS other`)),
  statement: ((await leftBy(transactionOf(6))) - (await leftBy(transactionOf(2)))) / 4,
};
await pool.close();
await instance.end();
parentPort?.postMessage(left);
