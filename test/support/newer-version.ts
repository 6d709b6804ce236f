/** A newer version of opentill: a copy of this one with a further migration. */
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export type NewerVersion = {
  /** The program to run. */
  readonly program: string;
  /** Makes this SQL the newest migration from the next start on. */
  migrateBy(database: 'sqlite' | 'postgres', migration: string): void;
};

/** Makes the copy in a directory. To compile it takes a second, so that tests share one. */
export function newerVersion(directory: string): NewerVersion {
  for (const name of ['bin', 'src', 'migrations', 'package.json']) {
    cpSync(join(root, name), join(directory, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  return {
    program: join(directory, 'bin/opentill.js'),
    migrateBy: (database, migration) => addMigration(directory, database, migration),
  };
}

/**
 * Makes a copy of the store alone, which shares the rest with this version: loaded beside it, it throws the same errors.
 * Returns the folder that is its `src/store/sqlite`.
 */
export function newerSqliteStore(directory: string, migration: string): string {
  mkdirSync(join(directory, 'src'), { recursive: true });
  for (const name of readdirSync(join(root, 'src')).filter((each) => each !== 'store'))
    symlinkSync(join(root, 'src', name), join(directory, 'src', name));
  for (const name of ['src/store', 'migrations', 'package.json'])
    cpSync(join(root, name), join(directory, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  rmSync(join(directory, 'src/store/errors.ts'));
  symlinkSync(join(root, 'src/store/errors.ts'), join(directory, 'src/store/errors.ts'));
  addMigration(directory, 'sqlite', migration);
  return join(directory, 'src/store/sqlite');
}

function addMigration(directory: string, database: 'sqlite' | 'postgres', migration: string): void {
  const folder = join(directory, 'migrations', database);
  const known = readdirSync(join(root, 'migrations', database)).filter((name) => /^\d+_.*\.sql$/.test(name));
  writeFileSync(join(folder, `${String(known.length + 1).padStart(4, '0')}_next.sql`), migration);
}
