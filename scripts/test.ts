/**
 * `npm test`: runs the test files in a few processes, each of which runs many, and says which took longest.
 *
 *     node scripts/test.ts [--rest] [words]
 *
 * Words choose the files whose paths contain one of them, on every database. `--rest` runs what `npm test` leaves out,
 * and its campaigns at length.
 */
import { execFile } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { parseArgs, promisify } from 'node:util';
import { startSharedBrowser } from '../test/support/browser.ts';
import { quickestDirectory } from '../test/support/memory.ts';
import { globalSetup, globalTeardown } from '../test/support/postgres-setup.ts';
import { COMPILED, hasCompiler, nameOf, planOf, publish, RUNS_OF_LANE } from './test/plan.ts';
import { report } from './test/report.ts';

/** The scale of the longer campaigns, compared with `npm test`. */
const LONG = '4';

const { values, positionals } = parseArgs({
  options: { rest: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = join(import.meta.dirname, '..');
process.chdir(root);

const plan = planOf(values.rest ? 'rest' : 'usual', positionals);
if (plan.length === 0) throw new Error(`no test file has ${positionals.join(' or ')} in its path`);
if (values.rest && positionals.length === 0 && !hasCompiler()) {
  const left = globSync('test/crash/*.test.ts').filter((file) => COMPILED.test(file));
  console.log(`Left out, as they need Linux and a C compiler that can be started as cc: ${left.join(', ')}`);
}
const directory = mkdtempSync(join(await quickestDirectory(), 'opentill-run-'));
// The PostgreSQL of a test may run as somebody else.
chmodSync(directory, 0o711);
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

const ends: Array<() => Promise<void>> = [];
/** Tests also wait, for other processes and for what they start, so there are more lanes at a time than processors. */
const concurrency = Math.min(plan.length, availableParallelism() + 2);
const lanes = Math.max(concurrency, Math.ceil(plan.length / RUNS_OF_LANE));
// Each process would compile the same code again.
const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') };
const [forBrowser] = await Promise.all([shared(), compile()]);
const environment = {
  ...process.env,
  ...forBrowser,
  ...publish(plan, directory),
  ...compiled,
  TMPDIR: directory,
  ...(values.rest ? { OPENTILL_TEST_SCALE: LONG } : {}),
};
const stream = run({
  files: Array<string>(lanes).fill(join(import.meta.dirname, 'test/lane.ts')),
  concurrency,
  env: environment,
  signal: stopping.signal,
});
const success = await report(stream, plan.map(nameOf));
for (const end of ends) await end();
process.exitCode = success ? 0 : 1;

/** Starts what test files share: PostgreSQL, which the environment of this process then names, and the browser. */
async function shared(): Promise<NodeJS.ProcessEnv> {
  ends.push(globalTeardown);
  const hasPages = plan.some(({ file }) => file.startsWith('test/pages/'));
  const [browser] = await Promise.all([hasPages ? startSharedBrowser() : null, globalSetup()]);
  if (browser === null) return {};
  ends.push(browser.close);
  return browser.environment;
}

/**
 * Compiles the service before lanes begin, in a process that keeps what it has compiled when it ends. Services that tests
 * kill do not: where nothing is kept yet, as behind `npm ci`, each would compile everything again, for as much processor
 * time as the rest of its start takes.
 */
async function compile(): Promise<void> {
  const files = ['src/main.ts', ...globSync('src/cli/**/*.ts', { exclude: ['**/*-thread.ts'] })];
  const load = `for (const file of ${JSON.stringify(files)}) await import('./' + file);`;
  const env = { ...process.env, ...compiled };
  // Tests of code that cannot be loaded say so themselves.
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', load], { env }).catch(() => {});
}
