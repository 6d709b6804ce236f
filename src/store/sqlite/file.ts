/** Facts of a database file before anything is done with it. */
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UnusableDatabase } from '../errors.ts';
import { isOurs } from './migrate.ts';
import { noteAt } from './note.ts';
import { enterToRead } from './ownership.ts';
import { toReader } from './unusable.ts';

/** Opens the database of a service for reading, beside the service. */
export function openForReading(path: string): DatabaseSync {
  if (!existsSync(path))
    throw new UnusableDatabase(`there is no database ${path}; the first start of the server creates it`);
  const leave = enterToRead(path);
  try {
    return closing(
      opened(path, () => new DatabaseSync(path, { readOnly: true, timeout: 5000 })),
      leave,
    );
  } catch (error) {
    leave();
    throw error;
  }
}

/** Opens a file that nobody changes, and leaves no other file beside it. */
export function openUnchanging(path: string): DatabaseSync {
  return opened(path, () => new DatabaseSync(unchanging(path), { readOnly: true }));
}

/** Address of a file that is read without locks, and without its log. */
export function unchanging(path: string): URL {
  return new URL(`${pathToFileURL(path).href}?immutable=1`);
}

/** Looks at an opened file: opening it does not. */
function opened(path: string, open: () => DatabaseSync): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = open();
    if (isOurs(database)) return database;
  } catch (error) {
    database?.close();
    throw new UnusableDatabase(noteAt(path) ?? `cannot read the database ${path}: ${toReader(error)}`);
  }
  database.close();
  throw new UnusableDatabase(`${path} is not a database of opentill`);
}

/** Bytes of the log while a command reads: until that ends, it cannot be begun anew. */
const MAX_LOG_BYTES = 2 ** 30;

/** Throws if the log has become too long for who reads for long, to be called from time to time. */
export function refuseLongLog(database: DatabaseSync, maxBytes = MAX_LOG_BYTES): void {
  const size = statSync(`${database.location()}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= maxBytes) return;
  throw new UnusableDatabase(
    `the log of the database has grown to ${Math.round(size / 2 ** 20)} MiB while it was read; run the command again when less is written`,
  );
}

/** Database with something to be done when it is closed. */
function closing(database: DatabaseSync, done: () => void): DatabaseSync {
  return Object.assign(database, {
    close(): void {
      DatabaseSync.prototype.close.call(database);
      done();
    },
  });
}
