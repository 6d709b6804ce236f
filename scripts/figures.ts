/**
 * `npm run figures`: how large the code is, how its rooms hang together, and how often it overrules its types, for the
 * tree at hand; with a commit (`npm run figures -- v0.1.0`) for that one.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figuresOf } from './figures/count.ts';

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
  const figures = figuresOf(root);
  const line = (what: string, ...given: readonly (number | string)[]) =>
    console.log(what.padEnd(44) + given.map((each) => String(each).padStart(8)).join(''));
  const named = (what: string, found: readonly string[]) => {
    line(what, found.length);
    for (const each of found) console.log(`  ${each}`);
  };

  line('room', 'files', 'loose', 'lines', 'imports');
  for (const { name, files, loose, lines, imports } of figures.rooms)
    line(`  ${name}`, files, loose, lines, imports);
  line('src', figures.files, figures.loose, figures.lines);
  console.log();
  line('rooms', figures.rooms.length);
  line('floors', figures.floors);
  line('arrows between rooms', figures.arrows);
  named('imports against the direction', figures.upward);
  named('pairs of rooms that import each other', figures.mutualRooms);
  named('pairs of files that do, perhaps when needed', figures.mutualFiles);
  console.log();
  line('casts', figures.casts);
  line('casts by way of unknown', figures.castsByUnknown);
  line('lines of openapi.json', figures.linesOfOpenApi);
  line('planted faults', figures.faults);
}
