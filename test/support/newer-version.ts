/** A newer version of opentill: a copy of this one with a further migration. */
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freshDirectory } from './process.ts';

const root = join(import.meta.dirname, '../..');

/** Makes the copy with this SQL as its newest migration; returns the program to run. */
export function newerVersion(
  t: TestContext,
  migration: { readonly sqlite: string; readonly postgres: string },
): string {
  const directory = freshDirectory(t);
  for (const name of ['bin', 'src', 'migrations', 'package.json']) {
    cpSync(join(root, name), join(directory, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  for (const database of ['sqlite', 'postgres'] as const)
    addMigration(directory, database, migration[database]);
  return join(directory, 'bin/opentill.js');
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
  const next = readdirSync(folder).filter((name) => /^\d+_.*\.sql$/.test(name)).length + 1;
  writeFileSync(join(folder, `${String(next).padStart(4, '0')}_next.sql`), migration);
}
