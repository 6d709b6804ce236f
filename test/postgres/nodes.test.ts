/** Nodes that do not answer: who lies there is refused at once, and nobody else. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { watchNodes } from '../../src/store/postgres/nodes.ts';
import { openTables } from '../cluster/cluster.ts';
import { asked, type FakeNode, letAnswer, makeCatalog } from '../support/citus-catalog.ts';
import { migratedDatabase } from '../support/postgres.ts';

const two: readonly FakeNode[] = [
  { port: 1, accounts: [1, 50] },
  { port: 2, accounts: [51, 100] },
];
const KNOWN = [1, 2, 3, 60];
const timeout = 20_000;

async function setUp(t: TestContext, nodes = two) {
  const url = await migratedDatabase(t);
  const sql = openTables(t, url);
  await makeCatalog(sql, nodes);
  for (const number of KNOWN)
    await sql`INSERT INTO account (number, name, created_at, webhook_secret_test, webhook_secret_live)
      VALUES (${number}, 'Shop', 1, '', '')`;
  const told: string[] = [];
  const counts = { silences: 0 };
  const livingAtSilence: Array<readonly number[] | null> = [];
  let watch: Awaited<ReturnType<typeof watchNodes>> | undefined;
  const started = await watchNodes(url, {
    onSilence() {
      counts.silences++;
      // The next request has to be refused already.
      livingAtSilence.push(watch?.living() ?? null);
    },
    onTrouble: (text) => told.push(text),
  });
  watch = started;
  t.after(() => started.stop());
  const until = async (holds: () => boolean) => {
    while (!holds()) await pause(5);
  };
  return { sql, told, counts, watch: started, until, livingAtSilence };
}

/** A store that says with what it was asked. */
const asStore = {
  checkouts: { fetch: async (tenant: object, id: string) => [tenant, id] },
  commit: async (units: readonly object[]) => units.length,
  close: async () => 'closed',
  limit: 3,
};
const tenant = (account: number) => ({ account, mode: 'test' }) as const;

suite('nodes of a database in shards', { concurrency: true }, () => {
  test('that answer leave everything as it is', { timeout }, async (t) => {
    const { told, counts, watch } = await setUp(t);
    assert.deepEqual([watch.living(), watch.share(), told, counts.silences], [null, 1, [], 0]);
  });

  for (const answer of ['no', 'never'] as const)
    test(`whose answer is ${answer} take their accounts away until they are back`, { timeout }, async (t) => {
      const { sql, told, counts, watch, until, livingAtSilence } = await setUp(t);
      await letAnswer(sql, 2, answer);
      await until(() => watch.share() < 1);
      assert.deepEqual([watch.living(), watch.share()], [[1, 2, 3], 0.75]);
      assert.deepEqual(livingAtSilence, [[1, 2, 3]]);
      assert.deepEqual([told, counts.silences], [['the node 127.0.0.1:2 does not answer'], 1]);
      // Continued silence is no news.
      await asked(sql, 4);
      assert.equal(counts.silences, 1);
      await letAnswer(sql, 2, 'yes');
      await sql`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%citus_check_connection_to_node%' AND pid <> pg_backend_pid()`;
      await until(() => watch.share() === 1);
      assert.equal(watch.living(), null);
      await letAnswer(sql, 1, 'no');
      await until(() => watch.share() < 1);
      assert.deepEqual([watch.living(), counts.silences], [[60], 2]);
    });

  test('that cannot be asked because of the coordinator are as they were', { timeout }, async (t) => {
    const { sql, counts, watch, until } = await setUp(t);
    await letAnswer(sql, 2, 'error');
    await asked(sql, 4);
    assert.deepEqual([watch.share(), counts.silences], [1, 0]);
    await letAnswer(sql, 2, 'no');
    await until(() => watch.share() < 1);
    await letAnswer(sql, 2, 'error');
    await asked(sql, 4);
    assert.deepEqual([watch.living(), counts.silences], [[1, 2, 3], 1]);
  });

  test('are watched as long as they have shards, and no longer', { timeout }, async (t) => {
    const { sql, watch, until, told } = await setUp(t, [
      { port: 1, accounts: [1, 1] },
      { port: 2, accounts: [2, 2], takesShards: false },
      { port: 3, accounts: null },
      { port: 4, accounts: [60, 60], isActive: false },
    ]);
    for (const port of [3, 4, 2]) await letAnswer(sql, port, 'no');
    await until(() => watch.share() < 1);
    assert.deepEqual(watch.living(), [1, 3, 60]);
    assert.deepEqual(told, ['the node 127.0.0.1:2 does not answer']);
  });

  test('that are away refuse what is about their accounts, and nothing else', { timeout }, async (t) => {
    const { sql, watch, until } = await setUp(t);
    const guarded = watch.guard(asStore);
    assert.equal(await guarded.commit([{ needs: { tenant: tenant(60) } }]), 1);
    await letAnswer(sql, 2, 'no');
    await until(() => watch.share() < 1);
    const refused = { name: StoreUnavailable.name, message: /the node of the account does not answer/ };
    await assert.rejects(guarded.checkouts.fetch(tenant(60), 'chk_1'), refused);
    await assert.rejects(guarded.commit([{ needs: { tenant: tenant(60) } }]), refused);
    assert.deepEqual(await guarded.checkouts.fetch(tenant(1), 'chk_1'), [tenant(1), 'chk_1']);
    assert.equal(await guarded.commit([{ needs: { tenant: tenant(2) } }]), 1);
    assert.equal(await guarded.commit([]), 0);
    assert.deepEqual([await guarded.close(), guarded.limit], ['closed', 3]);
  });
});
