/** Commands on their way into the database: many share a commit, each gets its own answer. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { createAccount } from '../../src/accounts/account.ts';
import type { CreateCheckout } from '../../src/checkout/commands.ts';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { etagOf, success } from '../../src/http/envelope.ts';
import { newId } from '../../src/lib/id.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store, Unit } from '../../src/store/store.ts';
import type { Command } from '../../src/writer/command.ts';
import { createWriter, type Execute, type Executed } from '../../src/writer/writer.ts';
import { create as createCheckout } from '../checkout/build.ts';
import { T } from '../store/build.ts';

const now = T;

async function setUp(t: TestContext, limits: { maxBatch?: number; maxQueue?: number } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-execute-'));
  const store = openSqliteStore(join(directory, 'test.db'));
  t.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  const { number } = await createAccount(store, 'shop', now);
  const tenant: Tenant = { account: number, mode: 'test' };
  const commits: number[] = [];
  const counted: Pick<Store, 'accounts' | 'commit' | 'batching'> = {
    accounts: store.accounts,
    batching: store.batching,
    commit(units) {
      commits.push(units.length);
      return store.commit(units);
    },
  };
  const serializer = createSerializer('https://pay.example.com');
  const execute = answering(createWriter({ store: counted, serializer, realNow: () => now, ...limits }));
  return { store, tenant, commits, execute, serializer };
}

/** Executes commands as a route does: a success is answered with the session. */
function answering(execute: Execute) {
  const { checkout: bytes } = createSerializer('https://pay.example.com');
  return (command: Command<'checkout'>): Promise<Executed<Checkout>> =>
    execute(command, (checkout) =>
      success('CHECKOUT.TEST', bytes(checkout), { etag: etagOf(checkout.version) }),
    );
}

type Given = { key?: string; hash?: string; id?: string; path?: string } & Partial<CreateCheckout>;

function create(
  tenant: Tenant,
  { key, hash = 'hash', path = '/v3/checkout', ...given }: Given = {},
): Command<'checkout'> {
  const id = given.id ?? newId('chk', now);
  return {
    subject: 'checkout',
    origin: {
      tenant,
      actor: 'ak_test_1',
      requestId: 'req_1',
      idempotency: key === undefined ? null : { key, operation: `POST ${path}`, requestHash: hash },
    },
    id,
    command: createCheckout({
      now,
      id,
      tenant,
      currency: 'EUR',
      description: '',
      referenceId: '',
      webhookUrl: 'http://shop.example/hook',
      ...given,
    }),
  };
}

function update(
  tenant: Tenant,
  id: CheckoutId,
  metadata: Record<string, number>,
  key?: string,
): Command<'checkout'> {
  return {
    subject: 'checkout',
    origin: {
      tenant,
      actor: 'ak_test_1',
      requestId: 'req_1',
      idempotency:
        key === undefined ? null : { key, operation: `PUT /v3/checkout/${id}`, requestHash: 'hash' },
    },
    id,
    command: { type: 'update', now, items: null, methods: null, metadata, ifVersion: null },
  };
}

function bodyOf({ result, answer }: Executed<Checkout>): string {
  assert.ok(answer, JSON.stringify(result));
  return answer.body;
}

const idOf = (executed: Executed<Checkout>): CheckoutId => JSON.parse(bodyOf(executed)).data.id;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

