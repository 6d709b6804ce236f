/**
 * `npm test`: runs the test files in a few processes, each of which runs many, and says which took longest.
 *
 *     node scripts/test.ts [--all] [words]
 *
 * Words choose the files whose paths contain one of them. `--all` runs everything on every database and at full size.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { parseArgs } from 'node:util';
import { startSharedBrowser } from '../test/support/browser.ts';
import { quickestDirectory } from '../test/support/memory.ts';
import { globalSetup, globalTeardown } from '../test/support/postgres-setup.ts';
import { type Database, nameOf, type Plan, planOf, publish } from './test/plan.ts';
import { report } from './test/report.ts';

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = join(import.meta.dirname, '..');
process.chdir(root);

const plan = planOf(positionals, values);
const directory = mkdtempSync(join(await quickestDirectory(), 'opentill-run-'));
// The PostgreSQL of a test may run as somebody else.
chmodSync(directory, 0o711);
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

const ends: Array<() => Promise<void>> = [];
const lanes = lanesFor(plan);
const environment = {
  ...process.env,
  ...publish(plan, lanes, directory),
  ...(await shared(plan)),
  // Each process would compile the same code again.
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
  TMPDIR: directory,
  ...(values.all ? { OPENTILL_TEST_SCALE: '4' } : {}),
};
const stream = run({
  files: lanes.map(() => join(import.meta.dirname, 'test/lane.ts')),
  concurrency: processesAtOnce(),
  env: environment,
  signal: stopping.signal,
});
const success = await report(stream, [
  ...plan.sqlite.map((file) => nameOf(file, 'sqlite')),
  ...plan.postgres.map((file) => nameOf(file, 'postgres')),
]);
for (const end of ends) await end();
process.exitCode = success ? 0 : 1;

/** Tests also wait, for other processes and for what they start. */
function processesAtOnce(): number {
  return availableParallelism() + 1;
}

function lanesFor({ sqlite, postgres }: Plan): Database[] {
  const lanes = (database: Database, files: readonly string[]) =>
    Array<Database>(Math.min(files.length, processesAtOnce())).fill(database);
  return [...lanes('sqlite', sqlite), ...lanes('postgres', postgres)];
}

/** Starts what test files share; the environment by which they find it. */
async function shared({ sqlite, postgres }: Plan): Promise<NodeJS.ProcessEnv> {
  ends.push(globalTeardown);
  await globalSetup();
  const { OPENTILL_TEST_POSTGRES } = process.env;
  if (![...sqlite, ...postgres].some((file) => file.startsWith('test/pages/')))
    return { OPENTILL_TEST_POSTGRES };
  const browser = await startSharedBrowser();
  ends.push(browser.close);
  return { OPENTILL_TEST_POSTGRES, ...browser.environment };
}
