/** The plan of `npm test` and of `npm run test:all`: what one leaves out, the other has. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { nameOf, planOf } from '../scripts/test/plan.ts';

const usual = planOf('usual').map(nameOf);
const rest = planOf('rest', [], true).map(nameOf);
const files = globSync('test/**/*.test.ts');

test('each test file runs on each of its databases', () => {
  const all = files.flatMap((file) =>
    /^test\/(api\/|pages\/|dashboard\/(?!every-screen))/.test(file)
      ? [file, `${file} on PostgreSQL`]
      : [file],
  );
  assert.deepEqual([...new Set([...usual, ...rest])].sort(), all.sort());
});

const compiled = ['test/crash/io-faults.test.ts', 'test/crash/power-loss.test.ts'];

test('npm test runs each file on a database, but for long campaigns, two variants of a contract, every screen at once, and suites that need a compiler', () => {
  const left = files.filter((file) => !usual.includes(file));
  assert.deepEqual(left.sort(), [
    'test/cli/db-move-killed.test.ts',
    'test/cli/versions.test.ts',
    'test/cluster/fail-over.test.ts',
    'test/cluster/failing-receivers.test.ts',
    'test/cluster/partitions.test.ts',
    'test/cluster/refund-races.test.ts',
    'test/cluster/settings-races.test.ts',
    'test/cluster/stopped.test.ts',
    'test/cluster/without-locks.test.ts',
    'test/cluster/work.test.ts',
    'test/crash/damaged-start.test.ts',
    'test/crash/disk-full.test.ts',
    'test/crash/io-faults.test.ts',
    'test/crash/kill-steps.test.ts',
    'test/crash/page-damage.test.ts',
    'test/crash/power-loss.test.ts',
    'test/crash/stopped.test.ts',
    'test/dashboard/every-screen.test.ts',
    'test/documents/hostile.test.ts',
    'test/http/docs-in-browser.test.ts',
    'test/methods/contract-postgres-restarted.test.ts',
    'test/methods/contract-sqlite.test.ts',
    'test/scripts/deploy.test.ts',
    'test/scripts/package.test.ts',
    'test/sqlite/replaced.test.ts',
    'test/sqlite/standing-still.test.ts',
    'test/store/postgres-ordering.test.ts',
    'test/store/sqlite-ordering.test.ts',
  ]);
  assert.ok(usual.includes('test/api/concurrency.test.ts on PostgreSQL'));
});

test('test:all runs the campaigns, also those that a file imports', () => {
  const scaled = files.filter((file) => /from '.*support\/scale\.ts'/.test(readFileSync(file, 'utf8')));
  assert.ok(scaled.length > 10);
  for (const file of [...scaled, 'test/methods/contract-postgres-restarted.test.ts'])
    assert.ok(rest.includes(file), file);
  // Suites in which nothing is scaled are not run again.
  assert.ok(!rest.includes('test/store/sqlite.test.ts') && !rest.includes('test/store/postgres.test.ts'));
  assert.ok(!rest.includes('test/config/read.test.ts'));
});

test('test:all runs suites that need a compiler, where there is one', () => {
  const without = planOf('rest', [], false).map(nameOf);
  assert.deepEqual(
    rest.filter((name) => !without.includes(name)),
    compiled,
  );
});

test('words choose files, on all of their databases', () => {
  const chosen = planOf('usual', ['pages/states', 'contract-sqlite.']).map(nameOf);
  assert.deepEqual(chosen.sort(), [
    'test/methods/contract-sqlite.test.ts',
    'test/pages/states.test.ts',
    'test/pages/states.test.ts on PostgreSQL',
  ]);
  assert.deepEqual(planOf('usual', ['no such file']), []);
});
