/** A database that grows: from a file to one PostgreSQL, and from there to several nodes, with every row as it was. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { tables } from '../../src/cli/move/tables.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { done } from '../cli/db/commands.ts';
import { fillByService } from '../cli/db/healthy.ts';
import { type Kind, postgresql, type Rows, sqlite } from '../cli/db/kinds.ts';
import { checkBooks } from '../cluster/cluster.ts';
import { joinNodes, workers } from '../support/citus.ts';
import { addressOf, freshDatabase } from '../support/postgres.ts';

type Sum = { readonly name: string; readonly rows: number; readonly sha256: string };

/** Checksums of all PostgreSQL tables, or of the same data in a file. */
async function sumsOf(kind: Kind, url: string): Promise<Sum[]> {
  const sums: Sum[] = [];
  for (const { name, columns, select } of tables) {
    const rows: Rows = await kind.run(url, kind === sqlite ? select : `SELECT * FROM ${name}`);
    const lines = rows.map((row) =>
      JSON.stringify(
        columns.map((column) =>
          column.type === 'boolean' ? Boolean(row[column.name]) : (row[column.name]?.toString() ?? null),
        ),
      ),
    );
    const hash = createHash('sha256').update(lines.sort().join('\n'));
    sums.push({ name, rows: rows.length, sha256: hash.digest('hex') });
  }
  return sums;
}

async function tablesIn(url: string): Promise<string[]> {
  const rows = await postgresql.run(
    url,
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e') ORDER BY relname`,
  );
  return rows.map(({ name }) => `${name}`);
}

const moved = (t: TestContext, from: string, to: string) => done(t, 'move', '--from', from, '--to', to);

test('everything is the same in a file, on one server and on several', async (t) => {
  const file = await sqlite.fresh(t);
  await fillByService(t, file);
  const store = openSqliteStore(file.slice('sqlite:'.length));
  await store.secrets.keep('passkey_challenges', 'a secret of the installation');
  await store.close();
  const before = await sumsOf(sqlite, file);
  const empty = before.filter(({ rows }) => rows === 0).map(({ name }) => name);
  // Events in a file have their position from the beginning.
  assert.deepEqual(empty, ['feed_waiting']);

  const url = await freshDatabase(t);
  await moved(t, file, url);
  assert.deepEqual(await sumsOf(postgresql, url), before);
  const known = [...before.map(({ name }) => name), 'directory', 'schema_version'].sort();
  assert.deepEqual(await tablesIn(url), known);

  const name = new URL(url).pathname.slice(1);
  await joinNodes([url, ...workers().map((worker) => addressOf(worker, name))]);
  await done(t, 'distribute', '--database', url);
  assert.deepEqual(await sumsOf(postgresql, url), before);
  await checkBooks(url);
});
