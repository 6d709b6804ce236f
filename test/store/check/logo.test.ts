/** The logos that accounts name, and the images that are there. The damages of `db check` try the same on whole databases. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { commonRules } from '../../../src/store/check/check.ts';

type Row = readonly [account: number, live: 0 | 1, name: string];

const THERE = 'the logo that an account names is there';
const NAMED = 'every logo is named by its account';

/** Tenants that break the rule, where accounts name these logos in test and live mode, and these rows are there. */
function broken(
  t: TestContext,
  rule: string,
  named: ReadonlyArray<readonly [test: string | null, live: string | null]>,
  rows: readonly Row[],
): ReadonlyArray<readonly [account: unknown, live: unknown]> {
  const database = new DatabaseSync(':memory:');
  t.after(() => database.close());
  database.exec(`
    CREATE TABLE account (number INTEGER, logo_test TEXT, logo_live TEXT) STRICT;
    CREATE TABLE logo (account INTEGER, live INTEGER, name TEXT) STRICT;`);
  const account = database.prepare('INSERT INTO account VALUES (?, ?, ?)');
  for (const [index, names] of named.entries()) account.run(index + 1, ...names);
  const logo = database.prepare('INSERT INTO logo VALUES (?, ?, ?)');
  for (const row of rows) logo.run(...row);
  const sql = commonRules.find((each) => each.rule === rule)?.sql ?? assert.fail(rule);
  return database
    .prepare(sql)
    .all()
    .map(({ account, live }) => [account, live]);
}

suite('logos and the accounts that name them', () => {
  for (const rule of [THERE, NAMED]) {
    test(`agree: ${rule}`, (t) => {
      assert.deepEqual(broken(t, rule, [[null, null]], []), []);
      const named = [
        ['a', 'b'],
        [null, 'a'],
      ] as const;
      const rows: readonly Row[] = [
        [1, 0, 'a'],
        [1, 1, 'b'],
        [2, 1, 'a'],
      ];
      assert.deepEqual(broken(t, rule, named, rows), []);
    });
  }

  test('miss an image: there is none, one of another mode or account, or one under another name', (t) => {
    const missing = (...rows: readonly Row[]) => broken(t, THERE, [['a', null]], rows);
    assert.deepEqual(missing(), [[1, 0]]);
    assert.deepEqual(missing([1, 1, 'a'], [2, 0, 'a']), [[1, 0]]);
    assert.deepEqual(missing([1, 0, 'b']), [[1, 0]]);
    assert.deepEqual(broken(t, THERE, [[null, 'a']], []), [[1, 1]]);
  });

  test('have an image that nobody names: its account has none, or one under another name', (t) => {
    const unnamed = (row: Row) => broken(t, NAMED, [['a', null]], [row]);
    assert.deepEqual(unnamed([1, 1, 'a']), [[1, 1]]);
    assert.deepEqual(unnamed([1, 0, 'b']), [[1, 0]]);
    assert.deepEqual(unnamed([2, 0, 'a']), [[2, 0]]);
  });
});
