import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { UnusableDatabase } from '../errors.ts';
import { inTransaction } from './transaction.ts';

const directory = join(import.meta.dirname, '../../../migrations/sqlite');

export const migrations: readonly string[] = readdirSync(directory)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => readFileSync(join(directory, name), 'utf8'));

/** How many migrations the database has had; 0 for a new one, or another program's. */
export function schemaOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/** Applies the migrations that are missing, all in one transaction; `known` are the steps to the newest schema. */
export function migrate(database: DatabaseSync, path: string, known = migrations): void {
  if (schemaOf(database) === known.length) return;
  // Another process may be starting too; whoever comes second finds the work done.
  inTransaction(database, () => {
    refuseNewer(database, `the database ${path}`, known);
    for (const migration of known.slice(schemaOf(database))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${known.length}`);
  });
}

export function refuseNewer(database: DatabaseSync, name: string, known = migrations): void {
  const schema = schemaOf(database);
  if (schema <= known.length) return;
  throw new UnusableDatabase(
    `${name} was written by a newer opentill (schema ${schema}, this one knows ${known.length})`,
  );
}

export function refuseOlder(database: DatabaseSync, name: string): void {
  const schema = schemaOf(database);
  if (schema >= migrations.length) return;
  throw new UnusableDatabase(
    `${name} has the schema ${schema} of an older opentill; a start of the service brings it to ${migrations.length}`,
  );
}
