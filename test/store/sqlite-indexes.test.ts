/** How SQLite finds what a list of sessions asks for. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { listQuery } from '../../src/store/sqlite/checkouts.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import type { CheckoutFilter } from '../../src/store/store.ts';
import { freshDirectory } from '../support/process.ts';

function openFresh(t: TestContext): DatabaseSync {
  const database = openDatabase(join(freshDirectory(t), 'test.db'));
  t.after(() => database.close());
  return database;
}

suite('every filter of a list', () => {
  const filters: ReadonlyArray<[CheckoutFilter, ...string[]]> = [
    [{ status: 'active' }, 'checkout_status'],
    [{ paymentStatus: 'paid' }, 'checkout_payment_status'],
    [{ currency: 'EUR' }, 'checkout_currency'],
    [{ referenceId: 'x' }, 'checkout_reference'],
    [{ customer: 'x' }, 'checkout_customer'],
    [{ amountFrom: 1 }, 'checkout_overview'],
    [{ amountTo: 1 }, 'checkout_overview'],
    [{ partiallyPaid: true }, 'checkout_partially_paid'],
    [{ paidInExcess: true }, 'checkout_paid_in_excess'],
    [{ createdFrom: 1, createdBefore: 2 }, 'id>? AND id<?'],
    [{ metadata: [['a', 'b']] }, 'found USING PRIMARY KEY (account=? AND live=? AND name=? AND value=?)'],
    [{ search: 'x' }, 'id>? AND id<?', 'checkout_reference', 'checkout_email', 'checkout_overview'],
  ];
  for (const [filter, ...indexes] of filters) {
    test(`is served by an index: ${Object.keys(filter)}`, (t) => {
      const database = openFresh(t);
      const { sql, values } = listQuery({ account: 1, mode: 'test' }, filter, { limit: 20 });
      const plan = database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values)
        .map(({ detail }) => String(detail));
      for (const index of indexes) assert.ok(plan.join('\n').includes(index), plan.join('\n'));
      assert.doesNotMatch(plan.join('\n'), /\bSCAN\b(?! \(subquery)/);
      for (const search of plan.filter((step) => step.startsWith('SEARCH')))
        assert.match(search, /account=\? AND live=\?/);
    });
  }

  const shop = ['shop', 'north'] as const;
  const leading: ReadonlyArray<[CheckoutFilter, RegExp]> = [
    [{ metadata: [shop] }, /^SEARCH found /],
    [{ metadata: [shop, ['a', 'b'], ['c', 'd']] }, /^SEARCH found /],
    [{ metadata: [shop], status: 'active', customer: 'x', partiallyPaid: true }, /^SEARCH found /],
    [{ metadata: [shop], createdFrom: 1, createdBefore: 2 }, /^SEARCH found .* checkout>\? AND checkout<\?/],
    [{ partiallyPaid: true, status: 'active', currency: 'EUR' }, / checkout_partially_paid /],
    [{ paidInExcess: true, paymentStatus: 'paid', amountFrom: 1 }, / checkout_paid_in_excess /],
    [{ partiallyPaid: true, referenceId: 'x' }, / checkout_reference /],
  ];
  for (const [filter, first] of leading) {
    test(`is checked on the rows of the one that leads, in their order: ${JSON.stringify(filter)}`, (t) => {
      const database = openFresh(t);
      for (const cursor of [{}, { after: 'chk_5' }, { before: 'chk_5' }]) {
        const { sql, values } = listQuery({ account: 1, mode: 'test' }, filter, { limit: 20, ...cursor });
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
        const plan = steps.map(({ detail }) => String(detail));
        assert.match(plan[0] ?? '', first);
        assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE|LIST SUBQUERY/);
      }
    });
  }

  test('has an end: a search by itself is cut off at a page, from each place where it looks', () => {
    const scope = { account: 1, mode: 'test' } as const;
    const limits = (filter: CheckoutFilter) =>
      listQuery(scope, filter, { limit: 20, after: 'chk_5' }).sql.split('LIMIT ?').length - 1;
    assert.equal(limits({ search: 'x' }), 5);
    assert.equal(limits({ search: 'x', createdFrom: 1 }), 5);
    assert.equal(
      limits({ search: 'x', status: 'active' }),
      1,
      'what else is asked might leave less than a page',
    );
  });
});
