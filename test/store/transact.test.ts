/** Orders on their way into the database: many share a commit, each gets its own answer. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import type { CreateCheckout } from '../../src/checkout/command.ts';
import { defaultPolicy, type Scope } from '../../src/checkout/session.ts';
import { newId } from '../../src/id.ts';
import { createAccount } from '../../src/keys.ts';
import type { Order, Outcome } from '../../src/orders/order.ts';
import { createPresenter } from '../../src/presenter.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { type Store, StoreUnavailable, type Unit } from '../../src/store/store.ts';
import { createTransact, type Executed } from '../../src/transact.ts';
import { T } from './build.ts';

const now = T;

async function setUp(t: TestContext, limits: { maxBatch?: number; maxQueue?: number } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-transact-'));
  const store = openSqliteStore(join(directory, 'test.db'));
  t.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  const { number } = await createAccount(store, 'shop', now);
  const scope: Scope = { account: number, mode: 'test' };
  const commits: number[] = [];
  const counted: Pick<Store, 'commit' | 'batching'> = {
    batching: store.batching,
    commit(units) {
      commits.push(units.length);
      return store.commit(units);
    },
  };
  const presenter = createPresenter('https://pay.example.com');
  const transact = createTransact({ store: counted, presenter, realNow: () => now, ...limits });
  return { store, scope, commits, transact, presenter };
}

type Given = { key?: string; hash?: string; id?: string; path?: string } & Partial<CreateCheckout>;

function create(scope: Scope, { key, hash = 'hash', path = '/v3/checkout', ...given }: Given = {}): Order {
  const id = given.id ?? newId('chk', now);
  return {
    subject: 'checkout',
    origin: {
      scope,
      actor: 'ak_test_1',
      requestId: 'req_1',
      idempotency: key === undefined ? null : { key, operation: `POST ${path}`, requestHash: hash },
    },
    id,
    command: {
      type: 'create',
      now,
      id,
      token: 'token',
      scope,
      currency: 'EUR',
      amount: 1000,
      items: [],
      description: '',
      referenceId: '',
      metadata: {},
      payer: {
        customer: '',
        name: '',
        email: '',
        country: '',
        phone: null,
        billingDetails: null,
        shippingDetails: null,
      },
      successUrl: '',
      cancelUrl: '',
      webhookUrl: 'http://shop.example/hook',
      methods: ['card'],
      expiresAt: null,
      policy: defaultPolicy,
      ...given,
    },
    reply: { operation: 'CHECKOUT.CREATE', statusCode: 201, location: `/v3/checkout/${id}` },
  };
}

function update(scope: Scope, id: string, metadata: Record<string, number>, key?: string): Order {
  return {
    subject: 'checkout',
    origin: {
      scope,
      actor: 'ak_test_1',
      requestId: 'req_1',
      idempotency:
        key === undefined ? null : { key, operation: `PUT /v3/checkout/${id}`, requestHash: 'hash' },
    },
    id,
    command: { type: 'update', now, items: null, metadata, ifVersion: null },
    reply: { operation: 'CHECKOUT.UPDATE' },
  };
}

function bodyOf(outcome: Outcome): string {
  assert.ok(outcome.kind !== 'refusal', JSON.stringify(outcome));
  return outcome.answer.body;
}

const idOf = ({ outcome }: Executed): string => JSON.parse(bodyOf(outcome)).data.id;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

suite('many orders at once', () => {
  test('share few commits, and every one is answered with its own', async (t) => {
    const { store, scope, commits, transact } = await setUp(t);
    const orders = times(500, (index) => create(scope, { amount: index + 1 }));
    const executed = await Promise.all(orders.map(transact));
    assert.equal(
      commits.reduce((sum, each) => sum + each, 0),
      500,
    );
    assert.ok(commits.length <= 10, `${commits.length} commits`);
    for (const [index, each] of executed.entries()) {
      const { data } = JSON.parse(bodyOf(each.outcome));
      assert.equal(data.amount, index + 1);
      assert.equal((await store.checkout(scope, data.id))?.amount, index + 1);
      assert.deepEqual(each.committed, { scope, checkouts: [data.id], events: 1, deliveries: 1 });
    }
    assert.equal((await store.events(scope, {}, 0, 1000)).rows.length, 500);
  });

  test('are committed in batches of a bounded size', async (t) => {
    const { scope, commits, transact } = await setUp(t, { maxBatch: 7 });
    await Promise.all(times(40, () => transact(create(scope))));
    assert.ok(Math.max(...commits) <= 7, commits.join());
    assert.ok(commits.length <= 8, commits.join());
  });

  test('on one session happen one after the other', async (t) => {
    const { store, scope, transact } = await setUp(t);
    const id = idOf(await transact(create(scope)));
    const executed = await Promise.all(
      times(40, (index) => transact(update(scope, id, { [`m${index}`]: index }))),
    );
    const versions = executed.map(({ outcome }) => outcome.kind === 'success' && outcome.answer.headers.etag);
    assert.deepEqual(
      versions,
      times(40, (index) => `"${index + 2}"`),
    );
    const session = await store.checkout(scope, id);
    assert.equal(session?.version, 41);
    assert.equal(Object.keys(session.metadata).length, 40);
    const { rows } = await store.timeline(scope, id, null, 100);
    assert.deepEqual(
      rows.map(({ sequence }) => sequence),
      times(41, (index) => 41 - index),
    );
  });

  test('are refused beyond the length of the queue, to be repeated later', async (t) => {
    const { scope, transact } = await setUp(t, { maxQueue: 10, maxBatch: 5 });
    const settled = await Promise.allSettled(times(30, () => transact(create(scope))));
    const refused = settled.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 20);
    for (const each of refused) assert.ok('reason' in each && each.reason instanceof StoreUnavailable);
    await transact(create(scope));
  });
});

suite('a batch that fails', () => {
  test('is tried again one by one, so that each answers for itself', async (t) => {
    const { store, scope, commits, transact } = await setUp(t);
    const taken = newId('chk', now);
    await transact(create(scope, { id: taken }));
    commits.length = 0;
    // Two sessions of one id: a mistake that only the database can find.
    const orders = times(20, (index) => create(scope, index === 7 ? { id: taken } : {}));
    const settled = await Promise.allSettled(orders.map(transact));
    assert.deepEqual(
      settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
      [7],
    );
    assert.deepEqual(commits, [20, ...times(20, () => 1)]);
    const { rows } = await store.events(scope, {}, 0, 100);
    assert.deepEqual(
      rows.map(({ position }) => position),
      times(20, (index) => index + 1),
    );
    for (const each of settled) {
      if (each.status === 'fulfilled') assert.ok(await store.checkout(scope, idOf(each.value)));
    }
    assert.equal((await store.checkouts(scope, {}, { limit: 100 })).rows.length, 20);
  });

  test('because the database cannot be written tells everybody so, and nothing is remembered', async (t) => {
    const { store, scope, presenter } = await setUp(t);
    let broken = true;
    const failing: Pick<Store, 'commit' | 'batching'> = {
      batching: store.batching,
      commit: (units: readonly Unit[]) =>
        broken
          ? store.commit([
              ...units,
              {
                needs: { scope },
                decide: () => {
                  throw new StoreUnavailable('full');
                },
              },
            ])
          : store.commit(units),
    };
    const transact = createTransact({ store: failing, presenter, realNow: () => now });
    const orders = times(5, (index) => create(scope, { key: `key-${index}` }));
    for (const each of await Promise.allSettled(orders.map(transact))) {
      assert.ok(each.status === 'rejected' && each.reason instanceof StoreUnavailable);
    }
    assert.deepEqual((await store.events(scope, {}, 0, 10)).rows, []);
    broken = false;
    for (const { outcome } of await Promise.all(orders.map(transact))) assert.equal(outcome.kind, 'success');
  });
});

suite('a request with an idempotency key', () => {
  test('has one effect however often it comes at once', async (t) => {
    const { store, scope, transact } = await setUp(t);
    for (let round = 0; round < 5; round++) {
      const key = `order-${round}`;
      const executed = await Promise.all(times(100, () => transact(create(scope, { key }))));
      assert.equal(new Set(executed.map(({ outcome }) => bodyOf(outcome))).size, 1);
      assert.equal(
        new Set(executed.map(({ outcome }) => JSON.stringify('answer' in outcome && outcome.answer))).size,
        1,
      );
      assert.deepEqual(executed.map(({ outcome }) => outcome.kind).toSorted(), [
        ...times(99, () => 'replay'),
        'success',
      ]);
      assert.equal(executed.filter(({ committed }) => committed !== null).length, 1);
    }
    assert.equal((await store.checkouts(scope, {}, { limit: 100 })).rows.length, 5);
    assert.equal((await store.events(scope, {}, 0, 100)).rows.length, 5);
    assert.equal((await store.gauges()).pendingDeliveries, 5);
  });

  test('is answered again byte for byte, even after the session has changed', async (t) => {
    const { scope, transact } = await setUp(t);
    const order = create(scope, { key: 'ü', metadata: { text: '😀 "quoted" \u2028' } });
    const first = await transact(order);
    const id = idOf(first);
    const changed = update(scope, id, { changed: 1 }, 'ü');
    const second = await transact(changed);
    for (const [repeated, before] of [
      [create(scope, { key: 'ü' }), first],
      [changed, second],
    ] as const) {
      const { outcome, committed } = await transact(repeated);
      assert.equal(committed, null);
      assert.deepEqual(outcome, { ...before.outcome, kind: 'replay' });
    }
  });

  test('cannot be used with another body', async (t) => {
    const { store, scope, transact } = await setUp(t);
    const orders = times(10, (index) => create(scope, { key: 'key', hash: `hash-${index % 2}` }));
    const executed = await Promise.all(orders.map(transact));
    for (const [index, { outcome }] of executed.entries()) {
      if (index % 2) assert.ok(outcome.kind === 'refusal' && outcome.reason === 'key_reused');
      else assert.equal(outcome.kind, index === 0 ? 'success' : 'replay');
    }
    assert.equal((await store.events(scope, {}, 0, 100)).rows.length, 1);
  });

  test('is another one under another path, mode or account', async (t) => {
    const { store, scope, transact } = await setUp(t);
    const { number } = await createAccount(store, 'other', now);
    const live: Scope = { ...scope, mode: 'live' };
    const other: Scope = { account: number, mode: 'test' };
    const orders = [
      create(scope, { key: 'key' }),
      create(live, { key: 'key' }),
      create(other, { key: 'key', hash: 'another' }),
      create(scope, { key: 'key', path: '/v3/elsewhere' }),
    ];
    const executed = await Promise.all(orders.map(transact));
    assert.deepEqual(
      executed.map(({ outcome }) => outcome.kind),
      times(4, () => 'success'),
    );
  });

  test('that was refused leaves no trace, and can succeed later', async (t) => {
    const { store, scope, transact } = await setUp(t);
    const { payer } = (create(scope) as { command: CreateCheckout }).command;
    const customer = newId('cus', now);
    const order = create(scope, { key: 'key', payer: { ...payer, customer } });
    const refused = await transact(order);
    assert.ok(refused.outcome.kind === 'refusal');
    assert.equal(refused.committed, null);
    const record = { id: customer, scope, createdAt: now, name: 'Ada', email: '', country: '', phone: null };
    const writes = { customer: { ...record, referenceId: '', metadata: {} } };
    await store.commit([{ needs: { scope }, decide: () => [writes] }]);
    assert.equal((await transact(order)).outcome.kind, 'success');
  });
});

test('what an order changes in another account’s session is nothing', async (t) => {
  const { store, scope, transact } = await setUp(t);
  const { number } = await createAccount(store, 'other', now);
  const id = newId('chk', now);
  // In one batch, so that what the first has written is in memory when the others ask for it.
  const [, ...strangers] = await Promise.all([
    transact(create(scope, { id })),
    transact(update({ account: number, mode: 'test' }, id, { stolen: 1 })),
    transact(update({ ...scope, mode: 'live' }, id, { stolen: 1 })),
  ]);
  for (const { outcome } of strangers)
    assert.ok(outcome.kind === 'refusal' && outcome.reason === 'not_found');
  assert.deepEqual((await store.checkout(scope, id))?.metadata, {});
});
