/** The campaigns' view of the nodes: how long they go on, who has which shard, processes, and a service that is ready. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '../../src/store/postgres/connection.ts';
import { openTables } from '../cluster/cluster.ts';
import { workers } from '../support/citus.ts';
import { scaled } from '../support/scale.ts';
import type { Stage } from './load.ts';

export const rounds = scaled(1);
export const TIMEOUT = { timeout: 60_000 + 300_000 * rounds };

/** The ways in which Citus moves shards: writes wait, or what is written meanwhile follows by replication. */
export const modes = ['block_writes', 'force_logical'] as const;
export type Mode = (typeof modes)[number];

type Place = { readonly shard: number; readonly port: number };

/** Ports of the workers. */
export const ports = workers().map((each) => Number(new URL(each).port));

/** The shards that others lie beside, and the worker of each by its port. */
export const places = (sql: Sql) =>
  sql<Place[]>`
    SELECT shardid AS shard, nodeport AS port FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
    JOIN pg_dist_node USING (groupid) WHERE logicalrelid = 'delivery_claim'::regclass ORDER BY shardid`;

/** The worker of an account, by its port. */
export async function portOf(sql: Sql, account: number): Promise<number> {
  const [row] = await sql<Array<{ port: number }>>`
    SELECT nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column('delivery_claim', ${account}::bigint)`;
  return row?.port ?? 0;
}

/** The process of a server that starts all others. */
export async function firstProcessOf(t: TestContext, url: string): Promise<number> {
  const sql = openTables(t, url);
  const [row] = await sql<Array<{ pid: string }>>`
    SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS pid`;
  await sql.end();
  return Number(row?.pid);
}

/** All processes of a server that are of databases, behind the first one. */
export async function processesOf(t: TestContext, url: string): Promise<[number, ...number[]]> {
  const first = await firstProcessOf(t, url);
  const sql = openTables(t, url);
  const others = await sql<Array<{ pid: number }>>`
    SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()`;
  await sql.end();
  return [first, ...others.map(({ pid }) => pid)];
}

type Readiness = { readonly status: string; readonly accounts_served?: number };

export async function readiness({ instance }: Pick<Stage, 'instance'>): Promise<Readiness> {
  return (await (await fetch(`${instance.url}/readyz`)).json()) as Readiness;
}

export async function untilReady(stage: Stage): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while ((await readiness(stage)).status !== 'ok') {
    assert.ok(performance.now() < giveUpAt, 'it never became ready again');
    await pause(100);
  }
}
