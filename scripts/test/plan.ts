/**
 * The plan of a run: test files by database, and the lane that takes each. Lanes are processes, so they agree
 * by way of files.
 */
import { closeSync, existsSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export type Database = 'sqlite' | 'postgres';
/** A test file on a database. */
export type Run = { readonly file: string; readonly database: Database };
/** `npm test` and the rest: whatever that leaves out, and its campaigns at length. */
export type Part = 'usual' | 'rest';

/** The directory that the lanes share. */
const VARIABLE = 'OPENTILL_TEST_RUN';

/**
 * Most runs of a lane. Each may leave a service or more, some megabytes that the collector looks at again and again: of all 400
 * one process would keep 1.5 GB and 13 million objects. To start another one takes as long as a short file.
 */
export const RUNS_OF_LANE = 25;

/** Suites that run on either database, as OPENTILL_TEST_DATABASE says; all others bring their own. */
const ON_BOTH = /^test\/(api\/|pages\/|dashboard\/(?!every-screen))/;

/**
 * Suites that `npm test` too runs on either: requests that meet each other, wait for something, or meet a database in trouble.
 * In the others the API does the same with what it reads and writes, to which the suites of the store hold both databases.
 */
const USUALLY_ON_BOTH =
  /^test\/api\/(concurrency|conditions|event-(feed|stream|wait)|idempotency|lifecycle|schedule|trouble|webhooks)\./;

/** The contract of rails runs in the two variants that find different things. */
const FURTHER_VARIANTS = /^test\/methods\/contract-(postgres-restarted|sqlite)\.test\.ts$/;

/**
 * Every screen at every width. The suites of the screens look at more than how a screen begins, once in `npm test` and three
 * times in the rest.
 */
const EVERY_SCREEN = /^test\/dashboard\/every-screen\.test\.ts$/;

/**
 * Campaigns that `npm test` leaves out, as the rest has them at length: those that start processes for each of their
 * rounds, and find little in the few that it would have time for, of which it has one of each kind that finds more
 * (`crash/kill`, `crash/file-limit`, `cluster/killed`, `cluster/races`, and `postgres/trouble`); and what the suites of the
 * store try a little of. Beside them, what `npm test` has no time for in full: moves of databases that are killed midway,
 * hostile text in documents, the reference in a browser, files that are replaced and disks that stand still, two versions
 * beside each other, and the package and the image that are handed out.
 */
export const LONG_CAMPAIGNS = new RegExp(
  [
    '^test/cluster/(fail-over|failing-receivers|partitions|refund-races|settings-races|stopped|without-locks|work)\\.',
    '^test/crash/(damaged-start|disk-full|kill-steps|page-damage|stopped)\\.',
    '^test/(cli/(db-move-killed|versions)|documents/hostile|http/docs-in-browser|sqlite/(replaced|standing-still))\\.',
    '^test/scripts/(deploy|package)\\.',
    '^test/store/(postgres|sqlite)-ordering\\.',
  ].join('|'),
);

/** Suites that put a library of their own between a service and its disk: they need Linux and a C compiler. */
export const COMPILED = /^test\/crash\/(io-faults|power-loss)\.test\.ts$/;

/** True if a C compiler can be started; those who need it find out if it works. */
export const hasCompiler = (): boolean =>
  process.platform === 'linux' &&
  (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, 'cc')));

/** Says how much is tried; what imports it has more to do in the rest. */
const SCALE = 'test/support/scale.ts';

/** The longest begin first: what begins last should be short. */
const LONGEST = [
  /^test\/(cluster\/fail|store\/postgres\.|methods\/contract|cli\/(db-|serve)|pages\/states|checkout\/exhaustive)/,
  /^test\/(cluster|crash|linearizable|api\/fuzz|cli|pages|store|documents)\//,
  /^/,
];

/** All runs of the test files whose path contains one of the words; without words, those of the part. */
export function planOf(part: Part, words: readonly string[] = [], compiles = hasCompiler()): Run[] {
  const files = globSync('test/**/*.test.ts').sort();
  const wanted = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  const rank = ({ file }: Run) => LONGEST.findIndex((pattern) => pattern.test(file));
  return wanted
    .flatMap(runsOf)
    .filter((run) => words.length > 0 || isIn(part, run))
    .filter(({ file }) => words.length > 0 || compiles || !COMPILED.test(file))
    .sort((one, other) => rank(one) - rank(other));
}

function runsOf(file: string): Run[] {
  const onSqlite: Run = { file, database: 'sqlite' };
  return ON_BOTH.test(file) ? [onSqlite, { file, database: 'postgres' }] : [onSqlite];
}

function isIn(part: Part, { file, database }: Run): boolean {
  const isUsual =
    !FURTHER_VARIANTS.test(file) &&
    !EVERY_SCREEN.test(file) &&
    !LONG_CAMPAIGNS.test(file) &&
    !COMPILED.test(file) &&
    (database === 'sqlite' || USUALLY_ON_BOTH.test(file));
  return part === 'usual' ? isUsual : !isUsual || imports(file, SCALE);
}

/** True if a file imports another one, directly or indirectly. */
function imports(file: string, other: string, seen = new Set<string>()): boolean {
  if (file === other) return true;
  // Imports inside of quoted code may name files that do not exist.
  if (seen.has(file) || !file.startsWith('test/') || !existsSync(file)) return false;
  seen.add(file);
  const imported = readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+\.ts)';$/gm);
  return Array.from(imported, ([, path = '']) => join(dirname(file), path)).some((path) =>
    imports(path, other, seen),
  );
}

/** A run as it is reported. */
export function nameOf({ file, database }: Run): string {
  return database === 'sqlite' ? file : `${file} on PostgreSQL`;
}

/** Writes the plan to the directory that the lanes share; the environment by which they find it. */
export function publish(plan: readonly Run[], directory: string): NodeJS.ProcessEnv {
  writeFileSync(join(directory, 'plan.json'), JSON.stringify(plan));
  mkdirSync(join(directory, 'claimed'));
  return { [VARIABLE]: directory };
}

/** The next run that no lane has taken. */
export function claimRun(): Run | undefined {
  const directory = process.env[VARIABLE];
  if (directory === undefined) throw new Error('npm test starts the lanes');
  const plan: readonly Run[] = JSON.parse(readFileSync(join(directory, 'plan.json'), 'utf8'));
  return plan.find((_, index) => claim(join(directory, 'claimed', String(index))));
}

/** The lane that creates the file owns the claim. */
function claim(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