suite('many commands at once', () => {
  test('share few commits, and every one is answered with its own', async (t) => {
    const { store, tenant, commits, execute } = await setUp(t);
    const commands = times(500, (index) => create(tenant, { amount: index + 1 }));
    const executed = await Promise.all(commands.map(execute));
    assert.equal(
      commits.reduce((sum, each) => sum + each, 0),
      500,
    );
    assert.ok(commits.length <= 10, `${commits.length} commits`);
    for (const [index, each] of executed.entries()) {
      const { data } = JSON.parse(bodyOf(each));
      assert.equal(data.amount, index + 1);
      assert.equal((await store.checkouts.fetch(tenant, data.id))?.amount, index + 1);
      assert.deepEqual(each.committed, { tenant, checkouts: [data.id], events: true, deliveries: true });
    }
    assert.equal((await store.events.list(tenant, {}, 0, 1000)).rows.length, 500);
  });

  test('are committed in batches of a bounded size', async (t) => {
    const { tenant, commits, execute } = await setUp(t, { maxBatch: 7 });
    await Promise.all(times(40, () => execute(create(tenant))));
    assert.ok(Math.max(...commits) <= 7, commits.join());
    assert.ok(commits.length <= 8, commits.join());
  });

  test('on one session happen one after the other', async (t) => {
    const { store, tenant, execute } = await setUp(t);
    const id = idOf(await execute(create(tenant)));
    const executed = await Promise.all(
      times(40, (index) => execute(update(tenant, id, { [`m${index}`]: index }))),
    );
    const versions = executed.map(({ answer }) => answer?.headers.etag);
    assert.deepEqual(
      versions,
      times(40, (index) => `"${index + 2}"`),
    );
    const session = await store.checkouts.fetch(tenant, id);
    assert.equal(session?.version, 41);
    assert.equal(Object.keys(session.metadata).length, 40);
    const { rows } = await store.events.timeline(tenant, id, null, 100);
    assert.deepEqual(
      rows.map(({ sequence }) => sequence),
      times(41, (index) => 41 - index),
    );
  });

  test('are refused beyond the length of the queue, to be repeated later', async (t) => {
    const { tenant, execute } = await setUp(t, { maxQueue: 10, maxBatch: 5 });
    const settled = await Promise.allSettled(times(30, () => execute(create(tenant))));
    const refused = settled.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 20);
    for (const each of refused) assert.ok('reason' in each && each.reason instanceof StoreUnavailable);
    await execute(create(tenant));
  });
});

suite('a batch that fails', () => {
  test('is tried again one by one, so that each answers for itself', async (t) => {
    const { store, tenant, commits, execute } = await setUp(t);
    const taken = newId('chk', now);
    await execute(create(tenant, { id: taken }));
    commits.length = 0;
    // Two sessions of one id: a mistake that only the database can find.
    const commands = times(20, (index) => create(tenant, index === 7 ? { id: taken } : {}));
    const settled = await Promise.allSettled(commands.map(execute));
    assert.deepEqual(
      settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : [])),
      [7],
    );
    assert.deepEqual(commits, [20, ...times(20, () => 1)]);
    const { rows } = await store.events.list(tenant, {}, 0, 100);
    assert.deepEqual(
      rows.map(({ position }) => position),
      times(20, (index) => index + 1),
    );
    for (const each of settled) {
      if (each.status === 'fulfilled') assert.ok(await store.checkouts.fetch(tenant, idOf(each.value)));
    }
    assert.equal((await store.checkouts.list(tenant, {}, { limit: 100 })).rows.length, 20);
  });

  test('because the database cannot be written tells everybody so, and nothing is remembered', async (t) => {
    const { store, tenant, serializer } = await setUp(t);
    let broken = true;
    const failing: Pick<Store, 'accounts' | 'commit' | 'batching'> = {
      accounts: store.accounts,
      batching: store.batching,
      commit: (units: readonly Unit[]) =>
        broken
          ? store.commit([
              ...units,
              {
                needs: { tenant },
                decide: () => {
                  throw new StoreUnavailable('full');
                },
              },
            ])
          : store.commit(units),
    };
    const execute = answering(createWriter({ store: failing, serializer, realNow: () => now }));
    const commands = times(5, (index) => create(tenant, { key: `key-${index}` }));
    for (const each of await Promise.allSettled(commands.map(execute))) {
      assert.ok(each.status === 'rejected' && each.reason instanceof StoreUnavailable);
    }
    assert.deepEqual((await store.events.list(tenant, {}, 0, 10)).rows, []);
    broken = false;
    for (const { result } of await Promise.all(commands.map(execute))) assert.equal(result.kind, 'change');
  });
});

