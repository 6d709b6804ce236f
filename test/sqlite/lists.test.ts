/** How SQLite finds what a list of sessions asks for: each of its filters, as the list declares them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { checkoutFilters, checkoutList } from '../../src/store/resources/checkouts.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { onSqlite } from '../../src/store/sqlite/run.ts';
import type { CheckoutFilter } from '../../src/store/store.ts';
import { combinationsOf, pages, titleOf } from '../support/filters.ts';

type Declared = keyof typeof checkoutFilters;

/** A plan does not depend on the value, so that any will do for those that are a condition on a column. */
const declared = Object.fromEntries(Object.keys(checkoutFilters).map((name) => [name, true]));
const others: Required<Omit<CheckoutFilter, Declared>> = {
  createdFrom: 1,
  createdBefore: 1,
  metadata: [['a', 'b']],
  search: 'order',
};
const filters: CheckoutFilter = { ...declared, ...others };

/** What is read in the order of the list, skipping what does not fit: amounts by an index that holds them, and times. */
const walking = new Set<string>(['amountFrom', 'amountTo', 'createdFrom', 'createdBefore']);

suite('every filter is served by an index of the tenant', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-test-'));
  const database = openDatabase(join(directory, 'till.db'));
  const partial = new Set(
    database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'`)
      .all()
      .map(({ name }) => String(name)),
  );
  after(() => {
    database.close();
    rmSync(directory, { recursive: true });
  });

  /** Whether a step goes from row to row of the whole tenant, in whatever order. */
  function walks(step: string): boolean {
    const [, index = '', terms = ''] = /INDEX (\w+) \(account=\? AND live=\?(.*)\)$/.exec(step) ?? [];
    return index !== '' && !partial.has(index) && /^( AND id[<>]\?)*$/.test(terms);
  }

  for (const combination of combinationsOf(filters)) {
    test(titleOf(combination), () => {
      for (const page of pages) {
        const read = checkoutList({ account: 1, mode: 'test' }, combination, page);
        const { text, values } = onSqlite(read.sql);
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
        const plan = steps.map(({ detail }) => String(detail));
        // What is read from a subquery has been searched for in it.
        for (const step of plan.filter((each) => /^(SCAN(?! \(subquery)|SEARCH)/.test(each))) {
          assert.match(step, /^SEARCH (checkout|found) USING .*\(account=\? AND live=\?/, text);
        }
        const mayWalk = Object.keys(combination).every((name) => walking.has(name));
        assert.equal(walks(plan[0] ?? ''), mayWalk, plan.join('\n'));
        // A search may sort what begins with the text, in a subquery; the list itself is read in its order.
        const sorts = steps.filter(
          ({ parent, detail }) => parent === 0 && /TEMP B-TREE/.test(String(detail)),
        );
        assert.deepEqual(sorts, []);
      }
    });
  }
});
