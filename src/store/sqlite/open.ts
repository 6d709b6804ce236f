import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UnusableDatabase } from '../store.ts';
import { inTransaction } from './transaction.ts';

const migrationsDirectory = join(import.meta.dirname, '../../../migrations/sqlite');

/**
 * Opens the file, making it and its directory if need be, and brings its schema up to date. Commits are on disk when
 * they return (WAL with synchronous=FULL); a start without that is refused.
 */
export function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync;
  try {
    mkdirSync(dirname(path), { recursive: true });
    database = new DatabaseSync(path, { timeout: 500, enableForeignKeyConstraints: true });
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -65536;
      PRAGMA wal_autocheckpoint = 4000;
    `);
  } catch (error) {
    throw new UnusableDatabase(`cannot open the database ${path}: ${(error as Error).message}`);
  }
  const setting = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  if (setting('journal_mode') !== 'wal' || setting('synchronous') !== 2 || setting('foreign_keys') !== 1) {
    throw new UnusableDatabase(`the database ${path} cannot be opened in WAL mode with full synchronisation`);
  }
  migrate(database, path);
  return database;
}

/**
 * Holds the right to serve this database until the process ends, however it ends: caches are only right if no other
 * process changes sessions. The lock is SQLite's own, on a file beside the database.
 */
export function lockForServing(path: string): () => void {
  const lock = new DatabaseSync(`${path}.lock`);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new UnusableDatabase(`another process is serving the database ${path}`);
  }
  return () => lock.close();
}

/** Applies the migrations that are missing, all in one transaction; `user_version` counts those applied. */
function migrate(database: DatabaseSync, path: string): void {
  const files = readdirSync(migrationsDirectory)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  const version = () => Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version() === files.length) return;
  // Another process may be starting too; whoever comes second finds the work done.
  inTransaction(database, () => {
    const applied = version();
    if (applied > files.length) {
      throw new UnusableDatabase(
        `the database ${path} was written by a newer opentill (schema ${applied}, this one knows ${files.length})`,
      );
    }
    for (const file of files.slice(applied))
      database.exec(readFileSync(join(migrationsDirectory, file), 'utf8'));
    database.exec(`PRAGMA user_version = ${files.length}`);
  });
}
