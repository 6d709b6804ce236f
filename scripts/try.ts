/**
 * `npm run try`: packs opentill, installs the package in an empty directory and takes it to a paid checkout with a
 * verified webhook, as a user would. Prints how long each step took; ends with status 1 if anything is wrong or all of it
 * takes more than a minute.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Done, takeJourney } from './try/journey.ts';

const run = promisify(execFile);
const LIMIT_SECONDS = 60;

const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'opentill-try-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));

const start = performance.now();
let last = start;
const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(1);
const done: Done = (step, result) => {
  console.log(`${seconds(last).padStart(6)} s  ${step.padEnd(8)} ${result}`);
  last = performance.now();
};

try {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: root });
  const file = stdout.trim().split('\n').at(-1) ?? '';
  done('pack', file);
  // Packages in npm's cache are not fetched again.
  await run('npm', ['install', '--silent', '--prefer-offline', `./${file}`], { cwd: directory });
  done('install', 'in an empty directory');
  const installed = performance.now();
  await takeJourney(directory, ['npx', 'opentill'], done);
  console.log(
    `${seconds(start).padStart(6)} s  in all, ${seconds(installed)} s of them without packing and installing`,
  );
  if (Number(seconds(start)) > LIMIT_SECONDS) throw new Error(`that is more than ${LIMIT_SECONDS} s`);
} catch (error) {
  const { message, stderr = '' } = error as Error & { stderr?: string };
  console.error(`try: ${message}${stderr === '' ? '' : `\n${stderr}`}`);
  process.exitCode = 1;
}
