/**
 * Workers that are killed or frozen while accounts on all nodes are under load. What was acknowledged is there, once;
 * accounts elsewhere go on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { workers } from '../support/citus.ts';
import { evidence } from '../support/evidence.ts';
import { addressOf } from '../support/postgres.ts';
import { type Shop, type Stage, settle, startStage } from './load.ts';
import { portOf, processesOf, readiness, rounds, TIMEOUT, untilReady } from './nodes.ts';

/** How long a worker is away. */
const AWAY_MS = 8_000;
/** Time after which nobody waits for a worker that is away. */
const NOTICED_WITHIN_MS = 4_000;
const MOST_MS = 2_000;

const quantile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

/** Those that have ended meanwhile, as connections do, need no signal. */
function signalAll(processes: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of processes) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** What those who live elsewhere see while a worker is away. */
async function watchLiving(stage: Stage, lost: number): Promise<{ living_p99_ms: number; served: number }> {
  const away = await Promise.all(
    stage.shops.map(async (shop) => ((await portOf(stage.sql, shop.account)) === lost ? shop : null)),
  );
  const living = stage.shops.filter((shop) => !away.includes(shop));
  assert.ok(living.length > 0 && living.length < stage.shops.length, 'accounts are on both workers');
  await pause(NOTICED_WITHIN_MS);
  for (const shop of living) shop.beginTimes();
  const before = new Map<Shop, number>(living.map((shop) => [shop, shop.figures.unavailable]));
  const share = living.length / stage.shops.length;
  assert.deepEqual(await readiness(stage), { status: 'partly', accounts_served: share });
  await pause(AWAY_MS - NOTICED_WITHIN_MS);
  const times = living.flatMap((shop) => shop.times()).sort((a, b) => a - b);
  for (const shop of living) {
    assert.ok(shop.times().length > 0, `account ${shop.account} is served`);
    assert.equal(shop.figures.unavailable, before.get(shop), `account ${shop.account} is never put off`);
  }
  const p99 = quantile(times, 0.99);
  assert.ok(p99 <= MOST_MS, `${p99} ms`);
  return { living_p99_ms: p99, served: times.length };
}

for (const how of ['killed', 'frozen'] as const)
  test(`a worker is ${how}, and comes back`, TIMEOUT, async (t) => {
    const stage = await startStage(t);
    const url = addressOf(workers()[0] as string, new URL(stage.url).pathname.slice(1));
    const lost = Number(new URL(url).port);
    let worst = 0;
    let served = 0;
    for (let round = 0; round < rounds; round++) {
      const processes = await processesOf(t, url);
      const [first] = processes;
      try {
        if (how === 'killed') process.kill(first, 'SIGKILL');
        else signalAll(processes, 'SIGSTOP');
        const seen = await watchLiving(stage, lost);
        worst = Math.max(worst, seen.living_p99_ms);
        served += seen.served;
      } finally {
        if (how === 'frozen') signalAll(processes, 'SIGCONT');
      }
      await untilReady(stage);
      for (const shop of stage.shops) await shop.goesOn();
    }
    const figures = await settle(stage);
    evidence(t, 'citus-workers', { rounds, served_elsewhere: served, living_p99_ms: worst, ...figures });
  });
