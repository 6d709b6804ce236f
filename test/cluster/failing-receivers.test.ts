/**
 * Receivers fail for three deliveries of ten, and a process is killed again and again while sessions are made and
 * changed: every event arrives at everybody who wants it, those of a session in their order, and hardly any twice.
 *
 * OPENTILL_SEED repeats the victims and the failures.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { randomFrom } from '../crash/random.ts';
import { evidence } from '../support/evidence.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { freshDirectory } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { authorization, type Instance, startInstance } from './cluster.ts';
import { startFlakyReceiver } from './flaky-receiver.ts';

const events = scaled(400);
const EVENTS_OF_A_SESSION = 5;
const FAILING = 0.3;
/** Changes between two kills: two seconds of them, or as long as a machine with other work takes. */
const KILL_EVERY = 600;
/** Changes a second, so that they go on while processes are killed. */
const RATE = 300;
const CLIENTS = 16;
/** Between two attempts. */
const LONGEST_WAIT_SECONDS = 24 * 3600;
/** Waits between attempts, and leases, are so much shorter. */
const SPEED = 10;

/** Deliveries that a process has under way to both receivers at most. */
const UNDER_WAY = 2 * 64;

const program = join(import.meta.dirname, 'quick-service.ts');

suite(`${events} events to receivers that fail while processes are killed`, () => {
  const timeout = 120_000 + 100 * events;

  test('of one process on SQLite', { timeout }, async (t) => {
    await deliverAll(t, `sqlite:${join(freshDirectory(t), 'test.db')}`, 1);
  });

  test('of two processes on PostgreSQL', { timeout }, async (t) => {
    await deliverAll(t, await migratedDatabase(t), 2);
  });
});

async function deliverAll(t: TestContext, database: string, count: number): Promise<void> {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const receiver = await startFlakyReceiver(t, random, FAILING);
  const now = String(Date.now());
  const clock = { CLOCK_START: now, CLOCK_SINCE: now, CLOCK_SPEED: String(SPEED) };
  const instances: Instance[] = [];
  for (let i = 0; i < count; i++) instances.push(await startInstance(t, database, clock, { program }));

  await ask(instances, 'POST', '/v3/webhook_endpoint', { url: `${receiver.url}/endpoint` }, 'endpoint');
  let kills = 0;
  let killing = Promise.resolve();
  /** Kills one of the processes, and starts it again. */
  const kill = async () => {
    kills += 1;
    const victim = random.pick(instances);
    await victim.kill();
    await victim.start();
  };
  const startedAt = performance.now();
  const sessions = await makeEvents(instances, `${receiver.url}/named`, (changes) => {
    if (changes % KILL_EVERY === KILL_EVERY / 2) killing = killing.then(kill);
  });
  await killing;
  const expected = sessions.length * EVENTS_OF_A_SESSION;
  await untilAccepted(instances, receiver.accepted, expected);
  for (const each of instances) each.checkAlive();

  let doubled = 0;
  for (const path of ['/named', '/endpoint']) {
    const accepted = receiver.accepted.get(path) ?? [];
    doubled += accepted.length - expected;
    const last = new Map<string, number>();
    const seen = new Set<string>();
    for (const { id, session, sequence } of accepted) {
      if (seen.has(id)) continue;
      seen.add(id);
      assert.equal(
        sequence,
        (last.get(session) ?? 0) + 1,
        `${id} of ${session} came out of order at ${path}`,
      );
      last.set(session, sequence);
    }
    assert.equal(seen.size, expected, `all have arrived at ${path}`);
    assert.deepEqual([...last.keys()].sort(), sessions.toSorted());
  }
  evidence(t, 'failing-receivers', {
    events: expected,
    deliveries: 2 * expected,
    answers_that_failed: receiver.refused(),
    kills,
    deliveries_that_came_twice: doubled,
    twice_ratio: Number((doubled / (2 * expected)).toFixed(4)),
    took_ms: Math.round(performance.now() - startedAt),
  });
  // The number of repeated deliveries among those under way depends on the machine.
  assert.ok(doubled <= kills * UNDER_WAY, `${doubled} of ${2 * expected} came twice, after ${kills} kills`);
}

/** Sessions with so many events each, one after the other in a session, as many clients at once. */
async function makeEvents(
  instances: readonly Instance[],
  webhookUrl: string,
  onChange: (changes: number) => void,
): Promise<string[]> {
  const sessions: string[] = [];
  const startedAt = performance.now();
  let asked = 0;
  const inTime = async () => {
    const dueMs = startedAt + (asked++ * 1000) / RATE - performance.now();
    if (dueMs > 0) await pause(dueMs);
  };
  let changes = 0;
  let left = Math.ceil(events / EVENTS_OF_A_SESSION);
  const client = async () => {
    while (left > 0) {
      const number = left--;
      await inTime();
      const order = { invoice_currency: 'EUR', amount: 2500, webhook_url: webhookUrl };
      const id = await ask(instances, 'POST', '/v3/checkout', order, `create-${number}`);
      sessions.push(id);
      onChange(++changes);
      for (let change = 1; change < EVENTS_OF_A_SESSION; change++) {
        await inTime();
        const body = { metadata: { change } };
        await ask(instances, 'PUT', `/v3/checkout/${id}`, body, `change-${number}-${change}`);
        onChange(++changes);
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return sessions;
}

let turn = 0;

/** Asks one process after the other until there is an answer, always with the same key; resolves with the id in it. */
async function ask(
  instances: readonly Instance[],
  method: 'POST' | 'PUT',
  path: string,
  body: object,
  key: string,
): Promise<string> {
  for (;;) {
    const { url } = instances[turn++ % instances.length] as Instance;
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': key };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) }).catch(
      () => null,
    );
    if (response === null || response.status === 503) {
      await response?.body?.cancel();
      await pause(50);
      continue;
    }
    const text = await response.text().catch(() => '');
    if (text === '') continue;
    assert.ok(response.ok, text);
    return JSON.parse(text).data.id;
  }
}

/** Resolves when both paths have had so many different events; the waits of those that failed often are passed over. */
async function untilAccepted(
  instances: readonly Instance[],
  accepted: ReadonlyMap<string, ReadonlyArray<{ readonly id: string }>>,
  expected: number,
): Promise<void> {
  const missing = (path: string) => expected - new Set((accepted.get(path) ?? []).map(({ id }) => id)).size;
  for (let round = 0; missing('/named') > 0 || missing('/endpoint') > 0; round++) {
    await pause(1000);
    const path = '/v3/test_helpers/clock/advance';
    await ask(instances, 'POST', path, { seconds: LONGEST_WAIT_SECONDS }, `advance-${round}`);
  }
}
