/** Statements about whole tables when they are in shards, and the table of that name is empty. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../../src/store/check/check.ts';
import { checkPostgres } from '../../src/store/postgres/check.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openTables } from '../cluster/cluster.ts';
import { letAnswer, makeCatalog } from '../support/citus-catalog.ts';
import { migratedDatabase } from '../support/postgres.ts';

/** A database in shards, of which `checkout` and `event` have one with so many rows. */
async function inShards(t: TestContext, rows: number) {
  const url = await migratedDatabase(t);
  const sql = openTables(t, url);
  await makeCatalog(sql, [{ port: 1, accounts: [0, 2_000_000_000] }]);
  await sql`INSERT INTO pg_dist_partition VALUES ('checkout', 'h', 'delivery_claim')`;
  for (const table of ['checkout', 'event']) {
    const shard = sql(`shards.${table}_102008`);
    await sql`CREATE TABLE ${shard} (LIKE ${sql(table)} INCLUDING INDEXES INCLUDING GENERATED)`;
    await sql`ALTER TABLE ${shard} SET (autovacuum_enabled = false)`;
  }
  await sql`INSERT INTO shards.checkout_102008
    SELECT 1, true, 'chk_' || number, 1, 1, 1, 'active', 'unpaid', 'EUR', 0, false, false, '', NULL, NULL, '{}'
    FROM generate_series(1, ${rows}) AS number`;
  /** The number of times that the table was analysed. */
  const analysed = async (table: string) => {
    const [row] = await sql`SELECT pg_stat_get_analyze_count(${table}::regclass) AS count`;
    return row?.count;
  };
  const open = async () => {
    const store = await openPostgresStore(url, { serve: true });
    t.after(() => store.close());
    return store;
  };
  return { url, sql, analysed, open };
}

suite('statistics', () => {
  test('of shards that have outgrown theirs are made soon after a start, and of no others', {
    timeout: 20_000,
  }, async (t) => {
    const { sql, analysed, open } = await inShards(t, 3_500);
    await sql`INSERT INTO shards.event_102008
      SELECT 1, true, 'evt_' || number, 'x.y', 'chk_1', number, 1, NULL, '{}' FROM generate_series(1, 3500) AS number`;
    await sql`ANALYZE shards.event_102008`;
    await open();
    while ((await analysed('checkout')) === 0) await pause(10);
    assert.equal(await analysed('event'), 0);
  });
});

suite('a check of indexes', () => {
  const RULE = 'indexes are whole and agree with their tables';

  async function outcome(url: string): Promise<Outcome> {
    const outcomes: Outcome[] = [];
    await checkPostgres(url, { outcome: (each) => outcomes.push(each), progress: () => {} });
    const found = outcomes.find(({ rule }) => rule === RULE);
    assert.ok(found);
    return found;
  }

  test('finds one in a shard that is damaged', async (t) => {
    const { url, sql } = await inShards(t, 10);
    await sql`CREATE EXTENSION amcheck`;
    assert.deepEqual(await outcome(url), { rule: RULE, count: 0, examples: [] });
    await sql`CREATE FUNCTION half(text) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT length($1) / 2'`;
    await sql`CREATE INDEX halves ON shards.checkout_102008 (half(id))`;
    await sql`CREATE OR REPLACE FUNCTION half(text) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT length($1) / 3'`;
    assert.deepEqual(await outcome(url), { rule: RULE, count: 1, examples: ['halves'] });
  });

  test('says so where a node has no amcheck, or does not answer', async (t) => {
    const { url, sql } = await inShards(t, 1);
    await sql`CREATE EXTENSION amcheck`;
    await letAnswer(sql, 1, 'no');
    const untold = 'amcheck cannot be used on each node';
    assert.deepEqual(await outcome(url), { rule: RULE, count: 0, examples: [], untold, skipped: true });
  });
});
