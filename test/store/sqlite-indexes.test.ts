/** Query plans of SQLite for lists of refunds, movements, bank entries and files; those of sessions are in `test/sqlite/`. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { eventBody } from '../../src/events/envelope.ts';
import { erase } from '../../src/store/erase.ts';
import type { PageRequest } from '../../src/store/page.ts';
import { audit } from '../../src/store/resources/audit.ts';
import { bankEntries } from '../../src/store/resources/bank-entries.ts';
import { bankFiles } from '../../src/store/resources/bank-files.ts';
import { checkouts } from '../../src/store/resources/checkouts.ts';
import { apiKeys } from '../../src/store/resources/directory.ts';
import { events } from '../../src/store/resources/events.ts';
import { movements } from '../../src/store/resources/movements.ts';
import { overview } from '../../src/store/resources/overview.ts';
import { loadProviderEvents, providerEvents } from '../../src/store/resources/provider-events.ts';
import type { Read } from '../../src/store/resources/read.ts';
import { refundList } from '../../src/store/resources/refunds.ts';
import { requestLog } from '../../src/store/resources/requests.ts';
import { tenantsWithOld } from '../../src/store/resources/tenants.ts';
import { totals } from '../../src/store/resources/totals.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { nextDue } from '../../src/store/sqlite/due-times.ts';
import { onSqlite } from '../../src/store/sqlite/run.ts';
import type { BankEntryFilter, MovementFilter, RefundFilter } from '../../src/store/store.ts';
import { freshDirectory } from '../support/process.ts';
import { customer, T } from './build.ts';

/** The steps in which SQLite would look for the rows of the read. */
function planOf(database: DatabaseSync, { sql }: Read<unknown>): string[] {
  const { text, values } = onSqlite(sql);
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
  return steps.map(({ detail }) => String(detail));
}

function openFresh(t: TestContext): DatabaseSync {
  const database = openDatabase(join(freshDirectory(t), 'test.db'));
  t.after(() => database.close());
  return database;
}

test('personal data is found by keys and indexes, and each row by itself', (t) => {
  const tenant = { account: 1, mode: 'test' } as const;
  // The first read, of the customer, finds nothing.
  const found = [
    [],
    [{ id: 'chk_1', version: 1, eventCount: 1, data: '{"payer":{}}', checksum: 0 }],
    [{ id: 'evt_1', body: eventBody('checkout.created', 'evt_1', T, '{"customer_details":{}}', 1, 1) }],
  ];
  const database = openFresh(t);
  const steps = erase(tenant, customer(tenant));
  let asked = 0;
  for (let step = steps.next(), rows: object[] = []; !step.done; step = steps.next(rows)) {
    const { text, values } = onSqlite(step.value);
    // Statements for PostgreSQL alone are not asked.
    rows = text === '' ? [] : (found[asked++] ?? []);
    if (text === '') continue;
    for (const { detail } of database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)) {
      if (!/^(SCAN|SEARCH)/.test(`${detail}`) || /^SCAN (chain|json_each)/.test(`${detail}`)) continue;
      assert.match(`${detail}`, /\(account=\? AND live=\? AND /, text);
    }
  }
  assert.ok(asked > 5);
});

test('the history of a session is found along its chain, and not among all events of the tenant', (t) => {
  const tenant = { account: 1, mode: 'test' } as const;
  const database = openFresh(t);
  for (const before of [null, 'evt_1'] as const) {
    const steps = planOf(database, events.timeline(tenant, 'chk_1', before, 10));
    const searched = steps.filter((step) => step.startsWith('SEARCH event '));
    assert.ok(searched.length >= 2, steps.join('\n'));
    for (const step of searched) assert.match(step, /\(account=\? AND live=\? AND (position|id)=\?\)$/, step);
    assert.doesNotMatch(steps.join('\n'), /AUTOMATIC|BLOOM/);
  }
});

