/** Tables in shards, and the statements that a service sends then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distributeTables, isDistributed } from '../../src/store/postgres/shards.ts';
import { fillByService } from '../cli/db/healthy.ts';
import { checkBooks, openTables } from '../cluster/cluster.ts';
import { makeCatalog } from '../support/citus-catalog.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { overheard } from '../support/postgres-proxy.ts';

test('all tables of tenants are placed beside one of them, and the others stay on the coordinator', async (t) => {
  const sql = openTables(t, await migratedDatabase(t));
  assert.equal(await isDistributed(sql), false);
  await makeCatalog(sql);
  assert.equal(await isDistributed(sql), false);
  const told: string[] = [];
  await distributeTables(sql, (name) => told.push(name));
  assert.equal(await isDistributed(sql), true);

  const rows = await sql<Array<{ name: string; beside: string }>>`
    SELECT logicalrelid::text AS name, beside FROM pg_dist_partition`;
  assert.deepEqual(
    rows.map(({ name }) => name),
    told,
  );
  assert.deepEqual(rows[0], { name: 'delivery_claim', beside: 'none' });
  assert.ok(rows.slice(1).every(({ beside }) => beside === 'delivery_claim'));
  const whole = await sql<Array<{ name: string }>>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND relname NOT LIKE 'pg_dist%' AND oid NOT IN (SELECT logicalrelid FROM pg_dist_partition) ORDER BY relname`;
  assert.deepEqual(
    whole.map(({ name }) => name),
    ['account', 'api_key', 'directory', 'schema_version'],
  );
  // A shard whose rows have no key could not be moved while they change.
  const keyless = await sql`
    SELECT logicalrelid FROM pg_dist_partition
    WHERE NOT EXISTS (SELECT FROM pg_index WHERE indrelid = logicalrelid AND indisprimary)`;
  assert.deepEqual([...keyless], []);

  await sql`CREATE TABLE note (account bigint PRIMARY KEY)`;
  await distributeTables(sql, (name) => told.push(name));
  assert.equal(told.at(-1), 'note');
  assert.equal(told.length, rows.length + 1);
});

test('a row goes to its shard by itself, and nothing that is written is another', async (t) => {
  const url = await migratedDatabase(t);
  await makeCatalog(openTables(t, url), [{ port: 1, accounts: [0, 2_000_000_000] }]);
  const { url: watched, sent } = await overheard(t, url);
  await fillByService(t, watched);
  await checkBooks(url);
  const inserts = [...sent].filter((text) => /^\s*INSERT INTO/.test(text));
  assert.ok(inserts.length > 10);
  // Rows that an INSERT selects would come to the coordinator, and be committed in two phases. A feed numbers
  // many at once, and a new delivery asks for earlier ones.
  const gathered = inserts.filter((text) => /json_to_recordset/.test(text));
  const tables = gathered.map((text) => /INSERT INTO (\w+)/.exec(text)?.[1] ?? '');
  assert.deepEqual(
    [...new Set(tables)].filter((name) => !['feed', 'delivery', 'delivery_attempt'].includes(name)),
    [],
  );
});
