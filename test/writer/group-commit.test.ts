/**
 * Group commit: changes that share a commit, and commits at the same time, on a database that takes several.
 */

import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Store, Unit } from '../../src/store/store.ts';
import { type Backlog, createBacklog } from '../../src/writer/backlog.ts';
import { groupCommit } from '../../src/writer/group-commit.ts';
import { add, changed, eventOf, session, tenants } from '../store/build.ts';
import { postgresOpener } from '../store/open-postgres.ts';

/** The tenants and sessions of a commit, and how many others were under way when it began. */
type Seen = { readonly tenants: Set<string>; readonly sessions: string[]; readonly beside: number };

async function setUp(
  t: TestContext,
  { backlog, ...limits }: { maxBatch?: number; maxQueue?: number; backlog?: Backlog } = {},
) {
  const { store, close } = await postgresOpener()();
  t.after(close);
  const commits: Seen[] = [];
  const underWay = new Set<string>();
  let running = 0;
  const watched: Pick<Store, 'commit' | 'batching'> = {
    batching: store.batching,
    async commit(units) {
      const sessions = units.flatMap(({ needs }) => needs.checkouts ?? []);
      for (const id of new Set(sessions)) {
        assert.ok(!underWay.has(id), 'a session is in two commits at once');
        underWay.add(id);
      }
      const tenants = new Set(units.map(({ needs: { tenant } }) => `${tenant.account} ${tenant.mode}`));
      commits.push({ tenants, sessions, beside: running++ });
      try {
        await store.commit(units);
      } finally {
        running--;
        for (const id of sessions) underWay.delete(id);
      }
    },
  };
  const commit = groupCommit(watched, limits.maxBatch ?? 256, limits.maxQueue ?? 10_000, backlog);
  const enqueue = (unit: Unit) => commit(unit, 'requested');
  const enqueueOwn = (unit: Unit) => commit(unit, 'own');
  return { store, commits, enqueue, enqueueOwn, ...(await tenants(store)) };
}

/** Adds one to the amount of a session. */
function increment(tenant: Tenant, id: CheckoutId): Unit {
  return {
    needs: { tenant, checkouts: [id] },
    decide({ checkouts }) {
      const checkout = checkouts.get(id);
      assert.ok(checkout);
      const after = changed(checkout, { amount: checkout.amount + 1 });
      return [{ checkout: { before: checkout, after }, events: [eventOf(after)] }];
    },
  };
}

suite('changes that come at once', () => {
  test('of different sessions are committed in several batches at the same time', async (t) => {
    const { store, commits, enqueue, mine } = await setUp(t, { maxBatch: 5 });
    const sessions = await Promise.all(Array.from({ length: 40 }, () => add(store, session(mine))));
    await Promise.all(sessions.map(({ id }) => enqueue(increment(mine, id))));
    assert.equal(commits.length, 8);
    assert.ok(commits.some(({ beside }) => beside > 0));
    assert.ok(commits.every(({ beside }) => beside < store.batching.atOnce));
    for (const { id, version } of sessions) {
      assert.equal((await store.checkouts.fetch(mine, id))?.version, version + 1);
    }
  });

  test('of one session are never in two batches at once, and keep their order', async (t) => {
    const { store, enqueue, mine } = await setUp(t, { maxBatch: 4 });
    const [one, other] = [await add(store, session(mine)), await add(store, session(mine))];
    const order: number[] = [];
    const noted = (index: number): Unit => {
      const unit = increment(mine, one.id);
      return {
        ...unit,
        decide(loaded) {
          order.push(index);
          return unit.decide(loaded);
        },
      };
    };
    const all = Array.from({ length: 30 }, (_, index) => [noted(index), increment(mine, other.id)]).flat();
    await Promise.all(all.map(enqueue));
    assert.deepEqual(
      order,
      Array.from({ length: 30 }, (_, index) => index),
    );
    assert.equal((await store.checkouts.fetch(mine, one.id))?.amount, one.amount + 30);
    assert.equal((await store.checkouts.fetch(mine, other.id))?.amount, other.amount + 30);
  });

  test('of several accounts and modes are committed apart', async (t) => {
    const { store, commits, enqueue, mine, live, theirs } = await setUp(t);
    const tenants = [mine, live, theirs, mine, live, theirs];
    const sessions = await Promise.all(tenants.map((tenant) => add(store, session(tenant))));
    await Promise.all(sessions.map(({ tenant, id }) => enqueue(increment(tenant, id))));
    assert.ok(commits.every((commit) => commit.tenants.size === 1));
    assert.equal(commits.length, 3);
  });

  test('of which one fails are carried out one by one', async (t) => {
    const { store, enqueue, mine } = await setUp(t);
    const sessions = await Promise.all(Array.from({ length: 5 }, () => add(store, session(mine))));
    const bug = new Error('a bug');
    const failing: Unit = {
      needs: { tenant: mine },
      decide() {
        throw bug;
      },
    };
    const results = await Promise.allSettled(
      [...sessions.map(({ id }) => increment(mine, id)), failing].map(enqueue),
    );
    assert.deepEqual(results.pop(), { status: 'rejected', reason: bug });
    assert.ok(results.every(({ status }) => status === 'fulfilled'));
    for (const { id } of sessions) assert.equal((await store.checkouts.fetch(mine, id))?.version, 2);
  });
});

suite('requests and the work of the service itself', () => {
  test('each get half of a batch while both wait, and the rest where one of them does not', async (t) => {
    const { store, commits, enqueue, enqueueOwn, mine } = await setUp(t, { maxBatch: 8 });
    const sessions = await Promise.all(Array.from({ length: 26 }, () => add(store, session(mine))));
    const own = new Set(sessions.slice(20).map(({ id }) => `${id}`));
    await Promise.all(sessions.map(({ id }) => (own.has(id) ? enqueueOwn : enqueue)(increment(mine, id))));
    const ownOfEach = commits.map((commit) => commit.sessions.filter((id) => own.has(id)).length);
    assert.deepEqual(ownOfEach, [4, 2, 0, 0]);
    assert.deepEqual(
      commits.map((commit) => commit.sessions.length),
      [8, 8, 8, 2],
    );
  });
});

suite('clients that connect', () => {
  /** Turns of the event loop, each of which brings a connection, before a full batch is committed. */
  async function turnsBefore(t: TestContext, connections: number): Promise<number> {
    const backlog = createBacklog();
    const { store, commits, enqueue, mine } = await setUp(t, { maxBatch: 1, backlog });
    const { id } = await add(store, session(mine));
    let turns = 0;
    backlog.connected();
    const committed = enqueue(increment(mine, id));
    while (commits.length === 0) {
      if (turns++ < connections) backlog.connected();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await committed;
    return turns;
  }

  test('are taken before the next commit', async (t) => {
    assert.ok((await turnsBefore(t, 20)) >= 20);
  });

  test('without end do not hold it up', async (t) => {
    const turns = await turnsBefore(t, Number.POSITIVE_INFINITY);
    assert.ok(turns < 200, `${turns} turns`);
  });
});
