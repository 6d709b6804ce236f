/**
 * Fills a file of SQLite in a tenth of the time that a server would need: with its rows and by its statements, but without
 * a log, without waiting for the disk, and with the indexes made at the end.
 */
import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { runner } from '../src/store/sqlite/run.ts';
import { openSqliteStore } from '../src/store/sqlite/store.ts';
import { inTransaction } from '../src/store/sqlite/transaction.ts';
import { writer } from '../src/store/sqlite/write.ts';
import { type Filling, fillingWrites, makeAccount } from './fill.ts';

/** Brings the file to the disk: what the kernel has still to write would disturb what is measured next. */
export async function synced(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}

export async function fillFile(path: string, filling: Filling): Promise<void> {
  const store = openSqliteStore(path);
  const tenant = await makeAccount(store);
  await store.close();
  using database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = DELETE;
    PRAGMA journal_mode = MEMORY;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -262144;
    PRAGMA temp_store = MEMORY;
  `);
  const indexes = database
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`)
    .all();
  // A delivery looks by them for one that it has to wait for.
  if (!filling.delivers) for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  const beginWriting = writer(database, runner(database));
  for (const writes of fillingWrites(tenant, filling)) {
    inTransaction(database, () => {
      const write = beginWriting();
      for (const each of writes) write(tenant, each);
    });
  }
  if (!filling.delivers) for (const { sql } of indexes) database.exec(String(sql));
  database.exec('PRAGMA journal_mode = WAL');
}
