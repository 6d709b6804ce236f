/** Shards that are moved while accounts on all nodes are under load: what was acknowledged is there, once, and goes on. */
import { test } from 'node:test';
import type { Sql } from '../../src/store/postgres/connection.ts';
import { evidence } from '../support/evidence.ts';
import { checkRound, settle, startStage } from './load.ts';
import { type Mode, modes, places, ports, rounds, TIMEOUT } from './nodes.ts';

/** Moves every shard to another worker. */
async function moveEach(sql: Sql, mode: Mode): Promise<number> {
  const shards = await places(sql);
  for (const { shard, port } of shards) {
    const other = ports.find((each) => each !== port) ?? port;
    await sql.unsafe(
      `SELECT citus_move_shard_placement(${shard}, '127.0.0.1', ${port}, '127.0.0.1', ${other}, '${mode}')`,
    );
  }
  return shards.length;
}

for (const mode of modes)
  test(`shards are moved there and back: ${mode}`, TIMEOUT, async (t) => {
    const stage = await startStage(t);
    let moves = 0;
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await checkRound(stage);
      for (const _way of ['there', 'back']) moves += await moveEach(stage.sql, mode);
      for (const shop of stage.shops) await shop.goesOn();
    }
    evidence(t, 'citus-moves', { moves, ...(await settle(stage)) });
  });