suite('what is found by an index alone, in the order of the list and no further than its page', () => {
  const tenant = { account: 1, mode: 'test' } as const;
  const tenantKey = 'account=? AND live=?';
  const pages: ReadonlyArray<[PageRequest, string]> = [
    [{ limit: 20 }, ''],
    [{ limit: 20, after: 'x' }, ' AND id<?'],
    [{ limit: 20, before: 'x' }, ' AND id>?'],
  ];
  const searched = (t: TestContext, read: Read<unknown>) => planOf(openFresh(t), read);

  const refunds: ReadonlyArray<[RefundFilter, string]> = [
    [{}, `PRIMARY KEY (${tenantKey}`],
    [{ checkout: 'chk_x' }, `COVERING INDEX refund_checkout (${tenantKey} AND checkout=?`],
    [
      { checkout: 'chk_x', rail: 'bank', isPending: true },
      `INDEX refund_checkout (${tenantKey} AND checkout=?`,
    ],
    [{ rail: 'bank' }, `INDEX refund_rail (${tenantKey} AND rail=?`],
    [{ isPending: true }, `INDEX refund_pending (${tenantKey}`],
    [{ rail: 'bank', isPending: true }, `INDEX refund_pending_rail (${tenantKey} AND rail=?`],
  ];
  const movementFilters: ReadonlyArray<[MovementFilter, string]> = [
    [{}, `INDEX sqlite_autoindex_movement_1 (${tenantKey}`],
    [{ type: 'payment' }, `INDEX sqlite_autoindex_movement_1 (${tenantKey}`],
    [{ type: 'refund' }, `INDEX movement_back (${tenantKey} AND type=?`],
    [{ type: 'refund', currency: 'EUR' }, `INDEX movement_back (${tenantKey} AND type=?`],
    [{ currency: 'EUR' }, `INDEX movement_currency (${tenantKey} AND currency=?`],
    [{ late: false, currency: 'EUR' }, `INDEX movement_currency (${tenantKey} AND currency=?`],
    [{ late: true, type: 'payment', currency: 'EUR' }, `INDEX movement_late (${tenantKey}`],
    [{ checkout: 'chk_1', type: 'refund' }, `INDEX movement_checkout (${tenantKey} AND checkout=?`],
    [{ reference: 'pi_1', late: true }, `INDEX movement_reference (${tenantKey} AND reference=?`],
    [{ rail: 'bank', currency: 'EUR' }, `INDEX movement_rail (${tenantKey} AND rail=?`],
  ];
  const entryFilters: ReadonlyArray<[BankEntryFilter, string]> = [
    [{}, `INDEX sqlite_autoindex_bank_entry_1 (${tenantKey}`],
    [{ state: 'ignored' }, `INDEX bank_entry_state (${tenantKey} AND state=?`],
  ];
  for (const [page, bound] of pages) {
    const at = `from ${Object.keys(page).at(-1)}`;
    for (const [filter, index] of refunds) {
      test(`refunds: ${Object.keys(filter).join(', ')} ${at}`, (t) => {
        const plan = searched(t, refundList(tenant, filter, page));
        const lengths = `SEARCH whole USING INDEX sqlite_autoindex_checkout_1 (${tenantKey} AND id=?)`;
        const steps = plan.filter((step) => !step.startsWith('CORRELATED'));
        assert.deepEqual(steps, [`SEARCH refund USING ${index}${bound})`, lengths]);
      });
    }
    for (const [filter, index] of movementFilters) {
      test(`movements: ${Object.entries(filter).flat().join(' ')} ${at}`, (t) => {
        const plan = searched(t, movements.list(tenant, filter, page));
        assert.deepEqual(
          plan.filter((step) => !step.startsWith('CORRELATED')),
          [
            `SEARCH movement USING ${index}${bound})`,
            `SEARCH checkout USING INDEX sqlite_autoindex_checkout_1 (${tenantKey} AND id=?)`,
            `SEARCH refund USING PRIMARY KEY (${tenantKey} AND id=?)`,
          ],
        );
      });
    }
    for (const [filter, index] of entryFilters) {
      test(`bank entries: ${Object.keys(filter).join(', ')} ${at}`, (t) => {
        const plan = searched(t, bankEntries.list(tenant, filter, page));
        assert.deepEqual(plan, [`SEARCH bank_entry USING ${index}${bound})`]);
      });
    }
    test(`API keys ${at}`, (t) => {
      const next = bound.replace(/id(.)\?/, '(created_at,id)$1(?,?)');
      const [first, ...others] = searched(t, apiKeys.list(tenant, page));
      assert.equal(first, `SEARCH api_key USING INDEX api_key_created (${tenantKey}${next})`);
      // The search of the cursor.
      for (const other of others) assert.doesNotMatch(other, /^SCAN|TEMP B-TREE/);
    });
    test(`lines of the log of changes ${at}`, (t) => {
      const next = bound.replace(/\bid\b/, 'rowid');
      const plan = searched(t, audit.list(tenant, {}, page));
      assert.deepEqual(plan, [`SEARCH audit USING INDEX audit_tenant (${tenantKey}${next})`]);
    });
    test(`filtered lines of the log of changes ${at}`, (t) => {
      const filter = { subject: 'chk_1', createdFrom: T, createdBefore: T + 1 };
      for (const step of searched(t, audit.list(tenant, filter, page)))
        assert.doesNotMatch(step, /^(SCAN|SEARCH) audit(?! USING .*audit_tenant \(account=\? AND live=\?)/);
    });
    test(`entries of the log of requests ${at}`, (t) => {
      for (const filter of [{}, { requestId: 'req_1', status: [400, 499] }] as const)
        assert.deepEqual(searched(t, requestLog.list(tenant, filter, page)), [
          `SEARCH request_log USING PRIMARY KEY (${tenantKey}${bound})`,
        ]);
    });
    test(`provider events that wait ${at}`, (t) => {
      const [open] = searched(t, providerEvents.list(tenant, { state: 'open' }, page));
      assert.equal(open, `SEARCH provider_event USING INDEX provider_event_open (${tenantKey}${bound})`);
      const [waiting] = searched(t, providerEvents.list(tenant, { state: 'waiting' }, page));
      assert.equal(
        waiting,
        `SEARCH provider_event USING INDEX provider_event_due (${tenantKey} AND due_at>?)`,
      );
    });
    test(`files of banks ${at}`, (t) => {
      const plan = searched(t, bankFiles.list(tenant, 'statement', page));
      const index = `INDEX bank_file_kind (${tenantKey} AND kind=?${bound})`;
      assert.deepEqual(plan, [`SEARCH bank_file USING ${index}`]);
    });
  }

  test('tenants with something old', (t) => {
    const reachable = { inShards: false, among: null };
    for (const [what, table, index] of [
      ['events', 'event', 'COVERING INDEX event_id'],
      ['deliveries', 'delivery', 'PRIMARY KEY'],
    ] as const) {
      const plan = searched(t, tenantsWithOld(what, T, reachable));
      const steps = plan.filter((step) => /SEARCH|SCAN (?!account)/.test(step));
      // A search for each mode.
      const search = `SEARCH ${table} EXISTS USING ${index} (${tenantKey} AND id<?)`;
      assert.deepEqual(steps, [search, search]);
    }
  });

  test('totals, which look at nothing but the index', (t) => {
    const filter = { intervals: [{ from: T, to: T + 1 }], currency: 'EUR' };
    const key = (table: string, classes: string) =>
      `COVERING INDEX ${table} (${tenantKey} AND ${classes} AND id>? AND id<?)`;
    const stepsOn = (table: string, read: Read<unknown>) =>
      searched(t, read).filter((step) => step.includes(` ${table} `));
    const search = (index: string, ...rest: readonly string[]) =>
      `SEARCH movement USING COVERING INDEX ${index} (${[tenantKey, ...rest].join(' AND ')})`;
    const [times, both] = ['id>? AND id<?', 'currency=? AND rail=?'];
    const sums = totals.movements(tenant, filter);
    // The rails, from each to the next one, and those that have moved the currency.
    const rails = [
      search('movement_rail'),
      search('movement_rail', 'rail>?'),
      search('movement_total', both),
    ];
    assert.deepEqual(stepsOn('movement', sums), [
      ...rails,
      search('movement_total', both, times),
      search('movement_back', 'type=?', times),
      search('movement_late', times),
      // The currencies of fees, from each to the next one, and those of which a rail has payments of the currency.
      search('movement_fee', 'fee_currency>?'),
      search('movement_fee', 'fee_currency>?'),
      ...rails.slice(2),
      search('movement_fee', 'fee_currency=?', both),
      search('movement_fee', 'fee_currency=?', both, times),
    ]);
    // Only what came back and what was late is put in order, which is little.
    const sorted = searched(t, sums).filter((step) => step.includes('TEMP B-TREE'));
    assert.deepEqual(sorted, ['USE TEMP B-TREE FOR GROUP BY', 'USE TEMP B-TREE FOR GROUP BY']);
    const classes =
      'invoice_currency=? AND status=? AND payment_status=? AND partially_paid=? AND paid_in_excess=?';
    assert.deepEqual(stepsOn('checkout', totals.sessions(tenant, filter)), [
      `SEARCH checkout USING ${key('checkout_class', classes)}`,
    ]);
    assert.deepEqual(stepsOn('checkout', totals.due(tenant, filter)), [
      `SEARCH checkout USING COVERING INDEX checkout_overview (${tenantKey} AND id>? AND id<?)`,
    ]);
  });

  test('the overview, of which each number has an index', (t) => {
    const tables =
      /^(SCAN|SEARCH) (movement|delivery|bank_entry|refund|webhook_receiver|provider_event|checkout) /;
    const searches = (read: Read<unknown>) => searched(t, read).filter((step) => tables.test(step));
    const time = { from: T, to: T + 1, currency: 'EUR' };
    const key = (rest = '') => `(${tenantKey}${rest})`;
    assert.deepEqual(searches(overview.timeToPay(tenant, time)), [
      `SEARCH movement USING COVERING INDEX movement_currency ${key(' AND currency=? AND id>? AND id<?')}`,
    ]);
    assert.deepEqual(searches(overview.deliveries(tenant, time)), [
      `SEARCH delivery USING PRIMARY KEY ${key(' AND id>? AND id<?')}`,
    ]);
    const classes =
      'invoice_currency=? AND status=? AND payment_status=? AND partially_paid=? AND paid_in_excess=?';
    assert.deepEqual(searches(overview.waiting(tenant, { excessSince: T })), [
      `SEARCH bank_entry USING COVERING INDEX bank_entry_state ${key(' AND state=?')}`,
      `SEARCH refund USING COVERING INDEX refund_pending_rail ${key(' AND rail=?')}`,
      `SEARCH checkout USING COVERING INDEX checkout_class ${key()}`,
      `SEARCH checkout USING COVERING INDEX checkout_class ${key(' AND invoice_currency>?')}`,
      `SEARCH checkout USING COVERING INDEX checkout_class ${key(` AND ${classes} AND id>?`)}`,
      `SEARCH refund USING INDEX refund_checkout ${key(' AND checkout=?')}`,
      `SEARCH delivery USING COVERING INDEX delivery_failed ${key()}`,
      `SEARCH webhook_receiver USING PRIMARY KEY ${key()}`,
      `SEARCH provider_event USING COVERING INDEX provider_event_open ${key()}`,
    ]);
  });

  test('evidence of a history', (t) => {
    const [told] = searched(t, providerEvents.named(tenant, ['pev_1']));
    assert.equal(
      told,
      `SEARCH provider_event USING INDEX sqlite_autoindex_provider_event_1 (${tenantKey} AND id=?)`,
    );
    const [entries] = searched(t, bankEntries.statementsOf(tenant, ['ntc_1']));
    assert.equal(
      entries,
      `SEARCH bank_entry USING INDEX sqlite_autoindex_bank_entry_1 (${tenantKey} AND id=?)`,
    );
  });

  test('what a tenant has to do next', (t) => {
    const steps = searched(t, nextDue(tenant)).filter((step) => step.startsWith('SEARCH'));
    const first = (table: string) =>
      `SEARCH ${table} USING COVERING INDEX ${table}_due (${tenantKey} AND due_at>?)`;
    assert.deepEqual(steps, ['checkout', 'delivery', 'provider_event', 'bank_entry'].map(first));
  });

  test('awaited transfers', (t) => {
    const key = `PRIMARY KEY (${tenantKey} AND currency=? AND amount=?)`;
    const plan = searched(t, checkouts.listAwaiting(tenant, 'EUR', 1000, 10));
    assert.deepEqual(plan, [`SEARCH awaited USING ${key}`]);
  });

  for (const [table, read] of [
    ['provider_event', providerEvents.listDue(tenant, 1000, 10)],
    ['bank_entry', bankEntries.listDue(tenant, 1000, 10)],
  ] as const) {
    test(`what is due: ${table}`, (t) => {
      const index = `INDEX ${table}_due (${tenantKey} AND due_at<?)`;
      assert.deepEqual(searched(t, read), [`SEARCH ${table} USING ${index}`]);
    });
  }

  for (const [table, key, read] of [
    [
      'provider_event',
      'rail=? AND reference=?',
      loadProviderEvents.read(tenant, [{ rail: 'stripe', reference: 'evt_1' }]),
    ],
    ['bank_entry', 'reference=?', bankEntries.fetchByReference(tenant, 'line 1')],
  ] as const) {
    test(`what has a reference: ${table}`, (t) => {
      const index = `INDEX ${table}_reference (${tenantKey} AND ${key})`;
      assert.deepEqual(searched(t, read), [`SEARCH ${table} USING ${index}`]);
    });
  }
});
