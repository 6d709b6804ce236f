import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Scope } from '../../src/checkout/session.ts';
import type { Unit } from '../../src/store/store.ts';
import { answer, load, type Open, T, write } from './build.ts';
import {
  apart,
  claim,
  finish,
  HOOK,
  HOUR,
  ids,
  inOrder,
  LEASE,
  result,
  together,
  tryAgain,
} from './deliveries.ts';
import { onFreshStores } from './each.ts';

const MAX_PER_ADDRESS = 32;

export function workSuite(open: Open): void {
  const it = onFreshStores(open);

  suite('deliveries', () => {
    it('are claimed when they are due, with what is to be sent', async ({ store, reopen, mine }) => {
      const [first] = (await apart(store, mine, [T + 5, T + 6])) as [string];
      const again = await reopen();
      assert.deepEqual(await claim(again, mine, T + 4), []);
      const [claimed, ...others] = await claim(again, mine, T + 5);
      assert.ok(claimed);
      const event = await again.event(mine, claimed.event.id);
      assert.deepEqual(claimed, { scope: mine, id: first, url: HOOK, attempts: 0, dueAt: T + 5, event });
      assert.deepEqual(others, []);
    });

    it('are taken the longest due first, as many as asked for', async ({ store, mine }) => {
      const [third, first, fourth, second] = (await apart(store, mine, [T + 30, T + 10, T + 40, T + 20])) as [
        string,
        string,
        string,
        string,
      ];
      const later = T + HOUR;
      assert.deepEqual(ids(await claim(store, mine, later, { limit: 1 })), [first]);
      assert.deepEqual(ids(await claim(store, mine, later, { limit: 2 })), [second, third].sort());
      assert.deepEqual(ids(await claim(store, mine, later)), [fourth]);
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

    it('are free when their result is written, and no others are', async ({ store, mine }) => {
      const [a] = (await apart(store, mine, [T, T])) as [string];
      await claim(store, mine, T);
      await finish(store, mine, tryAgain(a, T));
      assert.deepEqual(inOrder(await claim(store, mine, T)), [a]);
    });

    it('stay claimed when their result could not be written', async ({ store, mine }) => {
      const [a] = (await apart(store, mine, [T])) as [string];
      await claim(store, mine, T);
      const writing: Unit = {
        needs: { scope: mine },
        decide: () => ({ deliveryResults: [tryAgain(a, T)] }),
      };
      const failing: Unit = {
        needs: { scope: mine },
        decide() {
          throw new Error('no');
        },
      };
      await assert.rejects(store.commit([writing, failing]));
      assert.deepEqual(await claim(store, mine, T + LEASE - 1), []);
      assert.deepEqual(
        (await claim(store, mine, T + LEASE)).map(({ id, attempts }) => [id, attempts]),
        [[a, 0]],
      );
    });

    it('that have arrived or were given up are over', async ({ store, reopen, mine, live }) => {
      const [a, b] = (await apart(store, mine, [T, T])) as [string, string];
      const [c] = (await apart(store, live, [T])) as [string];
      assert.deepEqual(await store.gauges(), { pendingDeliveries: 3 });
      for (const scope of [mine, live]) await claim(store, scope, T);
      await finish(store, mine, result(a));
      await finish(store, live, result(c, { state: 'failed', httpStatus: null, error: 'refused' }));
      assert.deepEqual(await store.gauges(), { pendingDeliveries: 1 });
      const again = await reopen();
      assert.deepEqual(ids(await claim(again, mine, T + 99 * HOUR)), [b]);
      assert.deepEqual(await claim(again, live, T + 99 * HOUR), []);
    });

    it('that are over stay so, whatever comes late of another attempt', async ({ store, mine }) => {
      const [a, b, c] = (await apart(store, mine, [T, T, T])) as [string, string, string];
      const givenUp = { state: 'failed', httpStatus: null, error: 'timeout' } as const;
      await finish(store, mine, result(a), result(b, givenUp), result(c, givenUp));
      await finish(store, mine, tryAgain(a, T), tryAgain(b, T), result(c));
      assert.deepEqual(await store.gauges(), { pendingDeliveries: 0 });
      assert.deepEqual(await claim(store, mine, T + 99 * HOUR), []);
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
        await finish(each, mine, tryAgain(a, T + attempts * HOUR));
        assert.deepEqual(await claim(each, mine, T + attempts * HOUR - 1), []);
        if (attempts === 2) each = await reopen();
      }
    });

    it('of another account and mode are not touched by a result', async ({ store, mine, live, theirs }) => {
      const [a] = (await apart(store, mine, [T])) as [string];
      for (const scope of [live, theirs]) await finish(store, scope, result(a));
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

    it('are counted as long as they are due, whoever holds them', async ({ store, mine, live, theirs }) => {
      const [a, b] = (await apart(store, mine, [T, T + 1, T + 2])) as [string, string];
      await apart(store, live, [T]);
      const counts = async (now: number) => [
        await store.countDueDeliveries(mine, now),
        await store.countDueDeliveries(live, now),
        await store.countDueDeliveries(theirs, now),
      ];
      assert.deepEqual(await counts(T - 1), [0, 0, 0]);
      assert.deepEqual(await counts(T), [1, 1, 0]);
      assert.deepEqual(await counts(T + 2), [3, 1, 0]);
      await claim(store, mine, T + 2);
      assert.deepEqual(await counts(T + 2), [3, 1, 0]);
      await finish(store, mine, result(a), tryAgain(b, T + HOUR));
      assert.deepEqual(await counts(T + 2), [1, 1, 0]);
      assert.deepEqual(await counts(T + HOUR), [2, 1, 0]);
    });
  });

  suite('deliveries of one session', () => {
    it('are out one at a time, the longest due first', async ({ store, mine }) => {
      const [second, first] = (await together(store, mine, [T + 1, T])) as [string, string];
      assert.deepEqual(inOrder(await claim(store, mine, T + 1)), [first]);
      assert.deepEqual(await claim(store, mine, T + 2), []);
      await finish(store, mine, result(first));
      assert.deepEqual(inOrder(await claim(store, mine, T + 2)), [second]);
    });

    it('do not wait for one that is not due yet', async ({ store, mine }) => {
      const [first, second] = (await together(store, mine, [T, T + 1])) as [string, string];
      await claim(store, mine, T + 1);
      await finish(store, mine, tryAgain(first, T + HOUR));
      assert.deepEqual(inOrder(await claim(store, mine, T + 1)), [second]);
    });

    it('are out one at a time again when a lease is over', async ({ store, mine }) => {
      const [first] = (await together(store, mine, [T, T + 1])) as [string];
      await claim(store, mine, T + 1);
      assert.deepEqual(inOrder(await claim(store, mine, T + 1 + LEASE)), [first]);
    });

    it('go in the order in which they were made when they are due at once', async ({ store, mine }) => {
      const all = await together(store, mine, [T, T, T]);
      for (const id of all) {
        assert.deepEqual(inOrder(await claim(store, mine, T)), [id]);
        await finish(store, mine, result(id));
      }
    });

    it('do not hold up other sessions, however many they are', async ({ store, mine }) => {
      const [first] = (await together(store, mine, Array(20).fill(T))) as [string];
      const [other] = (await apart(store, mine, [T + 1])) as [string];
      const claimed: string[] = [];
      for (let round = 0; round < 2; round++) {
        claimed.push(...inOrder(await claim(store, mine, T + 1, { limit: 5 })));
      }
      assert.deepEqual(claimed.sort(), [first, other].sort());
    });
  });

  suite('deliveries to one address', () => {
    const waiting = Array.from({ length: 40 }, (_, index) => T + index);
    const elsewhere = 'http://other.example/hook';

    it('are out in a bounded number, and others get their turn', async ({ store, mine }) => {
      const all = await apart(store, mine, waiting);
      const [other] = (await apart(store, mine, [T + 99], elsewhere)) as [string];
      const claimed = await claim(store, mine, T + 99, { limit: 100 });
      assert.deepEqual(ids(claimed), [...all.slice(0, MAX_PER_ADDRESS), other].sort());
      assert.deepEqual(await claim(store, mine, T + 99, { limit: 100 }), []);
      await finish(store, mine, tryAgain(other, T + 99));
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
      assert.deepEqual(claimed.sort(), [...all.slice(0, MAX_PER_ADDRESS), other].sort());
    });

    it('follow as others arrive', async ({ store, mine }) => {
      const all = await apart(store, mine, waiting);
      const arrived = ids(await claim(store, mine, T + 99, { limit: 100 })).slice(0, 3);
      await finish(store, mine, ...arrived.map((id) => result(id)));
      const next = ids(await claim(store, mine, T + 99, { limit: 100 }));
      assert.deepEqual(next, all.slice(MAX_PER_ADDRESS, MAX_PER_ADDRESS + 3).sort());
    });

    it('count for all accounts and modes', async ({ store, mine, live }) => {
      await apart(store, mine, waiting.slice(0, 30));
      const [first, second] = (await apart(store, live, [T, T + 1, T + 2])) as [string, string];
      assert.equal((await claim(store, mine, T + 99, { limit: 100 })).length, 30);
      assert.deepEqual(ids(await claim(store, live, T + 99)), [first, second].sort());
    });
  });

  it('stored answers are forgotten in time, a bounded number at once', async ({ store, mine, live }) => {
    const count = 1050;
    const old = (scope: Scope) => (_: unknown, index: number) => ({
      needs: { scope },
      decide: () => ({ answer: answer(`old-${index}`, { createdAt: T + (index % 10) }) }),
    });
    for (const scope of [mine, live]) await store.commit(Array.from({ length: count }, old(scope)));
    await write(store, mine, { answer: answer('young', { createdAt: T + 10 }) });
    const removed: number[] = [];
    for (let last = -1; last !== 0; removed.push(last)) last = await store.purgeAnswers(T + 10);
    assert.ok(Math.max(...removed) <= 1000, `${Math.max(...removed)} at once`);
    assert.equal(
      removed.reduce((sum, each) => sum + each, 0),
      2 * count,
    );
    const found = async (key: string) => {
      const { operation, requestHash } = answer(key);
      return (await load(store, { scope: mine, idempotency: { key, operation, requestHash } })).answer;
    };
    assert.equal(await found('old-1'), null);
    assert.equal((await found('young'))?.statusCode, 201);
  });
}
