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
import { checkRound, type Shop, type Stage, settle, startStage } from './load.ts';
import { portOf, processesOf, readiness, rounds, TIMEOUT, untilReady } from './nodes.ts';

/** Time for which a worker is away. */
const AWAY_MS = 8_000;
/** Time after which nobody waits for a worker that is away. */
const NOTICED_WITHIN_MS = 4_000;

const quantile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

/** Processes that have ended meanwhile, as connections do, need no signal. */
function signalAll(processes: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of processes) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** The accounts that do not live on a worker. */
async function elsewhere({ sql, shops }: Stage, lost: number): Promise<readonly Shop[]> {
  const ports = await Promise.all(shops.map((shop) => portOf(sql, shop.account)));
  const living = shops.filter((_, index) => ports[index] !== lost);
  assert.ok(living.length > 0 && living.length < shops.length, 'accounts are on both workers');
  return living;
}

const putOff = (shops: readonly Shop[]): number => shops.reduce((sum, shop) => sum + shop.putOff(), 0);

/** Watches accounts on other workers from the moment a worker goes away until it is back. */
async function watchLiving(stage: Stage, living: readonly Shop[], takeAway: () => void) {
  for (const shop of living) shop.beginTimes();
  const before = putOff(living);
  takeAway();
  await pause(NOTICED_WITHIN_MS);
  const share = living.length / stage.shops.length;
  assert.deepEqual(await readiness(stage), { status: 'partly', accounts_served: share });
  const noticed = putOff(living);
  await pause(AWAY_MS - NOTICED_WITHIN_MS);
  assert.equal(putOff(living), noticed, 'nobody elsewhere is put off once it is known who is away');
  for (const shop of living) assert.ok(shop.times().length > 0, `account ${shop.account} is served`);
  const times = living.flatMap((shop) => shop.times()).sort((a, b) => a - b);
  return { p99Ms: quantile(times, 0.99), served: times.length, putOff: noticed - before };
}

for (const how of ['killed', 'frozen'] as const)
  test(`a worker is ${how}, and comes back`, TIMEOUT, async (t) => {
    const stage = await startStage(t);
    const name = new URL(stage.url).pathname.slice(1);
    const urls = workers().map((worker) => addressOf(worker, name));
    const figures = { living_p99_ms: 0, served_elsewhere: 0, put_off_elsewhere: 0 };
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await checkRound(stage);
      const url = urls[round % urls.length] as string;
      const living = await elsewhere(stage, Number(new URL(url).port));
      const processes = await processesOf(t, url);
      const [first] = processes;
      try {
        const seen = await watchLiving(stage, living, () => {
          if (how === 'killed') process.kill(first, 'SIGKILL');
          else signalAll(processes, 'SIGSTOP');
        });
        figures.living_p99_ms = Math.max(figures.living_p99_ms, seen.p99Ms);
        figures.served_elsewhere += seen.served;
        figures.put_off_elsewhere += seen.putOff;
      } finally {
        if (how === 'frozen') signalAll(processes, 'SIGCONT');
      }
      await untilReady(stage);
      for (const shop of stage.shops) await shop.goesOn();
    }
    evidence(t, 'citus-workers', { rounds, ...figures, ...(await settle(stage)) });
  });
