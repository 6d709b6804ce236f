/** PostgreSQL's own about money: other processes, and indexes. */

import assert from 'node:assert/strict';
import { after, suite, type TestContext, test } from 'node:test';
import postgres from 'postgres';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { bankEntries } from '../../src/store/resources/bank-entries.ts';
import { bankFiles } from '../../src/store/resources/bank-files.ts';
import { movements } from '../../src/store/resources/movements.ts';
import { providerEvents } from '../../src/store/resources/provider-events.ts';
import { railKey } from '../../src/store/resources/rail-reference.ts';
import type { Read } from '../../src/store/resources/read.ts';
import { refundList } from '../../src/store/resources/refunds.ts';
import { totals } from '../../src/store/resources/totals.ts';
import type {
  BankEntryFilter,
  Loaded,
  MovementFilter,
  RefundFilter,
  Store,
  Unit,
} from '../../src/store/store.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { indexesOf, rowsByIndex } from '../support/explain.ts';
import { migratedDatabase } from '../support/postgres.ts';
import {
  add,
  bankEntry,
  changed,
  eventOf,
  load,
  providerEvent,
  session,
  T,
  tenants,
  write,
} from './build.ts';

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openPostgresStore(url, { serve: true });
  t.after(() => store.close());
  return store;
}

suite('another process', () => {
  test('that was first with a bank entry is found at the next try', async (t) => {
    const url = await migratedDatabase(t);
    const stores = [await open(t, url), await open(t, url)] as const;
    const { mine } = await tenants(stores[0]);
    let made = 0;
    const unit = (reference: string): Unit => ({
      needs: { tenant: mine, bankEntries: [reference] },
      decide: (loaded) => {
        const known = loaded.bankEntries.get(reference);
        // A try that fails writes nothing, and is counted by nobody.
        const { tries } = known ?? { tries: 0 };
        const first = known ?? bankEntry(reference, { dueAt: T + ++made });
        return [{ bankEntry: { ...first, tries: tries + 1 } }];
      },
    });
    const references = ['a', 'b', 'c', 'd'];
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const turned = index % 3 === 0 ? references.toReversed() : references;
        return stores[index % 2]?.commit(turned.map(unit));
      }),
    );
    const { rows } = await stores[0].bankEntries.list(mine, {}, { limit: 100 });
    assert.deepEqual(rows.map(({ reference, tries }) => [reference, tries]).sort(), [
      ['a', 12],
      ['b', 12],
      ['c', 12],
      ['d', 12],
    ]);
  });

  test('at the same sessions is waited for, in whatever order both name them', async (t) => {
    const url = await migratedDatabase(t);
    const stores = [await open(t, url), await open(t, url)] as const;
    const { mine } = await tenants(stores[0]);
    const one = await add(stores[0], session(mine));
    const other = await add(stores[0], session(mine));
    const unit = (checkouts: readonly CheckoutId[]): Unit => ({
      needs: { tenant: mine, checkouts },
      decide: (loaded) =>
        [...loaded.checkouts.values()].map((before) => {
          const after = changed(before, { amount: before.amount + 1 });
          return { checkout: { before, after }, events: [eventOf(after)] };
        }),
    });
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const [first, second] = index % 2 === 0 ? [one.id, other.id] : [other.id, one.id];
        return stores[index % 2]?.commit([unit([first, second, 'chk_none'])]);
      }),
    );
    for (const { id } of [one, other]) {
      assert.deepEqual((await stores[1].checkouts.fetch(mine, id))?.amount, 1030);
    }
  });

  const event = providerEvent('evt_1');
  const wanted = { rail: event.rail, reference: event.reference };
  const entry = bankEntry('a');
  for (const [table, known, needs, found] of [
    [
      'provider_event',
      { providerEvent: event },
      { providerEvents: [wanted] },
      ({ providerEvents }: Loaded) => providerEvents.get(railKey(wanted)),
    ],
    [
      'bank_entry',
      { bankEntry: entry },
      { bankEntries: [entry.reference] },
      ({ bankEntries }: Loaded) => bankEntries.get(entry.reference),
    ],
  ] as const) {
    test(`cannot change a row that somebody decides on: ${table}`, async (t) => {
      const url = await migratedDatabase(t);
      const store = await open(t, url);
      const { mine } = await tenants(store);
      await write(store, mine, known);
      const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
      t.after(() => sql.end());
      await sql`BEGIN`;
      await sql`SELECT FROM ${sql(table)} FOR UPDATE`;
      let done = false;
      const loaded = load(store, { tenant: mine, ...needs }).finally(() => {
        done = true;
      });
      // Reads do not wait for it.
      assert.equal((await store.bankEntries.list(mine, {}, { limit: 1 })).hasMore, false);
      assert.equal((await store.providerEvents.listDue(mine, T, 1)).length, table === 'bank_entry' ? 0 : 1);
      assert.equal(done, false);
      await sql`UPDATE ${sql(table)} SET tries = 7`;
      await sql`COMMIT`;
      assert.equal(found(await loaded)?.tries, 7);
    });
  }
});

