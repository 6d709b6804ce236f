/** What several processes that serve one database are held to when they share its work. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Scope } from '../../src/checkout/session.ts';
import type { DueCheckout, Store } from '../../src/store/store.ts';
import { add, change, type Open, session, T } from './build.ts';
import { apart, claim, claimAt, finish, HOUR, ids, inOrder, LEASE, result, together } from './deliveries.ts';
import { onFreshStores } from './each.ts';

/** For databases that several processes may serve; `another` of these opens a store that serves as well. */
export function sharedWorkSuite(open: Open): void {
  const it = onFreshStores(open);

  const claimCheckouts = (store: Store, scope: Scope, now: number, limit = 10) =>
    store.claimCheckouts(scope, claimAt(now, { limit }));

  /** Lets both claim at the same time, over and over, until neither gets anything. */
  async function claimAll<T>(stores: readonly Store[], take: (store: Store) => Promise<readonly T[]>) {
    const all: T[] = [];
    for (let before = -1; before !== all.length; ) {
      before = all.length;
      for (const taken of await Promise.all(stores.map(take))) all.push(...taken);
    }
    return all;
  }

  suite('sessions that two processes claim', () => {
    const due = async (store: Store, scope: Scope, count: number): Promise<string[]> => {
      const all: string[] = [];
      for (let i = 0; i < count; i++) all.push((await add(store, session(scope, { expiresAt: T + i }))).id);
      return all;
    };

    it('go to one of them each', async ({ store, another, mine }) => {
      const all = await due(store, mine, 60);
      const claimed = await claimAll<DueCheckout>([store, await another()], (each) =>
        claimCheckouts(each, mine, T + HOUR, 7),
      );
      assert.deepEqual(ids(claimed), all.toSorted());
    });

    it('are taken over when the lease of the first is over', async ({ store, another, mine }) => {
      const all = await due(store, mine, 2);
      const other = await another();
      await claimCheckouts(store, mine, T + 1);
      assert.deepEqual(await claimCheckouts(other, mine, T + LEASE), []);
      assert.deepEqual(ids(await claimCheckouts(other, mine, T + 1 + LEASE)), all.toSorted());
      assert.deepEqual(await claimCheckouts(store, mine, T + 2 + LEASE), []);
    });

    it('are free for the other when the first has given them back', async ({ store, another, mine }) => {
      const [a] = (await due(store, mine, 2)) as [string];
      const other = await another();
      await claimCheckouts(store, mine, T + 1);
      await store.releaseCheckouts(mine, [a]);
      assert.deepEqual(inOrder(await claimCheckouts(other, mine, T + 1)), [a]);
    });

    it('are free for the other when they are due at another time', async ({ store, another, mine }) => {
      const one = await add(store, session(mine, { expiresAt: T }));
      const other = await another();
      await claimCheckouts(store, mine, T);
      await change(store, one, { expiresAt: T + 10 });
      assert.deepEqual(await claimCheckouts(other, mine, T + 9), []);
      assert.deepEqual(await claimCheckouts(other, mine, T + 10), [{ id: one.id, dueAt: T + 10 }]);
    });
  });

  suite('deliveries that two processes claim', () => {
    const hooks = ['http://a.example/hook', 'http://b.example/hook', 'http://c.example/hook'];

    it('go to one of them each', async ({ store, another, mine }) => {
      const all: string[] = [];
      for (const url of hooks) all.push(...(await apart(store, mine, Array(20).fill(T), url)));
      const claimed = await claimAll([store, await another()], (each) => claim(each, mine, T, { limit: 7 }));
      assert.deepEqual(ids(claimed), all.toSorted());
    });

    it('are of one session one at a time, in their order, until all have arrived', async (given) => {
      const { store, another, mine } = given;
      const stores = [store, await another()];
      const made: string[][] = [];
      for (let i = 0; i < 10; i++) made.push(await together(store, mine, [T, T + 1, T + 2]));
      const arrived: string[] = [];
      while (arrived.length < 30) {
        const out = await Promise.all(stores.map((each) => claim(each, mine, T + 2, { limit: 6 })));
        const sessions = out.flat().map(({ event }) => event.checkout);
        assert.equal(new Set(sessions).size, sessions.length);
        for (const [index, claimed] of out.entries()) {
          if (claimed.length === 0) continue;
          await finish(stores[index] as Store, mine, ...claimed.map(({ id }) => result(id)));
          arrived.push(...inOrder(claimed));
        }
      }
      for (const own of made) {
        assert.deepEqual(
          arrived.filter((id) => own.includes(id)),
          own,
        );
      }
    });

    it('wait for one of their session that the other process has', async ({ store, another, mine }) => {
      const [first, second] = (await together(store, mine, [T, T + 1])) as [string, string];
      const other = await another();
      assert.deepEqual(inOrder(await claim(store, mine, T + 1)), [first]);
      assert.deepEqual(await claim(other, mine, T + 1), []);
      await finish(store, mine, result(first));
      assert.deepEqual(inOrder(await claim(other, mine, T + 1)), [second]);
    });

    it('are taken over when the lease of the first is over', async ({ store, another, mine }) => {
      const [first] = (await together(store, mine, [T, T + 1])) as [string];
      const other = await another();
      await claim(store, mine, T + 1);
      assert.deepEqual(await claim(other, mine, T + LEASE), []);
      assert.deepEqual(inOrder(await claim(other, mine, T + 1 + LEASE)), [first]);
      assert.deepEqual(await claim(store, mine, T + 1 + LEASE), []);
    });

    it('are due for both as long as one has them', async ({ store, another, mine }) => {
      const [first] = (await apart(store, mine, [T, T])) as [string];
      const other = await another();
      await claim(store, mine, T);
      assert.equal(await other.countDueDeliveries(mine, T), 2);
      await finish(store, mine, result(first));
      assert.equal(await other.countDueDeliveries(mine, T), 1);
    });
  });
}
