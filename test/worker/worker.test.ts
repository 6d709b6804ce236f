/** Due work, when something fails, or when another process has a part of it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { type Tenant, tenantName } from '../../src/checkout/tenant.ts';
import { success } from '../../src/http/envelope.ts';
import type { Rail } from '../../src/methods/method.ts';
import { sandbox } from '../../src/methods/sandbox/sandbox.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { attendToDue } from '../../src/worker/deadlines.ts';
import { createWorker, type Worker } from '../../src/worker/worker.ts';
import { ownOrigin } from '../../src/writer/command.ts';
import { createWriter, type Execute } from '../../src/writer/writer.ts';
import { add, attempt, session, T, tenants } from '../store/build.ts';
import { claim, claimAt, claimOne, finish, inOrder, result, tell } from '../store/deliveries.ts';
import { freshDirectory } from '../support/process.ts';
import { delivered } from './delivered.ts';

const realNow = () => T;
const onAlert = (rail: string, text: string) => assert.fail(`${rail}: ${text}`);

async function setUp(t: TestContext) {
  const store = openSqliteStore(join(freshDirectory(t), 'test.db'));
  t.after(() => store.close());
  const execute = createWriter({ store, serializer: createSerializer('https://pay.example.com'), realNow });
  return { store, execute, ...(await tenants(store)) };
}

function workerOn(store: Store, execute: Execute, more: Partial<Parameters<typeof createWorker>[0]>) {
  return createWorker({
    store,
    execute,
    rails: [],
    onAlert,
    onSilence: onAlert,
    send: () => assert.fail('nothing is to be sent'),
    realNow,
    leaseNow: realNow,
    deliverySlots: 0,
    deliveryDays: 30,
    eventDays: 0,
    onSent: () => {},
    onError: (error) => assert.fail(String(error)),
    ...more,
  });
}

suite('sessions that are due together', () => {
  /** Three of them, of which those fail whose number is given; says what became of them. */
  async function attend(t: TestContext, failing: readonly number[], limit: number) {
    const { store, execute, mine } = await setUp(t);
    const made: CheckoutId[] = [];
    for (let i = 0; i < 3; i++) made.push((await add(store, session(mine, { expiresAt: T - 3 + i }))).id);
    const failure = new Error('no');
    const failingOften: Execute = async (command, serialize) => {
      if ('id' in command && failing.some((index) => made[index] === command.id)) throw failure;
      return execute(command, serialize);
    };
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const duties = {
      store,
      execute: failingOften,
      rails: [],
      onAlert,
      onSilence: onAlert,
      leaseNow: realNow,
      onError,
    };
    const more = await attendToDue(duties, { tenant: mine, now: T }, limit);
    const states: string[] = [];
    for (const id of made) states.push((await store.checkouts.fetch(mine, id))?.lifecycle.state ?? '');
    // The claim goes by the clock of the leases: one that was not released still holds.
    const due = await store.work.claimCheckouts(mine, claimAt(T, { elapsedMs: performance.now() }));
    return { more, states, errors, failure, due: due.map(({ id }) => made.indexOf(id)) };
  }

  test('are attended to although one fails, which is due again at once', async (t) => {
    const { more, states, errors, failure, due } = await attend(t, [1], 10);
    assert.deepEqual(states, ['expired', 'active', 'expired']);
    assert.deepEqual(errors, [failure]);
    assert.deepEqual(due, [1]);
    assert.equal(more, false);
  });

  test('are followed by others when they are as many as can be', async (t) => {
    const { more, states, due } = await attend(t, [0], 2);
    assert.deepEqual(states, ['active', 'expired', 'active']);
    assert.deepEqual(due, [0, 2]);
    assert.equal(more, true);
  });

  test('wait for others where they are damaged, each said once in a while', async (t) => {
    const path = join(freshDirectory(t), 'test.db');
    const made: CheckoutId[] = [];
    const first = openSqliteStore(path);
    const { mine } = await tenants(first);
    for (let i = 0; i < 4; i++) made.push((await add(first, session(mine, { expiresAt: T - 9 + i }))).id);
    await first.close();
    const damaged = made.slice(0, 2);
    const database = new DatabaseSync(path);
    const damage = database.prepare('UPDATE checkout SET version = version + 1 WHERE id = ?');
    for (const id of damaged) damage.run(id);
    database.close();

    const store = openSqliteStore(path);
    t.after(() => store.close());
    let now = T;
    t.mock.method(performance, 'now', () => now - T);
    const errors: Error[] = [];
    const duties = {
      store,
      execute: createWriter({ store, serializer: createSerializer('https://pay.example.com'), realNow }),
      rails: [],
      onAlert,
      onSilence: onAlert,
      leaseNow: () => now,
      onError: (error: unknown) => errors.push(error as Error),
    };
    const look = () => attendToDue(duties, { tenant: mine, now: T }, 2);
    for (let looks = 0; looks < 5; looks++, now += 1000) await look();
    for (const id of made.slice(2)) {
      assert.equal((await store.checkouts.fetch(mine, id))?.lifecycle.state, 'expired');
    }
    const named = () => damaged.map((id) => errors.filter(({ message }) => message.includes(id)).length);
    assert.deepEqual([errors.length, named()], [2, [1, 1]]);
    now = T + 60_000;
    await look();
    assert.deepEqual([errors.length, named()], [4, [2, 2]]);
  });

  test('are left for later when all of them fail, and one error is said once', async (t) => {
    const { more, errors, failure, due } = await attend(t, [0, 1, 2], 3);
    assert.deepEqual(errors, [failure]);
    assert.deepEqual(due, [0, 1, 2]);
    assert.equal(more, false);
  });
});

