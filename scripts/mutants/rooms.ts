/** The tests that answer for each folder of `src`. */
import { globSync } from 'node:fs';
import { basename } from 'node:path';

const api = ['test/api/*.test.ts', 'test/api/clients/*.test.ts'];

/** Tests beside `test/<room>`, by the room: what is slower, and finds what only the whole service shows. */
const furtherTests: Readonly<Record<string, readonly string[]>> = {
  accounts: ['test/store/sqlite.test.ts', 'test/cli/{account,key}*.test.ts', 'test/api/auth.test.ts'],
  banking: ['test/api/bank-*.test.ts', 'test/api/payment-files.test.ts'],
  config: ['test/cli/{serve,doctor/settings}.test.ts'],
  events: ['test/store/sqlite.test.ts', 'test/api/{event,webhooks}*.test.ts'],
  http: api,
  ingest: ['test/api/bank-*.test.ts', 'test/worker/*.test.ts'],
  i18n: ['test/documents/*.test.ts', 'test/pages/{render,states,bank}.test.ts'],
  lib: ['test/{accounts,banking,checkout,statements,worker}/**/*.test.ts', 'test/api/*.test.ts'],
  store: ['test/sqlite/damaged-row.test.ts', 'test/worker/*.test.ts'],
  'store/check': ['test/cli/db-check.test.ts'],
  'store/postgres': [
    'test/store/postgres*.test.ts',
    'test/postgres/*.test.ts',
    'test/cluster/{fail-over,hints,races,work}.test.ts',
    'test/cli/doctor/database.test.ts',
  ],
  'store/resources': ['test/store/sqlite*.test.ts', 'test/worker/*.test.ts', ...api],
  'store/sqlite': [
    'test/store/{sqlite*,checkpoint,log-sync}.test.ts',
    'test/sqlite/*.test.ts',
    'test/crash/damaged-start.test.ts',
    'test/cli/{db-backup,doctor/database}.test.ts',
  ],
  worker: ['test/api/{webhooks,deliveries,retention,schedule,lifecycle}*.test.ts'],
  writer: ['test/worker/*.test.ts', ...api],
};

/**
 * The test files of a source file in the order in which they are run: those that are named after it first. `isOwn`
 * leaves out those beside the room's own.
 */
export function stagesOf(root: string, room: string, file: string, isOwn: boolean): string[][] {
  // Tests on PostgreSQL would start a server for each mutant, and find what the same tests find on SQLite.
  const own = globSync(`test/${room}/**/*.test.ts`, { cwd: root, exclude: ['**/*postgres*'] }).sort();
  const patterns = isOwn ? [] : (furtherTests[room] ?? []);
  const further = [...new Set(patterns.flatMap((pattern) => found(root, pattern)))].sort();
  const name = basename(file, '.ts');
  const isNamed = (test: string) => basename(test).startsWith(name);
  const others = (tests: readonly string[]) => tests.filter((test) => !isNamed(test));
  const stages = [[...own, ...further].filter(isNamed), others(own), others(further)];
  return stages.filter((stage) => stage.length > 0);
}

/** The tests that a pattern names. Throws where there are none: one that has moved would be missed in silence. */
function found(root: string, pattern: string): string[] {
  const tests = globSync(pattern, { cwd: root });
  if (tests.length === 0) throw new Error(`no test is named ${pattern}`);
  return tests;
}

/** The room's sources, without those of inner rooms that have tests of their own. */
export function sourcesOf(root: string, room: string): string[] {
  const within = Object.keys(furtherTests).filter((other) => other.startsWith(`${room}/`));
  return globSync(`src/${room}/**/*.ts`, {
    cwd: root,
    exclude: within.map((other) => `src/${other}/**`),
  }).sort();
}
