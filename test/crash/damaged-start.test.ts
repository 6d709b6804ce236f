/** A start on a file with a damaged page, in what every start reads: it ends, and one line says what is to be done. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createFirstAccount } from '../../src/accounts/account.ts';
import { freePort } from '../../src/cli/free-port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { freshDirectory, run } from '../support/process.ts';
import { damages, PAGE_BYTES } from './page-damage.ts';
import { randomFrom } from './random.ts';

/** The key is what a start reads beside accounts. */
const BOOTSTRAP_API_KEY = 'ak_test_here:sk_test_here';
const tables = ['directory', 'account', 'api_key', 'sqlite_schema'] as const;
const kinds = ['random bytes', 'the rest is missing'] as const;

test('a start that meets a damaged page ends with a line that names the file and what to do', async (t) => {
  const directory = freshDirectory(t);
  const healthy = join(directory, 'healthy.db');
  const store = openSqliteStore(healthy);
  await createFirstAccount(store, 'Shop', Date.now());
  await store.close();
  const pageOf = lastPages(healthy);

  for (const table of tables) {
    for (const kind of kinds) {
      const path = join(directory, `${table} ${kind}.db`);
      copyFileSync(healthy, path);
      const file = readFileSync(path);
      const from = PAGE_BYTES * ((pageOf.get(table) ?? 0) - 1);
      const page = file.subarray(from, from + PAGE_BYTES);
      writeFileSync(path, damages[kind]?.(file, page, randomFrom(1)) ?? file);

      const what = `${kind} in ${table}`;
      const start = run(t, ['serve'], {
        DATABASE_URL: `sqlite:${path}`,
        PORT: `${await freePort()}`,
        BOOTSTRAP_API_KEY,
        LOG_LEVEL: 'silent',
      });
      assert.deepEqual(await start.ended, { code: 1, signal: null }, `${what}: ${start.output.stderr}`);
      assert.match(start.output.stderr, /^opentill: [^\n]+\n$/, what);
      assert.ok(start.output.stderr.includes(path), `${what}: ${start.output.stderr}`);
      assert.match(start.output.stderr, /opentill db check.*backup/, what);
    }
  }
});

/** The last page of each table. The schema has several; its first one is the head of the file, too. */
function lastPages(path: string): Map<string, number> {
  using database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('SELECT name, max(pageno) AS page FROM dbstat GROUP BY name').all();
  return new Map(rows.map(({ name, page }) => [`${name}`, Number(page)]));
}
