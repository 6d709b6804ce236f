/** Query plans of PostgreSQL for lists, among many sessions of several accounts. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { planning } from '../../src/store/postgres/searches.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { checkoutPage } from '../../src/store/resources/checkout-lists.ts';
import { awaitSteps, type Steps } from '../../src/store/steps.ts';
import type { CheckoutFilter } from '../../src/store/store.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { indexesOf, withValues } from '../support/explain.ts';
import { combinationsOf, pages, statementsOf, titleOf } from '../support/filters.ts';
import { comparePages } from '../support/list-limits.ts';
import { sampler } from '../support/scale.ts';

const SESSIONS = 3_000;
const ACCOUNTS = 20;

/** Rows that match the filters are one in a hundred or two hundred, which is what an index is for. */
const fill = [
  `INSERT INTO checkout (account, live, id, version, event_count, status, payment_status, invoice_currency,
     amount_paid, partially_paid, paid_in_excess, reference_id, customer, email, data)
   SELECT account, false, 'chk_' || lpad((n * 333)::text, 6, '0'), 1, 1,
     CASE n % 100 WHEN 1 THEN 'active' ELSE 'expired' END, CASE n % 100 WHEN 2 THEN 'paid' ELSE 'expired' END,
     CASE n % 100 WHEN 3 THEN 'EUR' ELSE 'USD' END, 0, n % 200 = 4, n % 200 = 5,
     CASE n % 1000 WHEN 6 THEN 'order-' ELSE 'cart-' END || n / 1000,
     'cus_' || n % 100, 'payer-' || n || '@example.com', '{}'
   FROM generate_series(1, ${SESSIONS}) AS n, generate_series(1, ${ACCOUNTS}) AS account`,
  `INSERT INTO checkout_overview SELECT account, live, id, right(id, 6)::bigint,
     CASE WHEN right(id, 2) = '07' THEN 'order ' ELSE 'cart ' END || id, invoice_currency, 0, 0 FROM checkout`,
  `INSERT INTO checkout_metadata
   SELECT account, live, 'a', CASE WHEN right(id, 2) = '00' THEN 'b' ELSE right(id, 2) END, id FROM checkout`,
  `INSERT INTO payment
   SELECT account, live, 'sandbox', id, id, 1, id, 1, 'EUR', 1, false FROM checkout`,
  'ANALYZE',
];

const filters: Required<CheckoutFilter> = {
  status: 'active',
  paymentStatus: 'paid',
  currency: 'EUR',
  referenceId: 'order-1',
  customer: 'cus_1',
  createdFrom: 1,
  createdBefore: 1,
  amountFrom: 1,
  amountTo: 1,
  partiallyPaid: true,
  paidInExcess: true,
  metadata: [['a', 'b']],
  search: 'order',
};

/** The index that must serve a filter which finds few among many. */
const indexes: { readonly [F in keyof CheckoutFilter]?: readonly string[] } = {
  status: ['checkout_class'],
  paymentStatus: ['checkout_class'],
  currency: ['checkout_class'],
  referenceId: ['checkout_reference'],
  customer: ['checkout_customer'],
  amountFrom: ['checkout_overview_pkey'],
  amountTo: ['checkout_overview_pkey'],
  partiallyPaid: ['checkout_class'],
  paidInExcess: ['checkout_class'],
  metadata: ['checkout_metadata_pkey'],
  search: ['checkout_reference', 'checkout_email', 'checkout_overview_description'],
};

suite('every filter is served by an index of the tenant', async () => {
  const { url, query, remove } = await freshPostgres();
  after(remove);
  await (await openPostgresStore(url)).close();
  for (const statement of fill) await query(statement);
  for (const [name, value] of Object.entries(planning)) await query(`SET ${name} = '${value}'`);

  for (const combination of combinationsOf(filters)) {
    test(titleOf(combination), async () => {
      for (const page of pages) {
        const used = new Set<string>();
        for (const few of [null, 0, 1, 2, 3, 4]) {
          const list = checkoutPage('postgres', { account: 2, mode: 'test' }, combination, page);
          for (const sql of statementsOf(list, few)) {
            for (const index of await indexesOf({ query }, { sql })) used.add(index);
          }
        }
        const [only, ...others] = Object.keys(combination) as (keyof CheckoutFilter)[];
        if (only === undefined || others.length > 0) continue;
        for (const index of indexes[only] ?? []) assert.ok(used.has(index), `${index}: ${[...used]}`);
      }
    });
  }

  test('has the same sessions, whatever number of rows counts as many', async () => {
    const many = {
      ...filters,
      status: 'expired',
      paymentStatus: 'expired',
      currency: 'USD',
      search: 'cart',
    } as const;
    const wide = { ...many, amountFrom: 300_000, amountTo: 700_000, createdFrom: 0, createdBefore: 2e12 };
    const rare = { ...filters, amountFrom: 999_000, amountTo: 2 };
    // Of the first ten of the customer, one has such an amount.
    const some = { customer: 'cus_1', amountTo: 700_000 } as const;
    const run = <T>(list: Steps<T>) => awaitSteps(list, (sql) => query(withValues(sql)));
    const tenant = { account: 2, mode: 'test' } as const;
    await comparePages('postgres', tenant, [wide, rare, some], 'chk_499500', run, sampler(0.25));
  });

  /** The plan by which the sessions of a page are found if everything has many rows, none of them where they are looked for first. */
  async function planOf(filter: CheckoutFilter): Promise<string> {
    const page = { limit: 7, after: 'chk_499500' };
    const limits = { few: 0, near: 0, again: 0, sorted: 0 };
    const texts: string[] = [];
    const list = checkoutPage('postgres', { account: 2, mode: 'test' }, filter, page, limits);
    await awaitSteps(list, (sql) => query(texts[texts.push(withValues(sql)) - 1] ?? ''));
    const rows = await query(`EXPLAIN ${texts.at(-2)}`);
    return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  }

  test('looks in indexes alone for what fulfils several conditions of which each has many rows', async () => {
    await query('VACUUM checkout, checkout_overview, checkout_metadata');
    const all = { status: 'expired', amountFrom: 1, search: 'cart', metadata: [['a', '01']] } as const;
    for (const one of ['status', 'amountFrom', 'search', 'metadata'] as const) {
      const { [one]: _, ...filter } = all;
      const plan = await planOf(filter);
      assert.equal(plan.match(/SetOp Intersect/g)?.length, 2, plan);
      assert.doesNotMatch(plan, /Seq Scan|Bitmap|Index Scan/, plan);
    }
  });
});
