/** Which test files run on which database, and who takes which. Lanes are processes, so they agree by way of files. */
import { closeSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Database = 'sqlite' | 'postgres';
export type Plan = Readonly<Record<Database, readonly string[]>>;

/** The directory of this run, which lanes inherit. */
const VARIABLE = 'OPENTILL_TEST_RUN';

/** Suites that run on either database, as OPENTILL_TEST_DATABASE says; all others bring their own. */
const ON_BOTH = /^test\/(api|pages)\//;

/**
 * Those of them in which no database shows, because requests are refused before it is asked or because a page looks the
 * same on each. They run on SQLite alone, and on PostgreSQL in `npm run test:all`.
 */
const SAME_ON_BOTH =
  /^test\/(api\/(bad-http|bad-input|create|endpoints-input|openapi|operations|uploads)|pages\/(?!live))/;

/** The contract of rails in the two variants that find different things; all four are in `npm run test:all`. */
const FURTHER_VARIANTS = /^test\/methods\/contract-(postgres-restarted|sqlite)\.test\.ts$/;

/** The longest begin first: what begins last should be short. */
const LONGEST = [
  /^test\/(cluster\/fail|store\/postgres\.|methods\/contract|cli\/(db-|serve)|pages\/states)/,
  /^test\/(cluster|crash|cli|pages|store|documents)\//,
  /^/,
];

/** All test files whose path contains one of the words, if there are words. */
export function planOf(words: readonly string[], { all }: { readonly all: boolean }): Plan {
  const files = globSync('test/**/*.test.ts').sort();
  const wanted = files.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  const rank = (file: string) => LONGEST.findIndex((pattern) => pattern.test(file));
  const first = wanted.toSorted((one, other) => rank(one) - rank(other));
  return {
    sqlite: first.filter((file) => all || words.length > 0 || !FURTHER_VARIANTS.test(file)),
    postgres: first.filter(
      (file) => ON_BOTH.test(file) && (all || words.length > 0 || !SAME_ON_BOTH.test(file)),
    ),
  };
}

/** A file as it is reported. */
export function nameOf(file: string, database: Database): string {
  return database === 'sqlite' ? file : `${file} on PostgreSQL`;
}

/** Writes the plan to the directory of the run; the environment for its lanes. */
export function publish(plan: Plan, lanes: readonly Database[], directory: string): NodeJS.ProcessEnv {
  writeFileSync(join(directory, 'plan.json'), JSON.stringify({ ...plan, lanes }));
  mkdirSync(join(directory, 'claimed'));
  return { [VARIABLE]: directory };
}

/** The database of the lane that asks; each call takes one lane. */
export function claimLane(): Database {
  const { lanes } = published();
  const lane = lanes.find((_, index) => claim(`lane-${index}`));
  if (lane === undefined) throw new Error('there are more lanes than were planned');
  return lane;
}

/** The next file that nobody has taken. */
export function claimFile(database: Database): string | undefined {
  return published()[database].find((_, index) => claim(`${database}-${index}`));
}

function published(): Plan & { readonly lanes: readonly Database[] } {
  return JSON.parse(readFileSync(join(directory(), 'plan.json'), 'utf8'));
}

function directory(): string {
  const directory = process.env[VARIABLE];
  if (directory === undefined) throw new Error('npm test starts the lanes');
  return directory;
}

/** Whoever makes the file has it. */
function claim(name: string): boolean {
  try {
    closeSync(openSync(join(directory(), 'claimed', name), 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
