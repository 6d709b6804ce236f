/** An account that gets a shard of its own, and moves with it, while all are under load; and a moment marked on all nodes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidence } from '../support/evidence.ts';
import { checkRound, type Shop, settle, startStage } from './load.ts';
import { portOf, ports, rounds, TIMEOUT } from './nodes.ts';

/** While rows are deleted, Citus 13.2 divides shards with `block_writes` alone. */
test('accounts get shards of their own', TIMEOUT, async (t) => {
  const stage = await startStage(t);
  const { sql, shops } = stage;
  // Each account can be isolated once.
  const isolated = shops.slice(0, Math.min(rounds, shops.length));
  for (const [round, { account }] of isolated.entries()) {
    if (round > 0) await checkRound(stage);
    const from = await portOf(sql, account);
    const to = ports.find((each) => each !== from) ?? from;
    const [row] = await sql.unsafe(
      `SELECT isolate_tenant_to_new_shard('delivery_claim', ${account}, 'CASCADE', shard_transfer_mode => 'block_writes') AS shard`,
    );
    await sql.unsafe(
      `SELECT citus_move_shard_placement(${row?.shard}, '127.0.0.1', ${from}, '127.0.0.1', ${to}, 'force_logical')`,
    );
    assert.equal(await portOf(sql, account), to);
    const others = shops.filter((shop: Shop) => shop.account !== account);
    for (const shop of others) assert.notEqual(await shardOf(shop.account), row?.shard);
    await sql`SELECT citus_create_restore_point(${`round ${round}`})`;
    for (const shop of shops) await shop.goesOn();
  }
  evidence(t, 'citus-moves', { isolated: isolated.length, ...(await settle(stage)) });

  async function shardOf(account: number): Promise<unknown> {
    const [row] = await sql`
        SELECT get_shard_id_for_distribution_column('delivery_claim', ${account}::bigint) AS shard`;
    return row?.shard;
  }
});
