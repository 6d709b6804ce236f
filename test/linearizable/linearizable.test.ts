/**
 * Single sessions are linearizable: whatever several clients ask of one at once, each request happens at one moment
 * between its call and its answer, while processes are killed and frozen, and answers of the database are lost.
 *
 * OPENTILL_SEED repeats the requests and the faults of a run.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  authorization,
  checkBooks,
  type Instance,
  startInstance,
  startInstances,
} from '../cluster/cluster.ts';
import { startProxy } from '../cluster/proxy.ts';
import { openBooks } from '../crash/books.ts';
import { randomFrom } from '../crash/random.ts';
import { evidence } from '../support/evidence.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshDirectory } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { checkHistory } from './checker.ts';
import { history, type Line } from './clients.ts';
import { sessionModel } from './session-model.ts';
import { startWire } from './wire.ts';

const sessions = scaled(12, 8);
/** The least number of faults; sessions are made until it is reached. */
const leastFaults = scaled(2);
/** Sessions that are worked on at the same time. */
const PARALLEL = 8;
const TIMEOUT = { timeout: 180_000 + 500 * sessions + 5_000 * leastFaults };
const AMOUNT = 1000;

type Fault = () => Promise<void>;

/** Works on sessions while faults come one after the other, and checks each history. */
async function campaign(t: TestContext, urls: readonly string[], faults: readonly Fault[]): Promise<void> {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const counts = { sessions: 0, operations: 0, open_ended: 0, faults: 0 };
  let left = sessions;
  const runner = async () => {
    while (left-- > 0 || counts.faults < leastFaults) {
      const lines = await history({ authorization, urls }, random, AMOUNT);
      const { isLinearizable, longest } = checkHistory(sessionModel(AMOUNT), lines);
      assert.ok(isLinearizable, `no order explains this history (seed ${seed}):\n${printed(lines, longest)}`);
      counts.sessions++;
      counts.operations += lines.length;
      counts.open_ended += lines.filter(({ output }) => output === null).length;
    }
  };
  let isOver = false;
  const working = Promise.all(Array.from({ length: PARALLEL }, runner)).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await Promise.race([working, pause(random.between(50, 500))]);
    if (isOver) break;
    await random.pick(faults)();
    counts.faults++;
  }
  await working;
  evidence(t, 'linearizable', counts);
  assert.ok(counts.operations > 10 * sessions && counts.open_ended > 0);
}

function printed(lines: readonly Line[], longest: readonly number[]): string {
  const place = new Map(longest.map((index, at) => [index, at]));
  const start = Math.min(...lines.map(({ calledAt }) => calledAt));
  return [...lines.entries()]
    .sort(([, one], [, other]) => one.calledAt - other.calledAt)
    .map(([index, { calledAt, answeredAt, input, output }]) => {
      const times = `${(calledAt - start).toFixed(1)}–${(answeredAt - start).toFixed(1)} ms`;
      return `${place.get(index) ?? 'never'}: ${times} ${JSON.stringify(input)} → ${JSON.stringify(output)}`;
    })
    .join('\n');
}

/** kill -9, and a start after a moment. */
async function killed(instance: Instance): Promise<void> {
  await instance.kill();
  await instance.start();
}

/** Stops a process for a while; it goes on as if nothing had been. */
async function frozen(instance: Instance): Promise<void> {
  instance.signal('SIGSTOP');
  await pause(200);
  instance.signal('SIGCONT');
}

test(`${sessions} sessions of a service on SQLite that is killed and frozen`, TIMEOUT, async (t) => {
  const path = join(freshDirectory(t), 'linearizable.db');
  const instance = await startInstance(t, `sqlite:${path}`);
  await campaign(t, [instance.url], [() => killed(instance), () => frozen(instance)]);
  await instance.kill();
  const books = openBooks(path);
  await books.check();
  books.close();
});

test(`${sessions} sessions of two instances on PostgreSQL`, TIMEOUT, async (t) => {
  const database = await freshDatabase(t);
  const wire = await startWire(t, database);
  const instances = await startInstances(t, wire.url, 2);
  const proxy = await startProxy(
    t,
    instances.map(({ port }) => port),
  );
  const urls = [proxy.url, ...instances.map(({ url }) => url)];
  const each = instances.flatMap((instance) => [() => killed(instance), () => frozen(instance)]);
  await campaign(t, urls, [...each, wire.cut, wire.cut]);
  await checkBooks(database);
});
