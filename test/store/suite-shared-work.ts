/** Work shared by several processes that serve one database. */

import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { DueCheckout } from '../../src/store/resources/work.ts';
import type { Store } from '../../src/store/store.ts';
import { add, change, type Open, session, T } from './build.ts';
import { claimAll } from './claim-all.ts';
import { claimAt, HOUR, ids, inOrder, LEASE } from './deliveries.ts';
import { onFreshStores } from './each.ts';

/** The suite for databases that several processes may serve; `another` of these opens a store that serves as well. */
export function sharedWorkSuite(open: Open): void {
  const it = onFreshStores(open);

  const claimCheckouts = (store: Store, tenant: Tenant, now: number, limit = 10) =>
    store.work.claimCheckouts(tenant, claimAt(now, { limit }));

  suite('sessions that two processes claim', () => {
    const due = async (store: Store, tenant: Tenant, count: number): Promise<CheckoutId[]> => {
      const all: CheckoutId[] = [];
      for (let i = 0; i < count; i++) all.push((await add(store, session(tenant, { expiresAt: T + i }))).id);
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
      const [a] = (await due(store, mine, 2)) as [CheckoutId];
      const other = await another();
      await claimCheckouts(store, mine, T + 1);
      await store.work.releaseCheckouts(mine, [a]);
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
}