suite('a clock that is moved', () => {
  async function moveClock(t: TestContext, deliverySlots: number) {
    const { store, execute, mine } = await setUp(t);
    await tell(store, mine, 2);
    // Another process has the first of them, and is done with it at the second look.
    const first = await claimOne(store, mine, T);
    let looks = 0;
    const shared: Store = {
      ...store,
      work: {
        ...store.work,
        async countDueDeliveries(tenant, now) {
          if (++looks === 2) await finish(store, mine, result(first));
          return store.work.countDueDeliveries(tenant, now);
        },
      },
    };
    const sent: string[] = [];
    const worker = workerOn(shared, execute, {
      deliverySlots,
      async send({ event }) {
        sent.push(event.id);
        return delivered;
      },
    });
    await worker.advance(mine, async () => {});
    await worker.stop();
    return { looks, sent, first: first.event.id, left: inOrder(await claim(store, mine, T)) };
  }

  test('waits for deliveries that another process has', async (t) => {
    const { looks, sent, first, left } = await moveClock(t, 4);
    assert.equal(sent.length, 1);
    assert.ok(!sent.includes(first));
    assert.deepEqual(left, []);
    assert.equal(looks, 3);
  });

  test('waits for none where deliveries are held back', async (t) => {
    const { looks, sent } = await moveClock(t, 0);
    assert.deepEqual(sent, []);
    assert.equal(looks, 0);
  });
});

suite('a clock that moves by a year beside a rail that does not answer', () => {
  const advanceMs = 366 * 86_400_000;

  /** Questions to the rail, and the session afterwards; `onAsked` is told of each. */
  async function moveByAYear(t: TestContext, onAsked: (asked: number, worker: Worker) => void = () => {}) {
    const { store, execute, mine } = await setUp(t);
    const given = attempt('one', { rail: 'silent', status: 'requires_action', syncAt: T + 1 });
    const expiresAt = T + advanceMs / 2;
    const { id } = await add(store, session(mine, { attempts: [given], expiresAt }));
    await add(store, session(mine, { expiresAt: T + 30_000 }));
    let asked = 0;
    const silent: Rail = {
      ...sandbox,
      name: 'silent',
      async sync(_checkout, { status }, now) {
        onAsked(++asked, worker);
        return { status, reason: '', syncAt: now + 30_000, payment: null };
      },
    };
    const worker = workerOn(store, execute, { rails: [silent] });
    const origin = ownOrigin(mine, 'operator');
    const move = () =>
      execute({ subject: 'clock', origin, now: T, realNow: T, advanceMs }, () => success('CLOCK', '{}'));
    await worker.advance(mine, move);
    await worker.stop();
    const checkout = await store.checkouts.fetch(mine, id);
    assert.ok(checkout);
    return { asked, checkout, expiresAt, end: T + advanceMs };
  }

  test('asks it some fifty times, and ends the session at its own time', async (t) => {
    const { asked, checkout, expiresAt, end } = await moveByAYear(t);
    assert.ok(asked > 40 && asked < 60, String(asked));
    assert.deepEqual(checkout.lifecycle, { state: 'expired', by: 'time', at: expiresAt });
    for (const { syncAt } of checkout.attempts) assert.ok(syncAt === null || syncAt > end);
  });

  test('leaves the rest to the next process when it stops', async (t) => {
    const { asked } = await moveByAYear(t, (count, worker) => {
      if (count === 3) void worker.stop();
    });
    assert.equal(asked, 3);
  });
});

