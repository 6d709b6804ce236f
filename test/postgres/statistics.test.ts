/** Statistics of tables that grow faster than autovacuum comes. In shards: `whole-shards.test.ts`. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import type { Store } from '../../src/store/store.ts';
import { openTables } from '../cluster/cluster.ts';
import { add, eventOf, session, tenants, write } from '../store/build.ts';
import { migratedDatabase } from '../support/postgres.ts';

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openPostgresStore(url, { serve: true });
  t.after(() => store.close());
  return store;
}

suite('a table that has outgrown its statistics', () => {
  /** Shorter than the minute after which autovacuum may come. */
  const LONG = { timeout: 30_000 };
  const setUp = async (t: TestContext) => {
    const url = await migratedDatabase(t);
    const sql = openTables(t, url);
    /** The number of rows that the planner knows of. */
    const counted = async (table: string) => {
      const [row] = await sql`SELECT reltuples FROM pg_class WHERE oid = ${table}::regclass`;
      return row?.reltuples;
    };
    const fill = async (store: Store, count: number) => {
      const { mine } = await tenants(store);
      const one = await add(store, session(mine));
      const rows = Array.from({ length: count }, (_, index) =>
        eventOf(one, 'x.y', { sequence: 2 + index, body: 'x'.repeat(1_000) }),
      );
      await write(store, mine, { events: rows });
    };
    return { url, sql, counted, fill };
  };

  test(
    'is analysed soon after a start, as where nobody has served yet what was restored',
    LONG,
    async (t) => {
      const { url, counted, fill } = await setUp(t);
      const first = await openPostgresStore(url, { serve: true });
      await fill(first, 200);
      await first.close();
      assert.equal(await counted('event'), -1);
      await open(t, url);
      while ((await counted('event')) !== 201) await pause(10);
      assert.equal(await counted('checkout'), -1, 'of a few rows any plan is good');
    },
  );

  test('is analysed in time behind a few changes that write many rows', LONG, async (t) => {
    const { url, counted, fill } = await setUp(t);
    await fill(await open(t, url), 400);
    while ((await counted('event')) < 400) await pause(10);
  });

  test(
    'is analysed also where it was empty when others were full, and again when it has grown',
    LONG,
    async (t) => {
      const { url, sql, counted, fill } = await setUp(t);
      await sql`ANALYZE event`;
      assert.equal(await counted('event'), 0);
      const store = await open(t, url);
      await fill(store, 400);
      while ((await counted('event')) < 400) await pause(10);
      await fill(store, 3_000);
      while ((await counted('event')) < 3_400) await pause(10);
    },
  );

  test(
    'holds up neither a start nor a read while somebody has locked it, or another one',
    LONG,
    async (t) => {
      const { url, sql, fill } = await setUp(t);
      await sql`CREATE TABLE of_others ()`;
      await sql`BEGIN`;
      await sql`LOCK TABLE of_others, feed_start IN ACCESS EXCLUSIVE MODE`;
      const store = await open(t, url);
      await fill(store, 400);
      const { mine } = await tenants(store);
      assert.deepEqual((await store.bankEntries.list(mine, {}, { limit: 1 })).rows, []);
      await sql`ROLLBACK`;
    },
  );
});
