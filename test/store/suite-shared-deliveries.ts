/** Deliveries shared by several processes that serve one database. */

import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Store } from '../../src/store/store.ts';
import type { DeliveryId } from '../../src/webhooks/delivery.ts';
import { randomFrom } from '../crash/random.ts';
import { seed } from '../support/seed.ts';
import { type Open, T } from './build.ts';
import { claimAll } from './claim-all.ts';
import {
  apart,
  claim,
  claimOne,
  drain,
  ELSEWHERE,
  finish,
  giveUp,
  HOST,
  HOUR,
  health,
  ids,
  inOrder,
  LEASE,
  resend,
  result,
  setHealth,
  tell,
  tryAgain,
} from './deliveries.ts';
import { onFreshStores } from './each.ts';

export function sharedDeliverySuite(open: Open): void {
  const it = onFreshStores(open);

  suite('deliveries that two processes claim', () => {
    const hosts = ['http://a.example', 'http://b.example', 'http://c.example'];

    it('go to one of them each', async ({ store, another, mine }) => {
      const all: string[] = [];
      for (const host of hosts) all.push(...(await apart(store, mine, Array(20).fill(T), host)));
      const claimed = await claimAll([store, await another()], (each) => claim(each, mine, T, { limit: 7 }));
      assert.deepEqual(ids(claimed), all.toSorted());
    });

    it('are one of an ordering key at a time, in their order, until all have arrived', async (given, t) => {
      t.diagnostic(`seed ${seed}`);
      const random = randomFrom(seed);
      const { store, another, mine } = given;
      const stores = [store, await another()];
      const expected = new Map<string, number>();
      for (let count = 0; count < 10; count++) {
        const { session } = await tell(store, mine, 5, { receivers: [HOST, ELSEWHERE] });
        for (const receiver of [HOST, ELSEWHERE]) expected.set(`${session.id} ${receiver}`, 5);
      }
      const out = new Set<string>();
      const arrived = new Map<string, number>();
      let left = 100;
      const work = async (each: Store): Promise<void> => {
        while (left > 0) {
          const claimed = await claim(each, mine, T + HOUR, { realNow: T, limit: random.between(1, 8) });
          const keys = claimed.map(({ event, receiver }) => `${event.subject} ${receiver}`);
          for (const key of keys) {
            assert.ok(!out.has(key), `two of ${key} are out`);
            out.add(key);
          }
          const results = claimed.map((one, index) => {
            const key = keys[index] as string;
            if (random.next() < 0.3) return tryAgain(one, T);
            assert.equal(one.event.sequence, (arrived.get(key) ?? 0) + 1, key);
            arrived.set(key, one.event.sequence);
            left--;
            return result(one);
          });
          // The other process may claim the key's next delivery from here on.
          for (const key of keys) out.delete(key);
          if (results.length > 0) await finish(each, mine, ...results);
        }
      };
      await Promise.all(stores.map(work));
      assert.deepEqual(arrived, expected);
    });

    it('wait for one of their ordering key that the other process has', async ({ store, another, mine }) => {
      const [first, second] = (await tell(store, mine, 2)).ids;
      const other = await another();
      const claimed = await claimOne(store, mine, T);
      assert.equal(claimed.id, first);
      assert.deepEqual(await claim(other, mine, T), []);
      await finish(store, mine, result(claimed));
      assert.deepEqual(inOrder(await claim(other, mine, T)), [second]);
    });

    it('are taken over when the lease of the first is over', async ({ store, another, mine }) => {
      const [first] = (await tell(store, mine, 2)).ids;
      const other = await another();
      await claim(store, mine, T);
      assert.deepEqual(await claim(other, mine, T + LEASE - 1), []);
      assert.deepEqual(inOrder(await claim(other, mine, T + LEASE)), [first]);
      assert.deepEqual(await claim(store, mine, T + LEASE), []);
    });

    it('are due for both as long as one has them', async ({ store, another, mine }) => {
      await apart(store, mine, [T, T]);
      const other = await another();
      const [first] = await claim(store, mine, T);
      assert.ok(first);
      assert.equal(await other.work.countDueDeliveries(mine, T), 2);
      await finish(store, mine, result(first));
      assert.equal(await other.work.countDueDeliveries(mine, T), 1);
    });

    it('are a single one where their receiver is suspended', async ({ store, another, mine }) => {
      const all = await apart(store, mine, Array(30).fill(T));
      await setHealth(store, mine, HOST, health({ probeAt: T + 5 }));
      const stores = [store, await another()];
      const probes = await claimAll(stores, (each) => claim(each, mine, T + 5));
      assert.equal(probes.length, 1);
      assert.ok(all.includes(probes[0]?.id ?? 'whd_none'));
    });

    it('are told of endpoints as the other process has left them', async ({ store, another, mine }) => {
      const other = await another();
      await tell(store, mine, 1, { receivers: ['whe_1'] });
      await setHealth(other, mine, 'whe_1', health());
      assert.equal((await claimOne(store, mine, T)).failing, true);
    });
  });

  suite('a result that comes after another process has claimed the delivery anew', () => {
    /** Two of an ordering key, of which both processes have the first; the lease of the first process is over. */
    async function overtaken(store: Store, other: Store, mine: Tenant) {
      const { ids: all } = await tell(store, mine, 2);
      const late = await claimOne(store, mine, T);
      const current = await claimOne(other, mine, T + LEASE);
      const [first, second] = all as [DeliveryId, DeliveryId];
      return { late, current, first, second };
    }

    it('counts as an attempt and is in the log', async ({ store, another, mine }) => {
      const { late, first } = await overtaken(store, await another(), mine);
      await finish(store, mine, giveUp(late));
      assert.equal((await store.deliveries.fetch(mine, first))?.attempts, 1);
      const log = await store.deliveries.listAttempts(mine, first);
      assert.deepEqual(
        log.map(({ number, error }) => [number, error]),
        [[1, 'timeout']],
      );
    });

    for (const [name, come] of [
      ['a failure', (late) => tryAgain(late, T + HOUR)],
      ['an end', (late) => giveUp(late)],
    ] as ReadonlyArray<readonly [string, typeof giveUp]>) {
      it(`does not decide if it is ${name}`, async ({ store, another, mine }) => {
        const other = await another();
        const { late, current, first, second } = await overtaken(store, other, mine);
        await finish(store, mine, come(late));
        assert.deepEqual(await claim(store, mine, T + 2 * LEASE - 1), []);
        await finish(other, mine, result(current, { at: T + LEASE + 9 }));
        const told = await store.deliveries.fetch(mine, first);
        assert.deepEqual([told?.state, told?.attempts, told?.lastStatus], ['delivered', 2, 200]);
        assert.deepEqual(inOrder(await claim(store, mine, T + LEASE + 9)), [second]);
      });
    }

    it('decides if it has arrived, and then nothing else does', async ({ store, another, mine }) => {
      const other = await another();
      const { late, current, first, second } = await overtaken(store, other, mine);
      await finish(store, mine, result(late));
      await finish(other, mine, tryAgain(current, T + HOUR));
      const told = await store.deliveries.fetch(mine, first);
      assert.deepEqual([told?.state, told?.attempts, told?.dueAt], ['delivered', 2, null]);
      assert.deepEqual(inOrder(await drain(store, mine, T + LEASE)), [second]);
    });

    it('counts beside the other one in the same batch', async ({ store, another, mine }) => {
      const { late, current, first, second } = await overtaken(store, await another(), mine);
      await finish(store, mine, tryAgain(late, T + HOUR), result(current));
      const told = await store.deliveries.fetch(mine, first);
      assert.deepEqual([told?.state, told?.attempts], ['delivered', 2]);
      const log = await store.deliveries.listAttempts(mine, first);
      assert.deepEqual(
        log.map(({ number, status }) => [number, status]),
        [
          [1, 503],
          [2, 200],
        ],
      );
      assert.deepEqual(inOrder(await drain(store, mine, T + LEASE)), [second]);
    });

    it('of one that was given up and made again does not end it', async ({ store, another, mine }) => {
      const other = await another();
      const { late, current, first } = await overtaken(store, other, mine);
      await finish(other, mine, giveUp(current));
      await resend(store, mine, T + HOUR, first);
      const again = (await claim(other, mine, T + HOUR)).find(({ id }) => id === first);
      assert.ok(again);
      await finish(store, mine, giveUp(late));
      assert.equal((await store.deliveries.fetch(mine, first))?.state, 'pending');
      await finish(other, mine, result(again));
      assert.equal((await store.deliveries.fetch(mine, first))?.attempts, 3);
    });
  });
}
