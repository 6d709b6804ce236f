/**
 * Shards that move, and workers and a coordinator that go away, while accounts on all nodes are under load. What was
 * acknowledged is there, once; accounts elsewhere go on.
 */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '../../src/store/postgres/connection.ts';
import { openTables } from '../cluster/cluster.ts';
import { workers } from '../support/citus.ts';
import { evidence } from '../support/evidence.ts';
import { addressOf } from '../support/postgres.ts';
import { scaled } from '../support/scale.ts';
import { type Shop, type Stage, settle, startStage } from './load.ts';

const rounds = scaled(1);
const TIMEOUT = { timeout: 60_000 + 120_000 * rounds };
/** How long a worker is away. */
const AWAY_MS = 8_000;
/** Time after which nobody waits for a worker that is away. */
const NOTICED_WITHIN_MS = 4_000;
const MOST_MS = 2_000;

/** The worker of an account, by its port. */
async function portOf(sql: Sql, account: number): Promise<number> {
  const [row] = await sql<Array<{ port: number }>>`
    SELECT nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column('delivery_claim', ${account}::bigint)`;
  return row?.port ?? 0;
}

/** Moves every shard that has accounts to the other worker, and back. */
async function moveAll(sql: Sql, mode: 'block_writes' | 'force_logical'): Promise<number> {
  const ports = workers().map((each) => Number(new URL(each).port));
  let moves = 0;
  for (const round of [1, 2]) {
    const shards = await sql<Array<{ shard: number; port: number }>>`
      SELECT shardid AS shard, nodeport AS port FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
      JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'delivery_claim'::regclass ORDER BY shardid`;
    for (const { shard, port } of shards) {
      const other = ports.find((each) => each !== port) ?? port;
      await sql.unsafe(
        `SELECT citus_move_shard_placement(${shard}, '127.0.0.1', ${port}, '127.0.0.1', ${other}, '${mode}')`,
      );
      moves++;
    }
    await pause(round);
  }
  return moves;
}

/** All processes of a server, the first of which starts the others. */
async function processesOf(t: TestContext, url: string): Promise<number[]> {
  const sql = openTables(t, url);
  const [file] = await sql<
    Array<{ pid: string }>
  >`SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS pid`;
  const others = await sql<
    Array<{ pid: number }>
  >`SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()`;
  await sql.end();
  return [Number(file?.pid), ...others.map(({ pid }) => pid)];
}

const quantile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

type Readiness = { readonly status: string; readonly accounts_served?: number };

async function readiness({ instance }: Stage): Promise<Readiness> {
  return (await (await fetch(`${instance.url}/readyz`)).json()) as Readiness;
}

async function untilReady(stage: Stage): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while ((await readiness(stage)).status !== 'ok') {
    assert.ok(performance.now() < giveUpAt, 'it never became ready again');
    await pause(100);
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

suite('while accounts are under load', () => {
  for (const mode of ['block_writes', 'force_logical'] as const)
    test(`shards move: ${mode}`, TIMEOUT, async (t) => {
      const stage = await startStage(t);
      let moves = 0;
      for (let round = 0; round < rounds; round++) moves += await moveAll(stage.sql, mode);
      for (const shop of stage.shops) await shop.goesOn();
      evidence(t, `citus-move-${mode}`, { moves, ...(await settle(stage)) });
    });

  for (const how of ['killed', 'frozen'] as const)
    test(`a worker is ${how}, and comes back`, TIMEOUT, async (t) => {
      const stage = await startStage(t);
      const url = addressOf(workers()[0] as string, new URL(stage.url).pathname.slice(1));
      const lost = Number(new URL(url).port);
      let worst = 0;
      let served = 0;
      for (let round = 0; round < rounds; round++) {
        const processes = await processesOf(t, url);
        const [first] = processes as [number];
        if (how === 'killed') process.kill(first, 'SIGKILL');
        else for (const pid of processes) process.kill(pid, 'SIGSTOP');
        try {
          const seen = await watchLiving(stage, lost);
          worst = Math.max(worst, seen.living_p99_ms);
          served += seen.served;
        } finally {
          if (how === 'frozen') for (const pid of processes) process.kill(pid, 'SIGCONT');
        }
        await untilReady(stage);
        for (const shop of stage.shops) await shop.goesOn();
      }
      const figures = await settle(stage);
      evidence(t, `citus-${how}`, { rounds, served_elsewhere: served, living_p99_ms: worst, ...figures });
    });

  test('the coordinator is restarted', TIMEOUT, async (t) => {
    const stage = await startStage(t);
    for (let round = 0; round < rounds; round++) {
      const [first] = (await processesOf(t, stage.url)) as [number];
      process.kill(first, 'SIGINT');
      for (const shop of stage.shops) await shop.goesOn();
      await untilReady(stage);
    }
    evidence(t, 'citus-coordinator', { rounds, ...(await settle(stage)) });
  });
});
