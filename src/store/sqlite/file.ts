/** What can be told of a database file before anything is done with it. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { UnusableDatabase } from '../errors.ts';
import { schemaOf } from './migrate.ts';
import { noteAt } from './note.ts';

/** Opens the database of a service for reading, beside the service. */
export function openForReading(path: string): DatabaseSync {
  if (!existsSync(path))
    throw new UnusableDatabase(`there is no database ${path}; a first start of the server makes one`);
  return opened(path, () => new DatabaseSync(path, { readOnly: true, timeout: 5000 }));
}

/** Opens a file that nobody changes, and leaves no other file beside it. */
export function openUnchanging(path: string): DatabaseSync {
  const url = new URL(`${pathToFileURL(path).href}?immutable=1`);
  return opened(path, () => new DatabaseSync(url, { readOnly: true }));
}

/** A file is opened without being looked at; here it is. */
function opened(path: string, open: () => DatabaseSync): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = open();
    if (isOurs(database)) return database;
  } catch (error) {
    database?.close();
    throw new UnusableDatabase(
      noteAt(path) ?? `cannot read the database ${path}: ${(error as Error).message}`,
    );
  }
  database.close();
  throw new UnusableDatabase(`${path} is no database of opentill`);
}

function isOurs(database: DatabaseSync): boolean {
  const tables = database
    .prepare(
      `SELECT count(*) AS found FROM sqlite_schema WHERE type = 'table' AND name IN ('account', 'checkout')`,
    )
    .get();
  return tables?.found === 2 && schemaOf(database) > 0;
}
