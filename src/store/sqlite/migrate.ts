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
    `${name} was written by a newer opentill (schema ${schema}, this one knows ${known.length}); use that one`,
  );
}

/** Only a start of the service migrates: it owns the database, and nobody works on it meanwhile. */
export function refuseOlder(database: DatabaseSync, name: string): void {
  const schema = schemaOf(database);
  if (schema >= migrations.length) return;
  throw new UnusableDatabase(
    schema === 0
      ? `there is nothing of opentill in ${name}; a first start of the service makes it`
      : `${name} has the schema ${schema} of an older opentill; a start of the service brings it to ${migrations.length}`,
  );
}

/** Refuses the database of another program; one without any table is ours to fill. */
export function refuseForeign(database: DatabaseSync, path: string): void {
  if (isOurs(database)) return;
  if (database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined) return;
  throw new UnusableDatabase(`${path} is no database of opentill`);
}

export function isOurs(database: DatabaseSync): boolean {
  const tables = database
    .prepare(
      `SELECT count(*) AS found FROM sqlite_schema WHERE type = 'table' AND name IN ('account', 'checkout')`,
    )
    .get();
  return tables?.found === 2 && schemaOf(database) > 0;
}
