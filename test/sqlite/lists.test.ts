/** How SQLite finds what a list of sessions asks for: each of its filters, as the list declares them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { PageRequest } from '../../src/store/page.ts';
import { checkoutPage } from '../../src/store/resources/checkout-lists.ts';
import { checkoutFilters } from '../../src/store/resources/checkouts.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { onSqlite } from '../../src/store/sqlite/run.ts';
import type { CheckoutFilter } from '../../src/store/store.ts';
import { combinationsOf, pages, statementsOf, titleOf } from '../support/filters.ts';

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

/** Conditions that have an index of their own, in the order in which they are counted; classes have one for all five. */
const classes = ['status', 'paymentStatus', 'currency', 'partiallyPaid', 'paidInExcess'];
const leads = ['referenceId', 'customer', 'metadata', 'search'];
/** Those whose index has the order of the list. */
const sorted = ['referenceId', 'customer', 'metadata'];

type Step = { readonly parent: number; readonly detail: string };

suite('a list of sessions', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-test-'));
  const database = openDatabase(join(directory, 'till.db'));
  after(() => {
    database.close();
    rmSync(directory, { recursive: true });
  });

  function plansOf(filter: CheckoutFilter, page: PageRequest, few: number | null): Step[][] {
    return statementsOf(checkoutPage({ account: 1, mode: 'test' }, filter, page), few).map((statement) => {
      const { text, values } = onSqlite(statement);
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
      return steps.map(({ parent, detail }) => ({ parent: Number(parent), detail: String(detail) }));
    });
  }

  /** Whether a step goes from row to row of the whole tenant. Of the currencies only the first one is looked for. */
  function walks({ detail }: Step): boolean {
    const [, index = '', terms = ''] = /INDEX (\w+) \(account=\? AND live=\?(.*)\)$/.exec(detail) ?? [];
    return index !== '' && index !== 'checkout_class' && /^( AND id[<>]\?)?$/.test(terms);
  }

  for (const combination of combinationsOf(filters)) {
    const names = Object.keys(combination);
    const count = [leads, classes].reduce(
      (sum, group) => sum + (group === classes ? Number(group.some(has)) : group.filter(has).length),
      0,
    );
    function has(name: string): boolean {
      return names.includes(name);
    }
    const isRanged = has('amountFrom') || has('amountTo');
    const few = Array.from({ length: count }, (_, place) => place);

    for (const page of pages) {
      const at = Object.keys(page).at(-1);
      test(`is read by indexes of the tenant, in its order: ${titleOf(combination)} from ${at}`, () => {
        for (const one of [null, ...few]) {
          for (const plan of plansOf(combination, page, one)) {
            const text = plan.map(({ detail }) => detail).join('\n');
            for (const { detail } of plan.filter((step) =>
              /^(SCAN|SEARCH) (checkout|found|further)/.test(step.detail),
            )) {
              if (/^SCAN found( VIRTUAL TABLE INDEX 1:)?$/.test(detail)) continue;
              assert.match(detail, /^SEARCH \w+( EXISTS)? USING .*\(account=\? AND live=\?/, text);
            }
            assert.doesNotMatch(text, /TEMP B-TREE/);
          }
        }
      });

      test(`looks at few rows where a condition has few: ${titleOf(combination)} from ${at}`, () => {
        for (const one of few) {
          for (const plan of plansOf(combination, page, one)) {
            assert.deepEqual(plan.filter(walks), [], titleOf(combination));
          }
        }
      });

      test(`goes from row to row only where many match: ${titleOf(combination)} from ${at}`, () => {
        const isLed =
          !isRanged && (names.some((name) => sorted.includes(name)) || (count > 0 && !has('search')));
        const last = plansOf(combination, page, null).at(-1) ?? [];
        const walksAll =
          /INDEX (checkout_overview|sqlite_autoindex_checkout_1) \(account=\? AND live=\?( AND id[<>]\?)*\)$/;
        assert.equal(
          walksAll.test(last[0]?.detail ?? ''),
          !isLed,
          last.map(({ detail }) => detail).join('\n'),
        );
      });
    }
  }

  test('looks for what may be made of items in narrow rows, and for anything else by its beginning', () => {
    for (const [search, index] of [
      ['2 x w', 'checkout_overview'],
      ['12', 'checkout_overview'],
      ['12 ', 'checkout_overview'],
      ['123', 'checkout_description'],
      ['2 xl', 'checkout_description'],
      ['order', 'checkout_description'],
    ] as const) {
      const [counting = []] = plansOf({ search }, { limit: 20 }, 0);
      const found = counting.filter(({ detail }) => detail.includes(`${index} (account=? AND live=?`));
      assert.ok(
        found.some(({ detail }) => !detail.includes('id>?')),
        search,
      );
    }
  });
});
