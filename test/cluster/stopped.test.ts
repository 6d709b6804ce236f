/**
 * One of two processes on PostgreSQL stands still for longer than its leases, and goes on as if nothing had been: as one
 * whose machine was suspended. Its clients turn to the other process. No money is booked twice, nothing that is due is
 * missed, and nothing comes twice but what it had in its hands.
 *
 * OPENTILL_SEED repeats who stands still and the requests of a run.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, createLoad, type Request } from '../crash/load.ts';
import { checkLedger, checkReplay, checkSessions } from '../crash/memory.ts';
import { randomFrom } from '../crash/random.ts';
import { evidence } from '../support/evidence.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { authorization, checkBooks, keptIn, openTables, startInstance } from './cluster.ts';
import { startWorkReceiver } from './work-receiver.ts';

const stops = scaled(1);
const CLIENTS = 8;
/** A lease of half a minute takes one second, and one of a minute two. */
const SPEED = 30;
const LEASE_MS = 30_000 / SPEED;
const LONGEST_LEASE_MS = 60_000 / SPEED;
/** Time from the claim, at which a lease begins, to the arrival at the receiver. */
const UNDER_WAY_MS = LEASE_MS / 2;
/** Time after which a client asks the other process, while the first one may still answer. */
const PATIENCE_MS = 500;
const GIVE_UP_MS = 30_000;

const program = join(import.meta.dirname, 'quick-service.ts');

test(`of two processes one stands still ${stops} times, past its leases`, {
  timeout: 60_000 + stops * 20_000,
}, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const database = await migratedDatabase(t);
  const receiver = await startWorkReceiver(t, () => random.between(20, 200));
  const clock = {
    CLOCK_START: String(Date.now()),
    CLOCK_SINCE: String(Date.now()),
    CLOCK_SPEED: String(SPEED),
  };
  const first = await startInstance(t, database, clock, { program });
  const processes = [first, await startInstance(t, database, clock, { program })];
  const load = createLoad(random, authorization, receiver.url);
  const figures = { asked_elsewhere: 0, late_answers: 0, request_ms: 0 };

  /** Sends a request and counts successful answers that come after the client has stopped waiting. */
  async function attempt(url: string, request: Request): Promise<Answer | null> {
    let isLate = false;
    const answering = load.send(url, request).then((answer) => {
      if (isLate && answer !== null && answer.status < 300) figures.late_answers++;
      return answer;
    });
    const answer = await Promise.race([answering, pause(PATIENCE_MS, null)]);
    isLate = answer === null;
    return answer;
  }
  async function insist(request: Request): Promise<void> {
    const from = performance.now();
    for (let turn = random.between(0, 1); ; turn++) {
      const answer = await attempt(processes[turn % 2]?.url ?? '', request);
      if (answer !== null && answer.status !== 503) {
        load.acknowledge(request, answer);
        figures.request_ms = Math.max(figures.request_ms, Math.round(performance.now() - from));
        return;
      }
      figures.asked_elsewhere++;
      assert.ok(performance.now() - from < GIVE_UP_MS, `${request.kind} had no answer`);
      await pause(20);
    }
  }
  let going = true;
  const client = async () => {
    while (going) {
      await insist(load.nextRequest());
      await pause(10);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));

  const resumedAtMs: number[] = [];
  for (let round = 0; round < stops; round++) {
    await Promise.race([pause(random.between(100, 1_000)), clients]);
    const victim = random.pick(processes);
    victim.signal('SIGSTOP');
    await Promise.race([pause(LONGEST_LEASE_MS + random.between(100, 1_500)), clients]);
    resumedAtMs.push(performance.now());
    victim.signal('SIGCONT');
  }
  await pause(500);
  going = false;
  await clients;
  for (const each of processes) each.checkAlive();

  const sql = openTables(t, database);
  for (const from = performance.now(); ; await pause(50)) {
    const [row] = await sql<
      Array<{ left: number }>
    >`SELECT count(*) AS left FROM delivery WHERE state = 'pending'`;
    if (row?.left === 0) break;
    assert.ok(performance.now() - from < GIVE_UP_MS, `${row?.left} deliveries are left`);
  }
  await checkBooks(database);
  checkLedger(load, await keptIn(sql), []);
  for (const { url } of processes) await checkSessions(load, url);
  for (let i = 0; i < 50; i++)
    await checkReplay(load, processes[i % 2]?.url ?? '', random.pick(load.requests));
  const delivered = await sql<Array<{ id: string }>>`SELECT event AS id FROM delivery`;
  assert.deepEqual([...receiver.arrivals.keys()].sort(), delivered.map(({ id }) => id).sort());

  const failed = await sql<Array<{ event: string }>>`
    SELECT event FROM delivery
    JOIN delivery_attempt AS attempt
      ON attempt.account = delivery.account AND attempt.live = delivery.live AND attempt.delivery = delivery.id
    WHERE attempt.error IS NOT NULL`;
  const twice = checkArrivals(receiver.arrivals, new Set(failed.map(({ event }) => event)), resumedAtMs);
  const acknowledged = load.requests.filter(({ answer }) => (answer?.status ?? 0) < 300).length;
  evidence(t, 'stopped', {
    stops,
    acknowledged_changes: acknowledged,
    deliveries: delivered.length,
    deliveries_that_came_twice: twice,
    ...figures,
  });
});

/**
 * Deliveries of a session arrive in order. A repetition comes after a lease, because its sender saw it fail,
 * or because its sender was resumed: a sender stopped between its look at the lease and the sending cannot
 * look again. Returns the number of repetitions.
 */
function checkArrivals(
  arrivals: Awaited<ReturnType<typeof startWorkReceiver>>['arrivals'],
  failed: ReadonlySet<string>,
  resumedAtMs: readonly number[],
): number {
  const isResumed = (ms: number) => resumedAtMs.some((from) => ms >= from && ms - from < UNDER_WAY_MS);
  const last = new Map<string, number>();
  let repetitions = 0;
  for (const [id, times] of arrivals) {
    const [{ session, sequence }] = times as [(typeof times)[number]];
    assert.ok(sequence > (last.get(session) ?? 0), `${id} of ${session} came out of order`);
    last.set(session, sequence);
    repetitions += times.length - 1;
    for (const [index, { atMs }] of times.slice(1).entries()) {
      const beforeMs = times[index]?.atMs ?? 0;
      const afterMs = atMs - beforeMs;
      const isExplained = failed.has(id) || isResumed(beforeMs) || isResumed(atMs);
      assert.ok(isExplained || afterMs > LEASE_MS - UNDER_WAY_MS, `${id} came again after ${afterMs} ms`);
    }
  }
  return repetitions;
}
