import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Checkout, Scope } from '../../src/checkout/session.ts';
import { newId } from '../../src/id.ts';
import type { ClaimedDelivery, DeliveryResult, Store } from '../../src/store/store.ts';
import { add, answer, attempt, change, eventOf, load, type Open, session, T, write } from './build.ts';
import { onFreshStores } from './each.ts';

const HOUR = 3_600_000;
const LEASE = 60_000;
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort();

export function workSuite(open: Open): void {
  const it = onFreshStores(open);

  suite('sessions that are due', () => {
    it('are those whose time has come, until they change', async ({ store, reopen, mine, live, theirs }) => {
      const soon = await add(store, session(mine, { expiresAt: T + 10 }));
      const later = await add(store, session(live, { expiresAt: T + 20 }));
      const asked = await add(
        store,
        session(theirs, { attempts: [attempt('r', { status: 'processing', syncAt: T + 15 })] }),
      );
      await add(store, session(mine));
      const again = await reopen();
      const due = async (now: number) => ids(await again.dueCheckouts(now, 10));
      assert.deepEqual(await due(T + 9), []);
      assert.deepEqual(await again.dueCheckouts(T + 10, 10), [{ scope: mine, id: soon.id, dueAt: T + 10 }]);
      assert.deepEqual(await due(T + 15), ids([soon, asked]));
      assert.deepEqual(await due(T + 20), ids([soon, asked, later]));
      await change(again, soon, { lifecycle: { state: 'expired', at: T + 10, by: 'time' } });
      assert.deepEqual(await due(T + 20), ids([asked, later]));
      assert.equal((await again.dueCheckouts(T + 20, 1)).length, 1);
    });

    it('are so by the clock of their account and mode', async ({ store, mine, live, theirs }) => {
      const scopes = [mine, live, theirs];
      const made: Checkout[] = [];
      for (const scope of scopes) made.push(await add(store, session(scope, { expiresAt: T + HOUR })));
      const [ours, real, other] = made as [Checkout, Checkout, Checkout];
      await write(store, mine, { testClockAdvanceMs: HOUR });
      assert.deepEqual(ids(await store.dueCheckouts(T - 1, 10)), []);
      assert.deepEqual(ids(await store.dueCheckouts(T, 10)), [ours.id]);
      assert.deepEqual(ids(await store.dueCheckouts(T + HOUR, 10)), ids([ours, real, other]));
      for (const [scope, one] of [
        [mine, ours],
        [live, real],
        [theirs, other],
      ] as const) {
        assert.deepEqual(ids(await store.dueCheckouts(T + HOUR, 10, scope)), [one.id]);
      }
      assert.deepEqual(await store.dueCheckouts(T, 10, live), []);
      assert.deepEqual(await store.dueCheckouts(T + HOUR, 10, { account: 99, mode: 'test' }), []);
    });
  });

  /** A session with one delivery for each of these times. */
  async function deliveries(store: Store, scope: Scope, ...dueAt: number[]): Promise<string[]> {
    const after = session(scope, { webhookUrl: 'http://shop.example/hook' });
    const event = eventOf(after, 'checkout.created');
    const rows = dueAt.map((at) => ({
      id: newId('whd', T),
      event: event.id,
      checkout: after.id,
      url: after.webhookUrl,
      dueAt: at,
    }));
    await write(store, scope, { checkout: { before: null, after }, events: [event], deliveries: rows });
    return rows.map(({ id }) => id);
  }

  const result = (scope: Scope, id: string, given: Partial<DeliveryResult> = {}): DeliveryResult => {
    return { scope, id, state: 'delivered', dueAt: null, httpStatus: 200, error: null, ...given };
  };
  const claim = (store: Store, now: number, limit = 10, scope?: Scope): Promise<readonly ClaimedDelivery[]> =>
    store.claimDeliveries(now, LEASE, limit, scope);

  suite('deliveries', () => {
    it('are claimed when they are due, with what is to be sent', async ({ store, reopen, mine }) => {
      const [first] = (await deliveries(store, mine, T + 5, T + 6)) as [string];
      const again = await reopen();
      assert.deepEqual(await claim(again, T + 4), []);
      const [claimed, ...others] = await claim(again, T + 5);
      const { rows } = await again.events(mine, {}, 0, 1);
      const [event] = rows;
      const url = 'http://shop.example/hook';
      assert.deepEqual(claimed, { scope: mine, id: first, url, attempts: 0, dueAt: T + 5, event });
      assert.deepEqual(others, []);
    });

    it('are nobody else’s while they are claimed', async ({ store, mine }) => {
      const all = await deliveries(store, mine, T, T, T);
      const first = await claim(store, T, 2);
      assert.equal(first.length, 2);
      const second = await claim(store, T, 2);
      assert.deepEqual(ids([...first, ...second]), all.toSorted());
      assert.deepEqual(await claim(store, T + LEASE - 1), []);
    });

    it('can be claimed anew when the lease is over', async ({ store, mine }) => {
      const all = await deliveries(store, mine, T);
      await claim(store, T);
      assert.deepEqual(ids(await claim(store, T + LEASE)), all);
    });

    it('can be given back', async ({ store, mine }) => {
      const [a, b] = (await deliveries(store, mine, T, T)) as [string, string];
      await claim(store, T);
      store.releaseDeliveries([a]);
      assert.deepEqual(ids(await claim(store, T)), [a]);
      store.releaseDeliveries([a, b, 'whd_unknown']);
      assert.equal((await claim(store, T)).length, 2);
    });

    it('are held by nobody after a restart', async ({ store, reopen, mine }) => {
      const all = await deliveries(store, mine, T);
      await claim(store, T);
      assert.deepEqual(ids(await claim(await reopen(), T)), all);
    });

    it('that have arrived or were given up are over', async ({ store, reopen, mine, live }) => {
      const [a, b] = (await deliveries(store, mine, T, T)) as [string, string];
      const [c] = (await deliveries(store, live, T)) as [string];
      assert.deepEqual(await store.gauges(), { pendingDeliveries: 3 });
      await claim(store, T);
      // What came of deliveries of several accounts and modes is written at once.
      const given = { state: 'failed', httpStatus: null, error: 'refused' } as const;
      await write(store, mine, { deliveryResults: [result(mine, a), result(live, c, given)] });
      store.releaseDeliveries([a, b, c]);
      assert.deepEqual(await store.gauges(), { pendingDeliveries: 1 });
      assert.deepEqual(ids(await claim(await reopen(), T + 99 * HOUR)), [b]);
    });

    it('that failed come again at their next time, and count their attempts', async ({
      store,
      reopen,
      mine,
    }) => {
      const [a] = (await deliveries(store, mine, T)) as [string];
      let each = store;
      for (let attempts = 1; attempts <= 3; attempts++) {
        const due = T + (attempts - 1) * HOUR;
        assert.deepEqual(
          (await claim(each, due)).map((one) => [one.id, one.attempts, one.dueAt]),
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
        assert.deepEqual(await claim(each, T + attempts * HOUR - 1), []);
        if (attempts === 2) each = await reopen();
      }
    });

    it('of another account and mode are not touched by a result', async ({ store, mine, live, theirs }) => {
      const [a] = (await deliveries(store, mine, T)) as [string];
      await write(store, mine, { deliveryResults: [result(live, a), result(theirs, a)] });
      assert.deepEqual(ids(await claim(store, T)), [a]);
    });

    it('are due by the clock of their account and mode', async ({ store, mine, live, theirs }) => {
      const [ours] = (await deliveries(store, mine, T + HOUR)) as [string];
      const [real] = (await deliveries(store, live, T + HOUR)) as [string];
      const [other] = (await deliveries(store, theirs, T + HOUR)) as [string];
      await write(store, mine, { testClockAdvanceMs: HOUR });
      assert.deepEqual(ids(await claim(store, T, 10, live)), []);
      assert.deepEqual(ids(await claim(store, T)), [ours]);
      assert.deepEqual(ids(await claim(store, T + HOUR, 10, theirs)), [other]);
      assert.deepEqual(ids(await claim(store, T + HOUR, 10, live)), [real]);
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
