/** Compiles the source for a package: types become blanks, so that lines and columns of a trace are those of the source. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** References to our own files: imports, exports, and addresses of threads. */
const NAMED = /(\bfrom |\bimport |\bimport\(|\bnew URL\()'(\.{1,2}\/[^'\n]*)\.ts'/g;

/** Writes each TypeScript file of a directory as JavaScript, and copies all others. */
export function compile(from: string, to: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const target = join(to, relative(from, file));
    mkdirSync(dirname(target), { recursive: true });
    if (file.endsWith('.ts'))
      writeFileSync(target.replace(/\.ts$/, '.js'), compiled(readFileSync(file, 'utf8'), file));
    else copyFileSync(file, target);
  }
}

/** Exported for the test. */
export function compiled(source: string, name: string): string {
  const code = stripTypeScriptTypes(source).replace(NAMED, "$1'$2.js'");
  const missed = /'\.{1,2}\/[^'\n]*\.ts'/.exec(code);
  if (missed)
    throw new Error(`${name} names ${missed[0]} in a way that the compiler of packages does not know`);
  return code;
}
