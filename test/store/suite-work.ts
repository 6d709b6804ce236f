import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Scope } from '../../src/checkout/session.ts';
import { newId } from '../../src/id.ts';
import type { Claim, ClaimedDelivery, DeliveryResult, Store } from '../../src/store/store.ts';
import { add, answer, attempt, change, eventOf, load, type Open, session, T, write } from './build.ts';
import { onFreshStores } from './each.ts';

const HOUR = 3_600_000;
const LEASE = 60_000;
const HOOK = 'http://shop.example/hook';
const MAX_PER_ADDRESS = 32;
const inOrder = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const ids = (rows: readonly { readonly id: string }[]) => inOrder(rows).sort();

export function workSuite(open: Open): void {
  const it = onFreshStores(open);

  suite('sessions that are due', () => {
    it('are those whose time has come, until they change', async ({ store, reopen, mine }) => {
      const later = await add(store, session(mine, { expiresAt: T + 20 }));
      const soon = await add(store, session(mine, { expiresAt: T + 10 }));
      const asked = await add(
        store,
        session(mine, { attempts: [attempt('r', { status: 'processing', syncAt: T + 15 })] }),
      );
      await add(store, session(mine));
      const again = await reopen();
      const due = async (now: number) => ids(await again.dueCheckouts(mine, now, 10));
      assert.deepEqual(await due(T + 9), []);
      assert.deepEqual(await again.dueCheckouts(mine, T + 10, 10), [{ id: soon.id, dueAt: T + 10 }]);
      assert.deepEqual(await due(T + 15), ids([soon, asked]));
      assert.deepEqual(await due(T + 20), ids([soon, asked, later]));
      await change(again, soon, { lifecycle: { state: 'expired', at: T + 10, by: 'time' } });
      assert.deepEqual(await due(T + 20), ids([asked, later]));
    });

    it('come the longest due first, as many as asked for', async ({ store, mine }) => {
      const made: string[] = [];
      for (const after of [30, 10, 40, 20]) {
        made.push((await add(store, session(mine, { expiresAt: T + after }))).id);
      }
      const [third, first, fourth, second] = made;
      assert.deepEqual(inOrder(await store.dueCheckouts(mine, T + HOUR, 10)), [first, second, third, fourth]);
      assert.deepEqual(inOrder(await store.dueCheckouts(mine, T + HOUR, 2)), [first, second]);
      assert.deepEqual(inOrder(await store.dueCheckouts(mine, T + HOUR, 1)), [first]);
    });

    it('are those of the account and mode', async ({ store, mine, live, theirs }) => {
      const made = new Map<Scope, string>();
      for (const scope of [mine, live, theirs]) {
        made.set(scope, (await add(store, session(scope, { expiresAt: T }))).id);
      }
      for (const [scope, id] of made) assert.deepEqual(ids(await store.dueCheckouts(scope, T, 10)), [id]);
      assert.deepEqual(await store.dueCheckouts({ account: 99, mode: 'test' }, T, 10), []);
    });
  });

  /** A session with one delivery for each of these times. */
  async function together(store: Store, scope: Scope, dueAt: number[], webhookUrl = HOOK): Promise<string[]> {
    const after = session(scope, { webhookUrl });
    const event = eventOf(after, 'checkout.created');
    const rows = dueAt.map((at) => ({
      id: newId('whd', T),
      event: event.id,
      checkout: after.id,
      url: webhookUrl,
      dueAt: at,
    }));
    await write(store, scope, { checkout: { before: null, after }, events: [event], deliveries: rows });
    return rows.map(({ id }) => id);
  }

  /** For each of these times a session with one delivery. */
  async function apart(store: Store, scope: Scope, dueAt: number[], webhookUrl = HOOK): Promise<string[]> {
    const all: string[] = [];
    for (const at of dueAt) all.push(...(await together(store, scope, [at], webhookUrl)));
    return all;
  }

  const result = (scope: Scope, id: string, given: Partial<DeliveryResult> = {}): DeliveryResult => {
    return { scope, id, state: 'delivered', dueAt: null, httpStatus: 200, error: null, ...given };
  };
  /** Claims at this time, in real time as well unless another is given. */
  const claim = (
    store: Store,
    scope: Scope,
    now: number,
    given: Partial<Claim> = {},
  ): Promise<readonly ClaimedDelivery[]> =>
    store.claimDeliveries(scope, { now, realNow: now, leaseMs: LEASE, limit: 10, ...given });

  suite('deliveries', () => {
    it('are claimed when they are due, with what is to be sent', async ({ store, reopen, mine }) => {
      const [first] = (await apart(store, mine, [T + 5, T + 6])) as [string];
      const again = await reopen();
      assert.deepEqual(await claim(again, mine, T + 4), []);
      const [claimed, ...others] = await claim(again, mine, T + 5);
      const { rows } = await again.events(mine, {}, 0, 1);
      const [event] = rows;
      assert.deepEqual(claimed, { scope: mine, id: first, url: HOOK, attempts: 0, dueAt: T + 5, event });
      assert.deepEqual(others, []);
    });

    it('come the longest due first, as many as asked for', async ({ store, mine }) => {
      const [third, first, fourth, second] = await apart(store, mine, [T + 30, T + 10, T + 40, T + 20]);
      const later = T + HOUR;
      assert.deepEqual(inOrder(await claim(store, mine, later, { limit: 1 })), [first]);
      assert.deepEqual(inOrder(await claim(store, mine, later, { limit: 2 })), [second, third]);
      assert.deepEqual(inOrder(await claim(store, mine, later)), [fourth]);
    });

    it('are nobody else’s while they are claimed', async ({ store, mine }) => {
      const all = await apart(store, mine, [T, T, T]);
      const first = await claim(store, mine, T, { limit: 2 });
      assert.equal(first.length, 2);
      const second = await claim(store, mine, T, { limit: 2 });
      assert.deepEqual(ids([...first, ...second]), all.toSorted());
      assert.deepEqual(await claim(store, mine, T + LEASE - 1), []);
    });

    it('can be claimed anew when the lease is over', async ({ store, mine }) => {
      const all = await apart(store, mine, [T, T]);
      await claim(store, mine, T);
      assert.deepEqual(ids(await claim(store, mine, T + LEASE)), all.toSorted());
      assert.deepEqual(await claim(store, mine, T + 2 * LEASE - 1), []);
    });

    it('are leased in real time, whatever the clock of their account and mode', async ({ store, mine }) => {
      const all = await apart(store, mine, [T + HOUR]);
      const ahead = T + 99 * HOUR;
      assert.deepEqual(await claim(store, mine, T, { realNow: ahead }), []);
      assert.deepEqual(ids(await claim(store, mine, T + HOUR, { realNow: T })), all);
      assert.deepEqual(await claim(store, mine, ahead, { realNow: T + LEASE - 1 }), []);
      assert.deepEqual(ids(await claim(store, mine, T + HOUR, { realNow: T + LEASE })), all);
    });

    it('can be given back', async ({ store, mine }) => {
      const [a, b] = (await apart(store, mine, [T, T])) as [string, string];
      await claim(store, mine, T);
      store.releaseDeliveries([a]);
      assert.deepEqual(ids(await claim(store, mine, T)), [a]);
      store.releaseDeliveries([a, b, 'whd_unknown']);
      assert.equal((await claim(store, mine, T)).length, 2);
    });

    it('are held by nobody after a restart', async ({ store, reopen, mine }) => {
      const [first] = (await together(store, mine, [T, T + 1])) as [string];
      const [other] = (await apart(store, mine, [T + 2])) as [string];
      await claim(store, mine, T + 2);
      assert.deepEqual(inOrder(await claim(await reopen(), mine, T + 2)), [first, other]);
    });

    it('that have arrived or were given up are over', async ({ store, reopen, mine, live }) => {
      const [a, b] = (await apart(store, mine, [T, T])) as [string, string];
      const [c] = (await apart(store, live, [T])) as [string];
      assert.deepEqual(await store.gauges(), { pendingDeliveries: 3 });
      for (const scope of [mine, live]) await claim(store, scope, T);
      // What came of deliveries of several accounts and modes is written at once.
      const given = { state: 'failed', httpStatus: null, error: 'refused' } as const;
      await write(store, mine, { deliveryResults: [result(mine, a), result(live, c, given)] });
      store.releaseDeliveries([a, b, c]);
      assert.deepEqual(await store.gauges(), { pendingDeliveries: 1 });
      const again = await reopen();
      assert.deepEqual(ids(await claim(again, mine, T + 99 * HOUR)), [b]);
      assert.deepEqual(await claim(again, live, T + 99 * HOUR), []);
    });

    it('that failed come again at their next time, and count their attempts', async ({
      store,
      reopen,
      mine,
    }) => {
      const [a] = (await apart(store, mine, [T])) as [string];
      let each = store;
      for (let attempts = 1; attempts <= 3; attempts++) {
        const due = T + (attempts - 1) * HOUR;
        assert.deepEqual(
          (await claim(each, mine, due)).map((one) => [one.id, one.attempts, one.dueAt]),
          [[a, attempts - 1, due]],
        );
        const next = {
          state: 'pending',
          dueAt: T + attempts * HOUR,
          httpStatus: 503,
          error: 'HTTP 503',
        } as const;
        await write(each, mine, { deliveryResults: [result(mine, a, next)] });
        each.releaseDeliveries([a]);
        assert.deepEqual(await claim(each, mine, T + attempts * HOUR - 1), []);
        if (attempts === 2) each = await reopen();
      }
    });

    it('of another account and mode are not touched by a result', async ({ store, mine, live, theirs }) => {
      const [a] = (await apart(store, mine, [T])) as [string];
      await write(store, mine, { deliveryResults: [result(live, a), result(theirs, a)] });
      assert.deepEqual(ids(await claim(store, mine, T)), [a]);
    });

    it('are claimed for one account and mode', async ({ store, mine, live, theirs }) => {
      const made = new Map<Scope, string[]>();
      for (const scope of [mine, live, theirs]) made.set(scope, await apart(store, scope, [T]));
      assert.deepEqual(await claim(store, { account: 99, mode: 'test' }, T), []);
      for (const [scope, all] of made) {
        const claimed = await claim(store, scope, T);
        assert.deepEqual(
          claimed.map((one) => [one.id, one.scope]),
          all.map((id) => [id, scope]),
        );
      }
    });
  });

  suite('deliveries of one session', () => {
    it('are out one at a time, the longest due first', async ({ store, mine }) => {
      const [second, first] = (await together(store, mine, [T + 1, T])) as [string, string];
      assert.deepEqual(inOrder(await claim(store, mine, T + 1)), [first]);
      assert.deepEqual(await claim(store, mine, T + 2), []);
      await write(store, mine, { deliveryResults: [result(mine, first)] });
      assert.deepEqual(await claim(store, mine, T + 2), []);
      store.releaseDeliveries([first]);
      assert.deepEqual(inOrder(await claim(store, mine, T + 2)), [second]);
    });

    it('do not wait for one that is not due yet', async ({ store, mine }) => {
      const [first, second] = (await together(store, mine, [T, T + 1])) as [string, string];
      await claim(store, mine, T + 1);
      const next = { state: 'pending', dueAt: T + HOUR, httpStatus: 503, error: 'HTTP 503' } as const;
      await write(store, mine, { deliveryResults: [result(mine, first, next)] });
      store.releaseDeliveries([first]);
      assert.deepEqual(inOrder(await claim(store, mine, T + 1)), [second]);
    });

    it('are out one at a time again when a lease is over', async ({ store, mine }) => {
      const [first] = (await together(store, mine, [T, T + 1])) as [string];
      await claim(store, mine, T + 1);
      assert.deepEqual(inOrder(await claim(store, mine, T + 1 + LEASE)), [first]);
    });

    it('do not hold up other sessions, however many they are', async ({ store, mine }) => {
      const [first] = (await together(store, mine, Array(20).fill(T))).toSorted() as [string];
      const [other] = (await apart(store, mine, [T + 1])) as [string];
      assert.deepEqual(inOrder(await claim(store, mine, T + 1, { limit: 5 })), [first]);
      assert.deepEqual(inOrder(await claim(store, mine, T + 1, { limit: 5 })), [other]);
    });
  });

  suite('deliveries to one address', () => {
    const waiting = Array.from({ length: 40 }, (_, index) => T + index);
    const elsewhere = 'http://other.example/hook';

    it('are out in a bounded number, and others get their turn', async ({ store, mine }) => {
      const all = await apart(store, mine, waiting);
      const [other] = (await apart(store, mine, [T + 99], elsewhere)) as [string];
      assert.deepEqual(inOrder(await claim(store, mine, T + 99, { limit: 100 })), [
        ...all.slice(0, MAX_PER_ADDRESS),
        other,
      ]);
      assert.deepEqual(await claim(store, mine, T + 99, { limit: 100 }), []);
      store.releaseDeliveries([other]);
      assert.deepEqual(inOrder(await claim(store, mine, T + 99)), [other]);
    });

    it('do not keep others behind them out of a small claim', async ({ store, mine }) => {
      const all = await apart(store, mine, waiting);
      const [other] = (await apart(store, mine, [T + 99], elsewhere)) as [string];
      const claimed: string[] = [];
      for (let size = -1; size !== claimed.length; ) {
        size = claimed.length;
        const some = await claim(store, mine, T + 99, { limit: 5 });
        assert.ok(some.length <= 5);
        claimed.push(...inOrder(some));
      }
      assert.deepEqual(claimed, [...all.slice(0, MAX_PER_ADDRESS), other]);
    });

    it('follow as others are given back', async ({ store, mine }) => {
      const all = await apart(store, mine, waiting);
      const arrived = inOrder(await claim(store, mine, T + 99, { limit: 100 })).slice(0, 3);
      await write(store, mine, { deliveryResults: arrived.map((id) => result(mine, id)) });
      store.releaseDeliveries(arrived);
      const next = inOrder(await claim(store, mine, T + 99, { limit: 100 }));
      assert.deepEqual(next, all.slice(MAX_PER_ADDRESS, MAX_PER_ADDRESS + 3));
    });

    it('count for all accounts and modes', async ({ store, mine, live }) => {
      await apart(store, mine, waiting.slice(0, 30));
      const [first, second] = await apart(store, live, [T, T + 1, T + 2]);
      assert.equal((await claim(store, mine, T + 99, { limit: 100 })).length, 30);
      assert.deepEqual(inOrder(await claim(store, live, T + 99)), [first, second]);
    });
  });

  it('stored answers are forgotten in time, a bounded number at once', async ({ store, mine, live }) => {
    const count = 2100;
    const units = Array.from({ length: count }, (_, index) => ({
      needs: { scope: index % 2 ? mine : live },
      decide: () => ({ answer: answer(`old-${index}`, { createdAt: T + (index % 10) }) }),
    }));
    await store.commit(units);
    await write(store, mine, { answer: answer('young', { createdAt: T + 10 }) });
    const removed: number[] = [];
    for (let last = -1; last !== 0; removed.push(last)) last = await store.purgeAnswers(T + 10);
    assert.ok(Math.max(...removed) <= 1000, `${Math.max(...removed)} at once`);
    assert.equal(
      removed.reduce((sum, each) => sum + each, 0),
      count,
    );
    const found = async (key: string) => {
      const { operation, requestHash } = answer(key);
      return (await load(store, { scope: mine, idempotency: { key, operation, requestHash } })).answer;
    };
    assert.equal(await found('old-1'), null);
    assert.equal((await found('young'))?.statusCode, 201);
  });
}
