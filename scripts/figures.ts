/**
 * `npm run figures`: how large the code is, how its rooms hang together, and how often it overrules its types, for the
 * tree at hand; with a commit (`npm run figures -- v0.1.0`) for that one.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importsIn, mutual, roomOf, roomsOf, upward } from './figures/rooms.ts';

const here = join(import.meta.dirname, '..');
const [commit] = process.argv.slice(2);
if (commit === undefined) print(here);
else {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-figures-'));
  try {
    const parts = ['src', 'scripts', 'openapi.json'];
    const archive = execFileSync('git', ['archive', commit, ...parts], { cwd: here, maxBuffer: 2 ** 28 });
    execFileSync('tar', ['-x', '-C', directory], { input: archive });
    print(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function print(root: string): void {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const linesOf = (file: string) => read(file).split('\n').length - 1;
  const imports = importsIn(root);
  const rooms = roomsOf(imports);
  const files = [...imports.keys()];
  const line = (what: string, ...figures: readonly (number | string)[]) =>
    console.log(what.padEnd(44) + figures.map((each) => String(each).padStart(8)).join(''));
  const named = (what: string, found: readonly string[]) => {
    line(what, found.length);
    for (const each of found) console.log(`  ${each}`);
  };

  line('room', 'files', 'loose', 'lines', 'imports');
  for (const [room, others] of rooms) {
    const own = files.filter((file) => roomOf(file) === room);
    const loose = own.filter((file) => file.split('/').length <= 3);
    line(`  ${room}`, own.length, loose.length, sum(own.map(linesOf)), others.size);
  }
  line('src', files.length, '', sum(files.map(linesOf)));
  console.log();
  line('rooms', rooms.size);
  line('arrows between rooms', sum([...rooms.values()].map(({ size }) => size)));
  named('imports against the direction', upward(imports));
  named('pairs of rooms that import each other', mutual(rooms));
  named('pairs of files that do, perhaps when needed', mutual(imports));
  console.log();
  const casts = files.flatMap((file) => castsIn(read(file)));
  line('casts', casts.length);
  line('casts by way of unknown', casts.filter((each) => each.startsWith('unknown as ')).length);
  line('lines of openapi.json', linesOf('openapi.json'));
  const faults = globSync('scripts/faults/*.ts', { cwd: root }).map(read);
  line('planted faults', sum(faults.map((code) => code.match(/^ +find:/gm)?.length ?? 0)));
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, each) => total + each, 0);
}

/**
 * The types that expressions are cast to, but `const`. Without types a text has blanks in their place: what is still
 * there before an `as` that is gone was an expression. (Of two casts in a row, the second is part of the first.)
 */
function castsIn(code: string): string[] {
  const plain = stripTypeScriptTypes(code);
  return [...code.matchAll(/(\S)\s+as (?!const\b)([^;\n]*)/g)].flatMap(({ 0: text, 2: type = '', index }) => {
    const at = index + text.indexOf('as ', 1);
    const isExpression = plain[index] === code[index] && plain[at] === ' ';
    return isExpression ? [type] : [];
  });
}
