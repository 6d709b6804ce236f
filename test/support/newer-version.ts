/** A newer version of opentill: a copy of this one with a further migration. */
import { cpSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
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
  const next = readdirSync(join(root, 'migrations/sqlite')).length + 1;
  for (const database of ['sqlite', 'postgres'] as const) {
    const name = `${String(next).padStart(4, '0')}_next.sql`;
    writeFileSync(join(directory, 'migrations', database, name), migration[database]);
  }
  return join(directory, 'bin/opentill.js');
}
