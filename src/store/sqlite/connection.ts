import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UnusableDatabase } from '../errors.ts';
import { unchanging } from './file.ts';
import { defineInTime } from './in-time.ts';
import { migrate, refuseForeign, refuseOther } from './migrate.ts';
import { isMalformed, unusable } from './unusable.ts';

/** Time for which a server waits for another writer: it is asked again, and others wait behind what waits. */
const SERVER_WAITS_MS = 500;
/** A command has nobody waiting behind it, and several at once wait for each other's commits. */
const COMMAND_WAITS_MS = 5_000;

/**
 * Opens the file, and brings its schema up to date or, without `migrates`, refuses another one. Commits are on disk when
 * they return (WAL with synchronous=FULL); a start without that is refused.
 */
export function openDatabase(path: string, { migrates = true, serves = false } = {}): DatabaseSync {
  const database = connect(path, serves ? SERVER_WAITS_MS : COMMAND_WAITS_MS);
  try {
    const setting = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    if (setting('journal_mode') !== 'wal' || setting('synchronous') !== 2 || setting('foreign_keys') !== 1) {
      throw new UnusableDatabase(
        `the database ${path} cannot be opened in WAL mode with full synchronisation`,
      );
    }
    if (migrates) migrate(database, path);
    else refuseOther(database, `the database ${path}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Pages of the file that stay in memory; the rest is with the operating system. (Measured: with 64 MiB nothing is quicker, of
 * 100,000 sessions or of 200,000 at random, and a commit that has to look through all of them takes longer.)
 */
const CACHE_KIB = 16 * 1024;

/** Connects to a file. One that is not ours, or not of this version, is not changed. */
function connect(path: string, timeout: number): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    makeFile(path);
    database = new DatabaseSync(path, { timeout, enableForeignKeyConstraints: true });
    // A list of a command may take what time it needs.
    defineInTime(database);
    refuseForeign(database, path);
    refuseOther(database, `the database ${path}`, { migrates: true });
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA wal_autocheckpoint = 4000;
    `);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof UnusableDatabase) throw error;
    throw unusable(path, error);
  }
}

/**
 * Makes the file and its directory if need be, such that nobody else can read it, as it holds secrets; SQLite gives its
 * log the same rights. One that is there is left alone, and refused if it is no database.
 */
export function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // To open and close one that is there would take away the locks that this process has on it.
    if (existsSync(path)) refuseOtherFormats(path);
    else closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw unusable(path, error);
  }
}

/**
 * Throws if the file is no database. Takes no lock, and leaves nothing beside the file: so it sees no log either, and a
 * file into which a log was being copied when the power went is malformed without it. That is not for here to judge.
 */
function refuseOtherFormats(path: string): void {
  using database = new DatabaseSync(unchanging(path), { readOnly: true });
  try {
    database.prepare('PRAGMA schema_version').get();
  } catch (error) {
    if (!isMalformed(error)) throw error;
  }
}
