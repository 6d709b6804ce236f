/** How SQLite finds what a list asks for. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { checkoutList } from '../../src/store/resources/checkouts.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { onSqlite } from '../../src/store/sqlite/run.ts';
import { combinations, combined, type FilterName, pages } from '../support/filters.ts';

suite('every filter is served by an index of the tenant', () => {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-test-'));
  const database = openDatabase(join(directory, 'till.db'));
  after(() => {
    database.close();
    rmSync(directory, { recursive: true });
  });
  /** The index that must serve a filter which may find few among many. */
  const indexes: Partial<Record<FilterName, RegExp>> = {
    status: /checkout_status /,
    payment_status: /checkout_payment_status /,
    invoice_currency: /checkout_currency /,
    reference_id: /checkout_reference /,
    customer: /checkout_customer /,
    partially_paid: /checkout_partially_paid /,
    paid_in_excess: /checkout_paid_in_excess /,
    metadata: /found USING PRIMARY KEY \(account=\? AND live=\? AND name=\? AND value=\?/,
    q: /checkout_reference .*checkout_email .*checkout_overview /,
  };

  for (const combination of combinations) {
    test(combination.join(', '), () => {
      for (const page of pages) {
        const read = checkoutList({ account: 1, mode: 'test' }, combined(combination), page);
        const { text, values } = onSqlite(read.sql);
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
        const plan = steps.map(({ detail }) => String(detail));
        // What is read from a subquery has been searched for in it.
        for (const step of plan.filter((each) => /^(SCAN(?! \(subquery)|SEARCH)/.test(each))) {
          assert.match(step, /^SEARCH (checkout|found) USING .*\(account=\? AND live=\?/, text);
        }
        const [only] = combination;
        if (only && combination.length === 1) assert.match(plan.join(' '), indexes[only] ?? /./);
      }
    });
  }
});