/** Lets a worker run until a session has expired and a webhook was sent. */
async function workUntilDone(store: Store, execute: Execute, onError: (error: unknown) => void) {
  const expired = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  const watched: Execute = async (command, serialize) => {
    const result = await execute(command, serialize);
    if (command.subject === 'checkout') expired.resolve();
    return result;
  };
  const worker = workerOn(store, watched, {
    deliverySlots: 4,
    pollMs: 5,
    onError,
    async send() {
      sent.resolve();
      return delivered;
    },
  });
  worker.start();
  await Promise.all([expired.promise, sent.promise]);
  await worker.stop();
}

test('trouble of one tenant keeps no other from what is due, of whatever kind', async (t) => {
  const { store, execute, mine, theirs } = await setUp(t);
  for (const tenant of [mine, theirs]) await add(store, session(tenant, { expiresAt: T - 1 }));
  for (const tenant of [mine, theirs]) await tell(store, tenant, 1);
  const isMine = (tenant: Tenant) => tenantName(tenant) === tenantName(mine);
  const failing =
    <A extends [Tenant, ...unknown[]], R>(run: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (isMine(given[0])) throw new Error('no');
      return run(...given);
    };
  const { claimCheckouts, claimDeliveries, listTenants } = store.work;
  const broken: Store = {
    ...store,
    work: {
      ...store.work,
      claimCheckouts: failing(claimCheckouts),
      claimDeliveries: failing(claimDeliveries),
      // The one with trouble has the first turn, at each look.
      async listTenants(...given) {
        const due = await listTenants(...given);
        return { ...due, checkouts: [mine, theirs], deliveries: [mine, theirs] };
      },
    },
  };
  const told = new Set<string>();
  await workUntilDone(broken, execute, (error) => told.add((error as Error).message));
  assert.deepEqual((await store.checkouts.list(theirs, { status: 'expired' }, { limit: 9 })).rows.length, 1);
  assert.deepEqual([...told].sort(), [
    `${tenantName(mine)}: deliveries: no`,
    `${tenantName(mine)}: due checkouts: no`,
  ]);
});

test('what was told of once is tried again behind its failure, whether or not a look finds it', async (t) => {
  const { store, execute, mine } = await setUp(t);
  await add(store, session(mine, { expiresAt: T - 1 }));
  await tell(store, mine, 1);
  const { claimCheckouts, claimDeliveries, listTenants } = store.work;
  const failures: string[] = [];
  const failingOnce =
    <A extends unknown[], R>(what: string, run: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (failures.includes(what)) return run(...given);
      failures.push(what);
      throw new Error(what);
    };
  let looks = 0;
  const broken: Store = {
    ...store,
    work: {
      ...store.work,
      claimCheckouts: failingOnce('checkouts', claimCheckouts),
      claimDeliveries: failingOnce('deliveries', claimDeliveries),
      async listTenants(...given) {
        const due = await listTenants(...given);
        const tenants = looks++ === 0 ? [mine] : [];
        return { ...due, checkouts: tenants, deliveries: tenants };
      },
    },
  };
  await workUntilDone(broken, execute, () => {});
  assert.deepEqual(failures.sort(), ['checkouts', 'deliveries']);
});
