import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UnusableDatabase } from '../errors.ts';
import { migrate } from './migrate.ts';
import { noteAt } from './note.ts';

/**
 * Opens the file, making it and its directory if need be, and brings its schema up to date. Commits are on disk when
 * they return (WAL with synchronous=FULL); a start without that is refused.
 */
export function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync;
  try {
    mkdirSync(dirname(path), { recursive: true });
    makeFile(path);
    database = new DatabaseSync(path, { timeout: 500, enableForeignKeyConstraints: true });
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -65536;
      PRAGMA wal_autocheckpoint = 4000;
    `);
  } catch (error) {
    throw new UnusableDatabase(
      noteAt(path) ?? `cannot open the database ${path}: ${(error as Error).message}`,
    );
  }
  const setting = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  if (setting('journal_mode') !== 'wal' || setting('synchronous') !== 2 || setting('foreign_keys') !== 1) {
    throw new UnusableDatabase(`the database ${path} cannot be opened in WAL mode with full synchronisation`);
  }
  migrate(database, path);
  return database;
}

/**
 * Makes the file such that nobody else can read it, as it holds secrets; SQLite gives its log the same rights. One that
 * is there is left alone: to close it here would take away the locks that this process has on it.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
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
