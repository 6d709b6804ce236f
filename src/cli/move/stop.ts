/** The final stop: nobody serves the SQLite database or writes to it from here on. */
import { realpathSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { UnusableDatabase } from '../../store/errors.ts';
import { keepServersOut } from '../../store/sqlite/ownership.ts';

/** Time to wait for a backup or a command that is using the database. */
const BUSY_TIMEOUT_MS = 5_000;
const MAX_TRIES = 5;

export type Stop = { end(): void };

/** Stops all serving; null while a server serves the database. */
export function stopServing(path: string): Stop | null {
  const servers = keepServersOut(path);
  if (servers === null) return null;
  try {
    const writer = stopWriting(path);
    return {
      end() {
        writer.close();
        servers.release();
      },
    };
  } catch (error) {
    servers.release();
    throw error;
  }
}

/**
 * Checkpoints the log into the file, so that the file alone is the database, and takes the write lock. Keys can be
 * created beside a server; if one is created in between, the log is not empty and both are done again.
 */
function stopWriting(path: string): DatabaseSync {
  const log = `${realpathSync(path)}-wal`;
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.exec('BEGIN IMMEDIATE');
      if (statSync(log).size === 0) return database;
      database.exec('ROLLBACK');
    }
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  throw new UnusableDatabase(`another program keeps the database ${path} busy; end it, and move again`);
}
