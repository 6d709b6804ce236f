import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Store } from '../../src/store/store.ts';
import type { ClaimedDelivery, Delivery, DeliveryId } from '../../src/webhooks/delivery.ts';
import { eventOf, type Open, session, T, write } from './build.ts';
import {
  claim,
  claimOne,
  deliveriesOf,
  drain,
  ELSEWHERE,
  finish,
  finishing,
  giveUp,
  HOST,
  HOUR,
  ids,
  inOrder,
  LEASE,
  resend,
  result,
  tell,
  telling,
  tryAgain,
} from './deliveries.ts';
import { type Given, onFreshStores, onSharedStore } from './each.ts';

export function orderingSuite(open: Open): void {
  const it = onSharedStore(open);
  const itAlone = onFreshStores(open);
  const dueAt = async (store: Store, { mine }: Pick<Given, 'mine'>, all: readonly DeliveryId[]) =>
    Promise.all(all.map(async (id) => ((await store.deliveries.fetch(mine, id)) as Delivery).dueAt));

  suite('deliveries of one session to one receiver', () => {
    it('are out one at a time, the first first', async ({ store, mine }) => {
      const [first] = (await tell(store, mine, 3)).ids;
      assert.deepEqual(inOrder(await claim(store, mine, T)), [first]);
      assert.deepEqual(await claim(store, mine, T + 1), []);
    });

    itAlone('have a due time only at the head', async ({ store, mine }) => {
      const { ids: all } = await tell(store, mine, 3);
      assert.deepEqual(await dueAt(store, { mine }, all), [T, null, null]);
      assert.equal((await store.gauges()).pendingDeliveries, 3);
    });

    it('follow the moment that the one before has arrived', async ({ store, reopen, mine }) => {
      const { ids: all } = await tell(store, mine, 3);
      await finish(store, mine, result(await claimOne(store, mine, T), { at: T + 7 }));
      assert.deepEqual(await dueAt(store, { mine }, all), [null, T + 7, null]);
      const again = await reopen();
      assert.deepEqual(inOrder(await claim(again, mine, T + 7)), [all[1]]);
    });

    it('follow the moment that the one before was given up', async ({ store, mine }) => {
      const { ids: all } = await tell(store, mine, 2);
      await finish(store, mine, giveUp(await claimOne(store, mine, T), { at: T + 7 }));
      assert.deepEqual(inOrder(await claim(store, mine, T + 7)), [all[1]]);
    });

    it('wait while the one before is to be tried again', async ({ store, mine }) => {
      const { ids: all } = await tell(store, mine, 2);
      await finish(store, mine, tryAgain(await claimOne(store, mine, T), T + HOUR));
      assert.deepEqual(await claim(store, mine, T + HOUR - 1), []);
      assert.deepEqual(inOrder(await claim(store, mine, T + HOUR)), [all[0]]);
    });

    it('wait behind a failing one although they are made later', async ({ store, mine }) => {
      const { session: one, ids: first } = await tell(store, mine, 1);
      await finish(store, mine, tryAgain(await claimOne(store, mine, T), T + HOUR));
      const { ids: later } = await tell(store, one, 2, { at: T + 1 });
      assert.deepEqual(await claim(store, mine, T + HOUR - 1), []);
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR)), [...first, ...later]);
    });

    it('are due at once where nothing is before them any more', async ({ store, mine }) => {
      const { session: one } = await tell(store, mine, 1);
      await finish(store, mine, result(await claimOne(store, mine, T)));
      const { ids: later } = await tell(store, one, 2, { at: T + 1 });
      assert.deepEqual(inOrder(await claim(store, mine, T + 1)), [later[0]]);
    });

    it('are out one at a time again when a lease is over', async ({ store, mine }) => {
      const [first] = (await tell(store, mine, 2)).ids;
      await claim(store, mine, T);
      assert.deepEqual(inOrder(await claim(store, mine, T + LEASE)), [first]);
    });

    it('go in the order of their events, whatever their ids', async ({ store, mine }) => {
      const one = session(mine, { eventCount: 4 });
      const events = [1, 2, 3, 4].map((sequence) => eventOf(one, 'x.y', { sequence }));
      const named: DeliveryId[] = ['whd_d', 'whd_b', 'whd_c', 'whd_a'];
      const deliveries = deliveriesOf(events).map((row, index) => ({
        ...row,
        id: named[index] as DeliveryId,
      }));
      await write(store, mine, { checkout: { before: null, after: one }, events, deliveries });
      assert.deepEqual(inOrder(await drain(store, mine, T)), named);
    });
  });

  suite('an event that goes to two addresses of one receiver', () => {
    /** Two events of a session to two addresses of a host each, and their deliveries. */
    async function twice({ store, mine }: Pick<Given, 'store' | 'mine'>) {
      const one = session(mine, { eventCount: 2 });
      const events = [1, 2].map((sequence) => eventOf(one, 'x.y', { sequence }));
      const deliveries = deliveriesOf(events, { receivers: [HOST, HOST] }).map((row, index) => ({
        ...row,
        url: `${HOST}/${index % 2 === 0 ? 'session' : 'refund'}`,
      }));
      await write(store, mine, { checkout: { before: null, after: one }, events, deliveries });
      return inOrder(deliveries) as [DeliveryId, DeliveryId, DeliveryId, DeliveryId];
    }

    it('arrives at one after the other, before the next event', async ({ store, mine }) => {
      const all = await twice({ store, mine });
      assert.deepEqual(await dueAt(store, { mine }, all), [T, null, null, null]);
      const first = await claimOne(store, mine, T);
      await finish(store, mine, tryAgain(first, T + HOUR));
      assert.deepEqual(await dueAt(store, { mine }, all), [T + HOUR, null, null, null]);
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR)), all);
    });

    it('keeps that order when it is sent again', async ({ store, mine }) => {
      const all = await twice({ store, mine });
      await finish(store, mine, result(await claimOne(store, mine, T)));
      assert.deepEqual((await dueAt(store, { mine }, all)).slice(2), [null, null]);
      await resend(store, mine, T + 5, all[0]);
      assert.deepEqual(await dueAt(store, { mine }, all), [T + 5, null, null, null]);
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR)), all);
    });
  });

  suite('a batch', () => {
    it('of several changes of a session keeps one order', async ({ store, mine }) => {
      const first = telling(mine, 2);
      const second = telling(first.checkout.after, 2);
      await store.commit(
        [first, second].map((writes) => ({ needs: { tenant: mine }, decide: () => [writes] })),
      );
      const all = inOrder([...first.deliveries, ...second.deliveries]);
      assert.deepEqual(await dueAt(store, { mine }, all), [T, null, null, null]);
      assert.deepEqual(inOrder(await drain(store, mine, T)), all);
    });

    /** A result and a new delivery with the same ordering key in one batch, in this order. */
    async function together(
      { store, mine }: Given,
      come: (claimed: ClaimedDelivery) => ReturnType<typeof result>,
      order: 'result first' | 'delivery first',
    ) {
      const { session: one, ids: all } = await tell(store, mine, 1);
      const finished = finishing(mine, [come(await claimOne(store, mine, T))]);
      const writes = telling(one, 2, { at: T + 5 });
      const told = { needs: { tenant: mine, checkouts: [one.id] }, decide: () => [writes] };
      await store.commit(order === 'result first' ? [finished, told] : [told, finished]);
      const made = [...all, ...inOrder(writes.deliveries)];
      return { made, due: await dueAt(store, { mine }, made) };
    }

    for (const order of ['result first', 'delivery first'] as const) {
      it(`lets a new delivery go if the one before has arrived in it, ${order}`, async (given) => {
        const { made, due } = await together(given, (claimed) => result(claimed, { at: T + 3 }), order);
        assert.equal(due[0], null);
        assert.ok(due[1] === T + 3 || due[1] === T + 5, `${due[1]}`);
        assert.equal(due[2], null);
        assert.deepEqual(inOrder(await drain(given.store, given.mine, T + 5)), made.slice(1));
      });

      it(`keeps a new delivery waiting if the one before fails in it, ${order}`, async (given) => {
        const { due } = await together(given, (claimed) => tryAgain(claimed, T + HOUR), order);
        assert.deepEqual(due, [T + HOUR, null, null]);
      });
    }

    it('can hold results of many ordering keys', async ({ store, mine }) => {
      const told = [];
      for (let count = 0; count < 6; count++) told.push(await tell(store, mine, 2));
      const claimed = await claim(store, mine, T);
      assert.equal(claimed.length, 6);
      await store.commit(
        claimed.map((each, index) =>
          finishing(mine, [[result(each), giveUp(each), tryAgain(each, T + HOUR)][index % 3] as never]),
        ),
      );
      const heads = told.map(({ ids: all }) => {
        const index = claimed.findIndex(({ id }) => id === all[0]);
        return all[index % 3 === 2 ? 0 : 1];
      });
      assert.deepEqual(ids(await claim(store, mine, T + HOUR)), heads.toSorted());
    });
  });

  suite('deliveries do not wait', () => {
    it('for those of the same session to another receiver', async ({ store, mine }) => {
      const receivers = [HOST, ELSEWHERE];
      const { ids: all } = await tell(store, mine, 2, { receivers });
      const claimed = await claim(store, mine, T);
      assert.deepEqual(ids(claimed), all.slice(0, 2).toSorted());
      const [failing] = claimed.filter(({ receiver }) => receiver === HOST);
      const [arriving] = claimed.filter(({ receiver }) => receiver === ELSEWHERE);
      assert.ok(failing && arriving);
      await finish(store, mine, tryAgain(failing, T + HOUR), result(arriving));
      assert.deepEqual(inOrder(await claim(store, mine, T)), [all[3]]);
    });

    it('for those of another session to the same receiver', async ({ store, mine }) => {
      await tell(store, mine, 20);
      const [other] = (await tell(store, mine, 1, { at: T + 1 })).ids;
      const [failing, ...others] = await claim(store, mine, T + 1);
      assert.ok(failing);
      assert.deepEqual(inOrder(others), [other]);
    });

    it('for those of another mode or account', async ({ store, mine, live, theirs }) => {
      for (const tenant of [mine, live, theirs]) await tell(store, tenant, 2);
      await finish(store, mine, tryAgain(await claimOne(store, mine, T), T + HOUR));
      for (const tenant of [live, theirs]) assert.equal((await drain(store, tenant, T)).length, 2);
    });
  });
}
