/**
 * Four processes share what is due, and one of them is killed each second: nothing is missed, nobody takes what another
 * one has, and only what a killed process had in its hands is done again, once its lease has run out.
 *
 * OPENTILL_SEED repeats which one it is.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from 'postgres';
import { randomFrom } from '../crash/random.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { authorization, checkBooks, openTables, startInstance } from './cluster.ts';
import { startWorkReceiver } from './work-receiver.ts';

const jobs = scaled(400);
const kills = scaled(1);
const PROCESSES = 4;
/** Each session is to expire, and has events of three deliveries. */
const JOBS_OF_A_SESSION = 4;
/** A lease of half a minute takes three seconds. */
const SPEED = 10;
const LEASE_MS = 30_000 / SPEED;
/** Time from the claim, at which a lease begins, to the arrival at the receiver. */
const UNDER_WAY_MS = 1_500;
const HOUR = 3_600_000;

const program = join(import.meta.dirname, 'quick-service.ts');

test(`${jobs} jobs of ${PROCESSES} processes, of which one is killed ${kills} times`, {
  timeout: 60_000 + 20 * jobs + 5_000 * kills,
}, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const database = await migratedDatabase(t);
  const receiver = await startWorkReceiver(t, () => random.between(50, 400));
  const dueAt = Date.now() + HOUR;
  const sessions = await makeSessions(t, database, receiver.url, dueAt);

  // The processes' clock starts when everything is due.
  const clock = { CLOCK_START: String(dueAt), CLOCK_SINCE: String(Date.now()), CLOCK_SPEED: String(SPEED) };
  const processes = await Promise.all(
    Array.from({ length: PROCESSES }, () => startInstance(t, database, clock, { program })),
  );
  const sql = openTables(t, database);
  for (let round = 0; round < kills; round++) {
    await pause(1_000);
    const victim = random.pick(processes);
    await victim.kill();
    await victim.start();
  }
  const leftMs = await untilDone(sql);
  for (const each of processes) each.checkAlive();

  await checkBooks(database);
  await checkEvents(sql, sessions);
  assert.deepEqual(receiver.mistakes, [], 'of one session only one delivery is out at a time');
  const repetitions = await checkArrivals(sql, receiver.arrivals);
  t.diagnostic(
    `${sessions.length} sessions expired, ${receiver.arrivals.size} deliveries; ${repetitions} came twice; ` +
      `everything was done ${leftMs.toFixed(0)} ms after the last start`,
  );
});

/** Sessions that expire together, made by a process that delivers nothing and is gone before. */
async function makeSessions(
  t: TestContext,
  database: string,
  webhookUrl: string,
  expiresAt: number,
): Promise<string[]> {
  const maker = await startInstance(t, database, { WEBHOOK_CONCURRENCY: '0' });
  const sessions: string[] = [];
  const make = async () => {
    const body = {
      invoice_currency: 'EUR',
      amount: 2500,
      webhook_url: webhookUrl,
      expires_at: new Date(expiresAt).toISOString(),
    };
    const response = await fetch(`${maker.url}/v3/checkout`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.equal(response.status, 201, text);
    sessions.push(JSON.parse(text).data.id);
  };
  let left = Math.ceil(jobs / JOBS_OF_A_SESSION);
  const client = async () => {
    while (left-- > 0) await make();
  };
  await Promise.all(Array.from({ length: 32 }, client));
  await maker.kill();
  return sessions;
}

/** Resolves when nothing is left to do, and says how long that took. */
async function untilDone(sql: Sql<{ bigint: number }>): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const [row] = await sql<Array<{ left: number }>>`
      SELECT (SELECT count(*) FROM timer) + (SELECT count(*) FROM delivery WHERE state = 'pending') AS left`;
    if (row?.left === 0) return performance.now() - startedAt;
    await pause(50);
  }
}

async function checkEvents(sql: Sql<{ bigint: number }>, sessions: readonly string[]): Promise<void> {
  const events = await sql<Array<{ subject: string; types: string[] }>>`
    SELECT subject, array_agg(type ORDER BY sequence) AS types FROM event GROUP BY subject`;
  assert.deepEqual(events.map(({ subject }) => subject).sort(), [...sessions].sort());
  for (const { types } of events) {
    assert.deepEqual(types, ['checkout.created', 'checkout.expired', 'payin.cancelled']);
  }
}

/** Every event has arrived, those of a session in their order; says how many came again after a lease had run out. */
async function checkArrivals(
  sql: Sql<{ bigint: number }>,
  arrivals: Awaited<ReturnType<typeof startWorkReceiver>>['arrivals'],
): Promise<number> {
  const events = await sql<Array<{ id: string }>>`SELECT id FROM event`;
  assert.deepEqual([...arrivals.keys()].sort(), events.map(({ id }) => id).sort());
  const last = new Map<string, number>();
  let repetitions = 0;
  for (const [id, times] of arrivals) {
    const [{ session, sequence }] = times as [(typeof times)[number]];
    assert.equal(sequence, (last.get(session) ?? 0) + 1, `${id} of ${session} came out of order`);
    last.set(session, sequence);
    repetitions += times.length - 1;
    for (const [index, { atMs }] of times.slice(1).entries()) {
      const afterMs = atMs - (times[index]?.atMs ?? 0);
      assert.ok(afterMs > LEASE_MS - UNDER_WAY_MS, `${id} came again after ${afterMs} ms`);
    }
  }
  return repetitions;
}