suite('a request with an idempotency key', () => {
  test('has one effect however often it comes at once', async (t) => {
    const { store, tenant, execute } = await setUp(t);
    for (let round = 0; round < 5; round++) {
      const key = `order-${round}`;
      const executed = await Promise.all(times(100, () => execute(create(tenant, { key }))));
      assert.equal(new Set(executed.map(bodyOf)).size, 1);
      assert.equal(new Set(executed.map(({ answer }) => JSON.stringify(answer))).size, 1);
      assert.deepEqual(executed.map(({ result }) => result.kind).toSorted(), [
        'change',
        ...times(99, () => 'replay'),
      ]);
      assert.equal(executed.filter(({ committed }) => committed !== null).length, 1);
    }
    assert.equal((await store.checkouts.list(tenant, {}, { limit: 100 })).rows.length, 5);
    assert.equal((await store.events.list(tenant, {}, 0, 100)).rows.length, 5);
    assert.equal((await store.gauges()).pendingDeliveries, 5);
  });

  test('is answered again byte for byte, even after the session has changed', async (t) => {
    const { tenant, execute } = await setUp(t);
    const command = create(tenant, { key: 'ü', metadata: { text: '😀 "quoted" \u2028' } });
    const first = await execute(command);
    const id = idOf(first);
    const changed = update(tenant, id, { changed: 1 }, 'ü');
    const second = await execute(changed);
    for (const [repeated, before] of [
      [create(tenant, { key: 'ü' }), first],
      [changed, second],
    ] as const) {
      const again = await execute(repeated);
      assert.deepEqual(again, { result: { kind: 'replay' }, answer: before.answer, committed: null });
    }
  });

  test('cannot be used with another body', async (t) => {
    const { store, tenant, execute } = await setUp(t);
    const commands = times(10, (index) => create(tenant, { key: 'key', hash: `hash-${index % 2}` }));
    const executed = await Promise.all(commands.map(execute));
    for (const [index, { result }] of executed.entries()) {
      if (index % 2) assert.ok(result.kind === 'refusal' && result.reason === 'key_reused');
      else assert.equal(result.kind, index === 0 ? 'change' : 'replay');
    }
    assert.equal((await store.events.list(tenant, {}, 0, 100)).rows.length, 1);
  });

  test('is another one under another path, mode or account', async (t) => {
    const { store, tenant, execute } = await setUp(t);
    const { number } = await createAccount(store, 'other', now);
    const live: Tenant = { ...tenant, mode: 'live' };
    const other: Tenant = { account: number, mode: 'test' };
    const commands = [
      create(tenant, { key: 'key' }),
      create(live, { key: 'key' }),
      create(other, { key: 'key', hash: 'another' }),
      create(tenant, { key: 'key', path: '/v3/elsewhere' }),
    ];
    const executed = await Promise.all(commands.map(execute));
    assert.deepEqual(
      executed.map(({ result }) => result.kind),
      times(4, () => 'change'),
    );
  });

  test('that was refused leaves no trace, and can succeed later', async (t) => {
    const { store, tenant, execute } = await setUp(t);
    const { payer } = (create(tenant) as { command: CreateCheckout }).command;
    const customer = newId('cus', now);
    const command = create(tenant, { key: 'key', payer: { ...payer, customer } });
    const refused = await execute(command);
    assert.ok(refused.result.kind === 'refusal');
    assert.equal(refused.committed, null);
    const record = { id: customer, tenant, createdAt: now, name: 'Ada', email: '', country: '', phone: null };
    const rest = { billing: [], shipping: [], referenceId: '', metadata: {} };
    const writes = { customer: { ...record, ...rest } };
    await store.commit([{ needs: { tenant }, decide: () => [writes] }]);
    assert.equal((await execute(command)).result.kind, 'change');
  });
});

test('a command changes nothing in another account’s session', async (t) => {
  const { store, tenant, execute } = await setUp(t);
  const { number } = await createAccount(store, 'other', now);
  const id = newId('chk', now);
  // The commands share a batch: the first one's session is in memory when the others ask for it.
  const [, ...strangers] = await Promise.all([
    execute(create(tenant, { id })),
    execute(update({ account: number, mode: 'test' }, id, { stolen: 1 })),
    execute(update({ ...tenant, mode: 'live' }, id, { stolen: 1 })),
  ]);
  for (const { result } of strangers) assert.ok(result.kind === 'refusal' && result.reason === 'not_found');
  assert.deepEqual((await store.checkouts.fetch(tenant, id))?.metadata, {});
});
