/** The steps to the newest schema of a database, and schemas that are another one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnusableDatabase } from './errors.ts';
import type { Dialect } from './sql.ts';

export function migrationsOf(dialect: Dialect): readonly string[] {
  const directory = join(import.meta.dirname, '../../migrations', dialect);
  const files = readdirSync(directory).filter((name) => name.endsWith('.sql'));
  return files.sort().map((name) => readFileSync(join(directory, name), 'utf8'));
}

/**
 * Refuses the schema of a newer opentill and, unless it is going to be migrated, that of an older one, or 0 for none. Only a
 * start of the service migrates: it may, and nobody works on it meanwhile.
 */
export function refuseOtherSchema(
  name: string,
  schema: number,
  known: number,
  { migrates = false } = {},
): void {
  if (schema > known) {
    throw new UnusableDatabase(
      `${name} was written by a newer opentill (schema ${schema}, this one knows ${known}); use that version`,
    );
  }
  if (schema === known || migrates) return;
  throw new UnusableDatabase(
    schema === 0
      ? `${name} has no tables of opentill; the first start of the service creates them`
      : `${name} has the schema ${schema} of an older opentill; the next start of the service migrates it to ${known}`,
  );
}
