/** SQLite's own about webhooks: indexes, and results that come late. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { deliveries, loadDeliveries } from '../../src/store/resources/deliveries.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { dueReceivers } from '../../src/store/sqlite/lease-deliveries.ts';
import { onSqlite } from '../../src/store/sqlite/run.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { DeliveryFilter } from '../../src/store/store.ts';
import { deliveryWrites } from '../../src/store/write-deliveries.ts';
import { freshDirectory } from '../support/process.ts';
import { T, tenants } from './build.ts';
import { apart, claim, claimOne, finish, HOUR, LEASE, result, tryAgain } from './deliveries.ts';

const freshPath = (t: TestContext): string => join(freshDirectory(t), 'test.db');

suite('every filter of a list of deliveries', () => {
  const filters: ReadonlyArray<readonly [DeliveryFilter, string]> = [
    [{}, 'USING PRIMARY KEY (account=? AND live=?)'],
    [{ receiver: 'x' }, 'delivery_receiver (account=? AND live=? AND receiver=?)'],
    [
      { receiver: 'x', createdFrom: 1, createdBefore: 2 },
      'delivery_receiver (account=? AND live=? AND receiver=? AND id>? AND id<?)',
    ],
    [{ subject: 'chk_x' }, 'delivery_event (account=? AND live=? AND event=?)'],
    [
      { subject: 'chk_x', receiver: 'y', state: 'failed' },
      'delivery_event (account=? AND live=? AND event=?)',
    ],
    [{ event: 'evt_x' }, 'delivery_event (account=? AND live=? AND event=?)'],
    [{ event: 'evt_x', state: 'pending' }, 'delivery_event (account=? AND live=? AND event=?)'],
    [{ state: 'failed' }, 'delivery_failed (account=? AND live=?'],
    [{ state: 'failed', createdFrom: 1 }, 'delivery_failed (account=? AND live=? AND id>?)'],
    [{ state: 'pending' }, 'delivery_pending (account=? AND live=?)'],
    [{ state: 'pending', createdBefore: 2 }, 'delivery_pending (account=? AND live=? AND id<?)'],
    [{ state: 'pending', receiver: 'x' }, 'delivery_ordering (account=? AND live=? AND receiver=?'],
    [{ state: 'delivered' }, 'USING PRIMARY KEY (account=? AND live=?)'],
    [{ state: 'delivered', receiver: 'x' }, 'delivery_receiver (account=? AND live=? AND receiver=?)'],
    [{ createdFrom: 1, createdBefore: 2 }, 'USING PRIMARY KEY (account=? AND live=? AND id>? AND id<?)'],
  ];
  for (const [filter, index] of filters) {
    test(`is served by an index: ${Object.keys(filter).join(', ') || 'none'}`, (t) => {
      const database = openDatabase(freshPath(t));
      t.after(() => database.close());
      const plans = [{}, { after: 'whd_5' }, { before: 'whd_5' }].map((cursor) => {
        const page = { limit: 20, ...cursor };
        const read = deliveries.list({ account: 1, mode: 'test' }, filter, page);
        const { text, values } = onSqlite(read.sql);
        // A search takes only one of two bounds of a kind.
        for (const bound of [/delivery\.id </g, /delivery\.id >/g]) {
          assert.ok((text.match(bound) ?? []).length <= 1, text);
        }
        const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
        return steps.map(({ detail }) => String(detail));
      });
      const [first = []] = plans;
      assert.ok(first.join('\n').includes(index), first.join('\n'));
      for (const plan of plans) {
        for (const step of plan.filter((each) => /^(SCAN|SEARCH)/.test(each))) {
          // The chain of a session's events is walked as it is made.
          assert.match(
            step,
            /^SEARCH delivery .*\(account=\? AND live=\?|^SEARCH (checkout|told|event) .*\(account=\? AND live=\? AND |^SCAN chain$/,
            plan.join('\n'),
          );
        }
      }
    });
  }
});

test('rows of a delivery to be written are found by its key or its ordering key', (t) => {
  const path = freshPath(t);
  const store = openSqliteStore(path);
  t.after(() => store.close());
  const database = openDatabase(path);
  t.after(() => database.close());
  database.function('hash_of_body', (_body) => '');
  const of = {
    id: 'whd_1',
    receiver: 'a',
    subject: 'chk_1',
    lease: null,
    round: null,
    failing: false,
  } as const;
  const done = { ...of, at: T, state: 'delivered', dueAt: null, httpStatus: 200, error: null } as const;
  for (const [statement] of deliveryWrites([{ deliveryResults: [{ ...done, attempt: null }] }])) {
    const text = statement.textFor('sqlite');
    for (const { detail } of database.prepare(`EXPLAIN QUERY PLAN ${text}`).all()) {
      if (/^(SCAN|SEARCH)/.test(`${detail}`))
        assert.match(`${detail}`, /\(account=\? AND live=\? AND |CONSTANT ROW/, text);
    }
  }
});

test('a delivery to be made again, and an earlier one, are found by their keys', (t) => {
  const database = openDatabase(freshPath(t));
  t.after(() => database.close());
  for (const ids of [['whd_1'], ['whd_1', 'whd_2']] as const) {
    const { text, values } = onSqlite(loadDeliveries.read({ account: 1, mode: 'test' }, ids).sql);
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
    const plan = steps.map(({ detail }) => String(detail)).filter((step) => /^(SCAN|SEARCH)/.test(step));
    for (const step of plan) assert.match(step, /\(account=\? AND live=\? AND |^SCAN json_each/);
    assert.match(plan.join('\n'), /delivery_ordering \(.* AND receiver=\? AND subject=\? AND sequence</);
  }
});

test('a list of what is pending needs no sorting', (t) => {
  const database = openDatabase(freshPath(t));
  t.after(() => database.close());
  for (const cursor of [{}, { after: 'whd_5' }, { before: 'whd_' }]) {
    const page = { limit: 250, ...cursor };
    const read = deliveries.list({ account: 1, mode: 'test' }, { state: 'pending' }, page);
    const { text, values } = onSqlite(read.sql);
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
    assert.doesNotMatch(steps.map(({ detail }) => detail).join('\n'), /TEMP B-TREE/);
  }
});

test('receivers with due deliveries are read from an index alone, in its order, and no further than needed', (t) => {
  const database = openDatabase(freshPath(t));
  t.after(() => database.close());
  const { text, values } = onSqlite(dueReceivers({ account: 1, mode: 'test' }, T).sql);
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
  const plan = steps.map(({ detail }) => String(detail));
  const searches = plan.filter((step) => step.startsWith('SEARCH'));
  assert.equal(searches.length, 2);
  for (const search of searches) {
    assert.equal(
      search,
      'SEARCH delivery USING COVERING INDEX delivery_due (account=? AND live=? AND due_at<?)',
    );
  }
  assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE/);
});

test('a result that comes after its lease has run out does not end the lease of who has it now', async (t) => {
  const store = openSqliteStore(freshPath(t));
  t.after(() => store.close());
  const { mine } = await tenants(store);
  await apart(store, mine, [T]);
  const late = await claimOne(store, mine, T);
  const current = await claimOne(store, mine, T + LEASE);
  await finish(store, mine, tryAgain(late, T + LEASE));
  assert.deepEqual(await claim(store, mine, T + 2 * LEASE - 1), []);
  await finish(store, mine, result(current));
  assert.deepEqual(await claim(store, mine, T + HOUR), []);
});