suite('every filter is served by an index of the tenant', async () => {
  const ACCOUNTS = 10;
  const EACH = 5_000;
  /** Few are to be made or looked at; most are of one rail. */
  const fill = [
    `INSERT INTO checkout_overview SELECT account, false, 'chk_' || lpad(n::text, 6, '0'), n, NULL, 'EUR', n % 2, 0
     FROM generate_series(0, ${EACH}) AS n, generate_series(1, ${ACCOUNTS}) AS account`,
    `INSERT INTO checkout (account, live, id, version, event_count, status, payment_status, invoice_currency, amount_paid,
       partially_paid, paid_in_excess, reference_id, data)
     SELECT account, false, 'chk_' || n, 1, 1, 'active', 'unpaid', 'EUR', 0, false, false, '', '{}'
     FROM generate_series(0, ${EACH}) AS n, generate_series(1, ${ACCOUNTS}) AS account`,
    `INSERT INTO refund (account, live, id, checkout, rail, state)
     SELECT account, false, 'rfd_' || lpad(n::text, 6, '0'), 'chk_' || n / 3, CASE WHEN n % 50 = 7 THEN 'bank' ELSE 'card' END,
       CASE WHEN n % 100 = 8 OR n % 1000 = 7 THEN 'pending' ELSE 'succeeded' END
     FROM generate_series(1, ${EACH}) AS n, generate_series(1, ${ACCOUNTS}) AS account`,
    `INSERT INTO movement
     SELECT account, false, 'mov_' || lpad(n::text, 6, '0'), CASE n % 50 WHEN 7 THEN 'refund' ELSE 'payment' END, n,
       'chk_' || n, CASE n % 50 WHEN 6 THEN 'bank' ELSE 'card' END, n, CASE n % 50 WHEN 8 THEN 'JPY' ELSE 'EUR' END, 1, n % 50 = 9, n
     FROM generate_series(1, ${EACH}) AS n, generate_series(1, ${ACCOUNTS}) AS account`,
    `INSERT INTO provider_event (account, live, id, rail, reference, received_at, state, due_at, tries, body)
     SELECT account, false, 'pev_' || lpad(n::text, 6, '0'), 'card', n, n,
       CASE n % 200 WHEN 7 THEN 'waiting' ELSE 'done' END, CASE n % 200 WHEN 7 THEN n END, 0, '{}'
     FROM generate_series(1, ${EACH}) AS n, generate_series(1, ${ACCOUNTS}) AS account`,
    `INSERT INTO bank_entry (account, live, id, reference, received_at, state, due_at, tries, data)
     SELECT account, false, 'ntc_' || lpad(n::text, 6, '0'), n, n,
       CASE n % 4 WHEN 0 THEN 'waiting' WHEN 1 THEN 'open' WHEN 2 THEN 'ignored' ELSE 'done' END,
       CASE n % 4 WHEN 0 THEN n END, 0, '{}'
     FROM generate_series(1, ${EACH}) AS n, generate_series(1, ${ACCOUNTS}) AS account`,
    `INSERT INTO bank_file (account, live, id, kind, created_at, hash, data, content)
     SELECT account, false, 'bfl_' || lpad(n::text, 6, '0'), CASE WHEN n % 50 = 7 THEN 'payments' ELSE 'statement' END, n, n,
       '{}', ''
     FROM generate_series(1, ${EACH}) AS n, generate_series(1, ${ACCOUNTS}) AS account`,
    'ANALYZE',
  ];
  const { url, query, remove } = await freshPostgres();
  after(remove);
  await (await openPostgresStore(url)).close();
  for (const statement of fill) await query(statement);

  const tenant: Tenant = { account: 2, mode: 'test' };
  const checkPlan = async (read: Read<unknown>, ...indexes: readonly string[]): Promise<void> =>
    assert.deepEqual(await indexesOf({ query }, read), indexes);
  const pages = (id: string) => [
    { limit: 20 },
    { limit: 20, after: `${id}_002500` },
    { limit: 20, before: `${id}_002500` },
  ];

  const refundFilters: ReadonlyArray<readonly [RefundFilter, string]> = [
    [{}, 'refund_pkey'],
    [{ checkout: 'chk_700' }, 'refund_checkout'],
    [{ checkout: 'chk_700', isPending: true }, 'refund_checkout'],
    [{ rail: 'bank' }, 'refund_rail'],
    [{ isPending: true }, 'refund_pending'],
    [{ rail: 'bank', isPending: true }, 'refund_pending_rail'],
  ];
  for (const [filter, index] of refundFilters) {
    test(`of refunds: ${Object.keys(filter).join(', ') || 'none'}`, async () => {
      // A page ends by the length of the sessions that its refunds are in.
      for (const page of pages('rfd'))
        await checkPlan(refundList(tenant, filter, page), index, 'checkout_pkey');
    });
  }

  const movementFilters: ReadonlyArray<readonly [MovementFilter, string]> = [
    [{}, 'movement_pkey'],
    [{ type: 'payment' }, 'movement_pkey'],
    [{ type: 'refund' }, 'movement_back'],
    [{ late: true }, 'movement_late'],
    [{ currency: 'JPY' }, 'movement_currency'],
    [{ checkout: 'chk_7' }, 'movement_checkout'],
    [{ reference: '7' }, 'movement_reference'],
    [{ rail: 'bank' }, 'movement_rail'],
  ];
  for (const [filter, index] of movementFilters) {
    test(`of movements: ${Object.entries(filter).flat().join(' ') || 'none'}`, async () => {
      for (const page of pages('mov'))
        await checkPlan(movements.list(tenant, filter, page), index, 'checkout_pkey', 'refund_pkey');
    });
  }

  test('of totals', async () => {
    const filter = { intervals: [{ from: 0, to: 1 }], currency: 'EUR' };
    const used = ['rail', 'rail', 'fee', 'total', 'back', 'late', 'fee', 'fee'];
    const indexes = used.map((name) => `movement_${name}`);
    await checkPlan(totals.movements(tenant, filter), ...indexes);
    const owing = ['checkout_overview_pkey', 'checkout_class', 'checkout_overview_pkey'];
    await checkPlan(totals.sessions(tenant, filter), 'checkout_class');
    await checkPlan(totals.due(tenant, filter), 'checkout_overview_draft', ...owing);
    // Whole blocks of time are counted without ids.
    const whole = { ...filter, intervals: [{ from: 0, to: 2 ** 30 }] };
    await checkPlan(totals.sessions(tenant, whole), 'checkout_count');
    await checkPlan(totals.due(tenant, whole), 'checkout_overview_draft', 'checkout_count', ...owing);
    const both = { ...filter, intervals: [{ from: 1, to: 2 ** 30 }] };
    await checkPlan(totals.sessions(tenant, both), 'checkout_count', 'checkout_class');
  });

  test('no more sessions that owe money are looked at than are added up, however many there are', async () => {
    const read = totals.due(tenant, { intervals: [{ from: 0, to: 2 ** 47 }] }, 10, 1_000_000);
    // One more than ten says that they are too many.
    assert.equal((await rowsByIndex({ query }, read)).get('checkout_class'), 11);
  });

  const entryFilters: ReadonlyArray<readonly [BankEntryFilter, string]> = [
    [{}, 'bank_entry_pkey'],
    [{ state: 'done' }, 'bank_entry_state'],
    [{ state: 'waiting' }, 'bank_entry_state'],
    [{ state: 'open' }, 'bank_entry_state'],
    [{ state: 'ignored' }, 'bank_entry_state'],
  ];
  for (const [filter, index] of entryFilters) {
    test(`of bank entries: ${filter.state ?? 'none'}`, async () => {
      for (const page of pages('ntc')) await checkPlan(bankEntries.list(tenant, filter, page), index);
    });
  }

  test('of provider events that wait', async () => {
    for (const page of pages('pev'))
      await checkPlan(providerEvents.list(tenant, { state: 'open' }, page), 'provider_event_open');
  });

  test('of what is due', async () => {
    await checkPlan(providerEvents.listDue(tenant, 1000, 10), 'provider_event_due');
    await checkPlan(bankEntries.listDue(tenant, 1000, 10), 'bank_entry_due');
  });

  test('of files', async () => {
    for (const page of pages('bfl'))
      await checkPlan(bankFiles.list(tenant, 'payments', page), 'bank_file_kind');
  });
});
