import type { DatabaseSync } from 'node:sqlite';
import { UnusableDatabase } from '../errors.ts';
import { migrationsOf, refuseOtherSchema } from '../schema-version.ts';
import { inTransaction } from './transaction.ts';

export const migrations = migrationsOf('sqlite');

/** Number of migrations that the database has had; 0 for a new one, or another program's. */
export function schemaOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/** Applies the migrations that are missing, all in one transaction; `known` are the steps to the newest schema. */
export function migrate(database: DatabaseSync, path: string, known = migrations): void {
  if (schemaOf(database) === known.length) return;
  // Another process may be starting too; whoever comes second finds the work done.
  inTransaction(database, () => {
    refuseOther(database, `the database ${path}`, { migrates: true, known });
    for (const migration of known.slice(schemaOf(database))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${known.length}`);
  });
}

export function refuseOther(
  database: DatabaseSync,
  name: string,
  { known = migrations, migrates = false } = {},
): void {
  refuseOtherSchema(name, schemaOf(database), known.length, { migrates });
}

/** Refuses the database of another program; one without any table is ours to fill. */
export function refuseForeign(database: DatabaseSync, path: string): void {
  if (isOurs(database)) return;
  if (database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined) return;
  throw new UnusableDatabase(`${path} is not a database of opentill`);
}

export function isOurs(database: DatabaseSync): boolean {
  const tables = database
    .prepare(
      `SELECT count(*) AS found FROM sqlite_schema WHERE type = 'table' AND name IN ('account', 'checkout')`,
    )
    .get();
  return tables?.found === 2 && schemaOf(database) > 0;
}
