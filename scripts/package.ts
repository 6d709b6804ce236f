/**
 * The steps around `npm pack`: npm runs `make` before it and `clear` behind it. A clone runs the source as it
 * is, but below node_modules Node.js strips no types: so a package brings the same code as JavaScript in
 * `dist/`, and locks the versions of what it needs.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from './package/compile.ts';
import { productionLock } from './package/lock.ts';

const root = join(import.meta.dirname, '..');
const [code, lock] = [join(root, 'dist'), join(root, 'npm-shrinkwrap.json')];

const [task] = process.argv.slice(2);
clear();
if (task === 'make') make();
else if (task !== 'clear') throw new Error('say make or clear');

function make(): void {
  try {
    compile(join(root, 'src'), code);
    writeFileSync(lock, productionLock(join(root, 'package-lock.json')));
  } catch (error) {
    // npm runs nothing behind a failure, and in a clone it would take this lock for its own.
    clear();
    throw error;
  }
}

function clear(): void {
  for (const path of [code, lock]) rmSync(path, { recursive: true, force: true });
}
