/** A rebalance by Citus in the background while accounts on all nodes are under load: all is there, once, and goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '../../src/store/postgres/connection.ts';
import { evidence } from '../support/evidence.ts';
import { checkRound, settle, startStage } from './load.ts';
import { type Mode, modes, places, ports, rounds, TIMEOUT } from './nodes.ts';

/** Has Citus take all shards from a worker, or give it its share again, and waits for the end of that. */
async function rebalance(sql: Sql, port: number, takesShards: boolean, mode: Mode): Promise<number> {
  const before = await places(sql);
  await sql.unsafe(
    `SELECT citus_set_node_property('127.0.0.1', ${port}, 'shouldhaveshards', ${takesShards})`,
  );
  await sql.unsafe(`SELECT citus_rebalance_start('by_shard_count', shard_transfer_mode => '${mode}')`);
  await sql`SELECT citus_rebalance_wait()`;
  const [job] = await sql<Array<{ state: string; details: object }>>`
    SELECT state::text, details FROM citus_rebalance_status()`;
  assert.equal(job?.state, 'finished', JSON.stringify(job?.details));
  const after = await places(sql);
  const share = takesShards ? after.length / ports.length : 0;
  assert.equal(after.filter((place) => place.port === port).length, share);
  return after.filter((place, index) => place.port !== before[index]?.port).length;
}

for (const mode of modes)
  test(`a worker is emptied and filled again in the background: ${mode}`, TIMEOUT, async (t) => {
    const stage = await startStage(t);
    let moves = 0;
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await checkRound(stage);
      const port = ports[round % ports.length] as number;
      for (const takesShards of [false, true]) moves += await rebalance(stage.sql, port, takesShards, mode);
      for (const shop of stage.shops) await shop.goesOn();
    }
    evidence(t, 'citus-rebalance', { rebalances: 2 * rounds, moves, ...(await settle(stage)) });
  });
