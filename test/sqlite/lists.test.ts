/** Query plans of SQLite for lists of sessions: each of the filters that the list declares. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { Checkout } from '../../src/checkout/session.ts';
import type { PageRequest } from '../../src/store/page.ts';
import { checkoutFilters } from '../../src/store/resources/checkout-filters.ts';
import { checkoutPage } from '../../src/store/resources/checkout-lists.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { onSqlite, runner } from '../../src/store/sqlite/run.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { CheckoutFilter } from '../../src/store/store.ts';
import { add, payment, session, T, tenants } from '../store/build.ts';
import { combinationsOf, pages, statementsOf, titleOf } from '../support/filters.ts';
import { comparePages } from '../support/list-limits.ts';

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

const declaredAs = (is: (entry: object) => boolean): string[] =>
  Object.entries(checkoutFilters).flatMap(([name, entry]) => (is(entry) ? [name] : []));

/** Conditions that have an index of their own, in the order in which they are counted; the class has one for all. */
const classes = declaredAs((entry) => 'by' in entry && entry.by === 'class');
/** Filters whose index has the order of the list. */
const sorted = [...declaredAs((entry) => 'index' in entry), 'metadata'];
const leads = [...sorted, 'search'];

/** References in ranges, as they come in time, and other properties in turns. */
function variant(n: number): Partial<Checkout> {
  const paid = n % 11 === 0 ? [payment(`p${n}`, { amount: n % 22 === 0 ? 400 : 90_000 })] : [];
  const lifecycle =
    n % 6 === 0 ? ({ state: 'expired', at: T, by: 'time' } as const) : ({ state: 'active' } as const);
  const name = ['ada', 'bela', 'cleo'][n % 3] ?? '';
  const { payer } = session({ account: 1, mode: 'test' });
  return {
    createdAt: T + n * 1000,
    amount: 1000 + n * 30,
    currency: n % 5 === 0 ? 'GBP' : 'EUR',
    referenceId: `order-${n}`,
    description: n % 2 === 0 ? '2 x Widget' : `ADA ${n}`,
    metadata: { shop: n % 4 === 0 ? 'north' : 'south' },
    payer: { ...payer, email: `${name}${n}@example.com`, customer: n % 7 === 0 ? `cus_${n % 3}` : '' },
    payments: paid,
    lifecycle,
  };
}

type Step = { readonly parent: number; readonly detail: string };

suite('a list of sessions', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-test-'));
  const database = openDatabase(join(directory, 'till.db'));
  after(() => {
    database.close();
    rmSync(directory, { recursive: true });
  });

  function plansOf(filter: CheckoutFilter, page: PageRequest, few: number | null): Step[][] {
    return statementsOf(checkoutPage('sqlite', { account: 1, mode: 'test' }, filter, page), few).map(
      (statement) => {
        const { text, values } = onSqlite(statement);
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
        return steps.map(({ parent, detail }) => ({ parent: Number(parent), detail: String(detail) }));
      },
    );
  }

  /**
   * True if a step goes through all rows of the tenant. Of the currencies only the first one is looked for.
   */
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
    const isSearchAlone = has('search') && count === 1 && !isRanged;
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
              if (/^(SCAN|SEARCH) found( VIRTUAL TABLE INDEX 1:)?$/.test(detail)) continue;
              assert.match(detail, /^SEARCH \w+( EXISTS)? USING .*\(account=\? AND live=\?/, text);
            }
            // A search alone that finds many sorts out the first of them: no index of it is in the order of the list.
            if (!isSearchAlone || one !== null) assert.doesNotMatch(text, /TEMP B-TREE/);
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
        const isLed = isRanged
          ? has('search') && classes.some(has)
          : count > 0 || names.some((name) => sorted.includes(name));
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

  test('has the same sessions, whatever number of rows counts as many', async () => {
    const path = join(directory, 'many.db');
    const store = openSqliteStore(path);
    const { mine } = await tenants(store);
    const made: Checkout[] = [];
    for (let n = 0; n < 300; n++) made.push(await add(store, session(mine, variant(n))));
    await store.close();
    const many = openDatabase(path);
    const { steps } = runner(many);
    const [from, place, before] = [made[20], made[150], made[260]];
    assert.ok(from && place && before);
    const values = {
      referenceId: 'order-1',
      customer: 'cus_1' as const,
      createdFrom: from.createdAt,
      createdBefore: before.createdAt,
      metadata: [['shop', 'north']] as const,
    };
    const common = {
      status: 'active',
      paymentStatus: 'unpaid',
      currency: 'EUR',
      partiallyPaid: false,
    } as const;
    const rare = { status: 'expired', paymentStatus: 'paid', currency: 'GBP', partiallyPaid: true } as const;
    const filters: CheckoutFilter[] = [
      { ...values, ...common, amountFrom: 1000, amountTo: 5000, search: 'order-1' },
      { ...values, ...rare, paidInExcess: true, amountFrom: 5000, amountTo: 1000, search: 'ada' },
      { ...values, ...rare, amountFrom: 9000, search: '2 x' },
    ];
    await comparePages('sqlite', mine, filters, place.id, async (list) => steps(list));
    many.close();
  });

  test('searches descriptions in narrow rows, and everything else by its beginning', () => {
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
