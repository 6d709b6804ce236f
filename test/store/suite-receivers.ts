import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Delivery, DeliveryId } from '../../src/webhooks/delivery.ts';
import { type Open, T, write } from './build.ts';
import {
  addEndpoint,
  apart,
  claim,
  claimOne,
  ELSEWHERE,
  endpoint,
  finish,
  giveUp,
  HOST,
  HOUR,
  health,
  ids,
  inOrder,
  LEASE,
  result,
  setHealth,
  tell,
  telling,
  tryAgain,
} from './deliveries.ts';
import { type Given, onFreshStores } from './each.ts';

export function receiverSuite(open: Open): void {
  const it = onFreshStores(open);
  const waiting = Array.from({ length: 40 }, (_, index) => T + index);
  const NOW = T + HOUR;

  suite('a claim', () => {
    it('takes no more of each receiver than there is room for', async ({ store, mine }) => {
      const here = await apart(store, mine, waiting);
      const there = await apart(store, mine, waiting.slice(0, 9), ELSEWHERE);
      const room = (receiver: string) => (receiver === HOST ? 3 : 7);
      const claimed = await claim(store, mine, NOW, { limit: 100, room });
      assert.deepEqual(ids(claimed), [...here.slice(0, 3), ...there.slice(0, 7)].sort());
    });

    it('takes nothing where there is no room', async ({ store, mine }) => {
      await apart(store, mine, [T]);
      const [there] = await apart(store, mine, [T], ELSEWHERE);
      const room = (receiver: string) => (receiver === HOST ? 0 : 1);
      assert.deepEqual(inOrder(await claim(store, mine, NOW, { room })), [there]);
      const full = (receiver: string) => (receiver === HOST ? -2 : 0);
      assert.deepEqual(await claim(store, mine, NOW, { room: full }), []);
    });

    it('gives every receiver its turn, however much waits for others', async ({ store, mine }) => {
      const busy = ['http://a.example', 'http://c.example', 'http://e.example'];
      for (const receiver of busy) await apart(store, mine, waiting, receiver);
      const quiet = ['http://b.example', 'http://d.example', 'http://f.example'];
      for (const receiver of quiet) await apart(store, mine, [T + 99], receiver);
      const served = new Set<string>();
      for (let count = 0; count < 6; count++) {
        const claimed = await claim(store, mine, NOW, { limit: 5 });
        assert.ok(claimed.length > 0 && claimed.length <= 5);
        for (const { receiver } of claimed) served.add(receiver);
      }
      assert.deepEqual([...served].sort(), [...busy, ...quiet].sort());
    });

    /** Sessions with a delivery each, all in one commit. */
    async function crowd({ store, mine }: Given, receiver: string, count: number, at: number) {
      const all = Array.from({ length: count }, () => telling(mine, 1, { receivers: [receiver], at }));
      await store.commit(all.map((writes) => ({ needs: { tenant: mine }, decide: () => [writes] })));
    }

    it('gives every receiver its turn, even where thousands wait for another', async (given) => {
      const { store, mine } = given;
      await crowd(given, 'http://b.example', 1200, T);
      const quiet = ['http://a.example', 'http://c.example', 'http://d.example'];
      for (const receiver of quiet) await apart(store, mine, [T + 99], receiver);
      await crowd(given, 'http://e.example', 1200, T + 199);
      const served: string[] = [];
      for (let count = 0; count < 5; count++) {
        const claimed = await claim(store, mine, NOW, { limit: 6 });
        assert.equal(claimed.length, 6);
        served.push(...claimed.map(({ receiver }) => receiver));
      }
      const busy = ['http://b.example', 'http://e.example'];
      assert.deepEqual([...new Set(served)].sort(), [...busy, ...quiet].sort());
    });

    it('finds what is due behind a crowd that may not go out, and behind many that wait', async (given) => {
      const { store, mine } = given;
      await crowd(given, HOST, 1200, T);
      await setHealth(store, mine, HOST, health({ probeAt: NOW + 1 }));
      // Receivers that are asked before it, with nothing due yet.
      for (let count = 0; count < 250; count++) {
        await apart(store, mine, [NOW + HOUR], `http://a${count}.example`);
      }
      const [fresh] = await apart(store, mine, [NOW], 'http://z.example');
      assert.deepEqual(inOrder(await claim(store, mine, NOW)), [fresh]);
      assert.deepEqual(await claim(store, mine, NOW), []);
    });

    it('tells the endpoint as it is now', async ({ store, mine, live }) => {
      const before = await addEndpoint(store, endpoint(mine));
      await addEndpoint(store, endpoint(live, { id: before.id, url: 'https://live.example' }));
      const after = { ...before, version: 2, url: 'https://new.example', eventCount: 4 };
      await tell(store, mine, 1, { receivers: [before.id] });
      await write(store, mine, { endpoints: [{ before, after }] });
      const claimed = await claimOne(store, mine, T);
      assert.deepEqual([claimed.url, claimed.endpoint], [null, after]);
    });

    it('tells none where the endpoint was deleted', async ({ store, mine }) => {
      const before = await addEndpoint(store, endpoint(mine));
      await tell(store, mine, 1, { receivers: [before.id] });
      await write(store, mine, { endpoints: [{ before, after: null }] });
      assert.equal((await claimOne(store, mine, T)).endpoint, null);
    });
  });

  suite('a receiver that fails', () => {
    it('gets its deliveries as others do, and they say so', async ({ store, mine }) => {
      const all = await apart(store, mine, [T, T + 1]);
      await setHealth(store, mine, HOST, health());
      const claimed = await claim(store, mine, NOW);
      assert.deepEqual(inOrder(claimed), all);
      assert.deepEqual(
        claimed.map(({ failing, dueAt }) => [failing, dueAt]),
        [
          [true, T],
          [true, T + 1],
        ],
      );
    });

    it('is one of an account and mode', async ({ store, mine, live, theirs }) => {
      const probeAt = NOW + 1;
      await setHealth(store, mine, HOST, health({ probeAt, announced: true, lastError: 'status "500" 😀' }));
      for (const tenant of [live, theirs]) {
        await apart(store, tenant, [T]);
        assert.equal((await claimOne(store, tenant, NOW)).failing, false);
        assert.deepEqual(await store.receivers.listFailing(tenant), new Map());
      }
      const expected = health({ probeAt, announced: true, lastError: 'status "500" 😀' });
      assert.deepEqual(await store.receivers.listFailing(mine), new Map([[HOST, expected]]));
    });

    it('is as it was after a restart', async ({ store, reopen, mine }) => {
      await setHealth(store, mine, HOST, health({ probeAt: NOW + 1, probes: 4 }));
      await setHealth(store, mine, ELSEWHERE, health());
      await setHealth(store, mine, ELSEWHERE, null);
      const again = await reopen();
      const expected = new Map([[HOST, health({ probeAt: NOW + 1, probes: 4 })]]);
      assert.deepEqual(await again.receivers.listFailing(mine), expected);
    });
  });

  suite('a suspended receiver', () => {
    const suspended = health({ probeAt: T + 100 });

    it('gets nothing before it is to be probed', async ({ store, mine }) => {
      await apart(store, mine, waiting);
      const [other] = await apart(store, mine, [T], ELSEWHERE);
      await setHealth(store, mine, HOST, suspended);
      assert.deepEqual(inOrder(await claim(store, mine, T + 99, { limit: 100 })), [other]);
    });

    it('then gets a single one, the newest', async ({ store, mine }) => {
      const all = await apart(store, mine, waiting);
      await setHealth(store, mine, HOST, suspended);
      const probe = await claimOne(store, mine, T + 100, { limit: 100 });
      assert.deepEqual([probe.id, probe.failing, probe.dueAt], [all.at(-1), true, T + 100]);
      assert.deepEqual(await claim(store, mine, T + 100, { limit: 100 }), []);
    });

    it('is not probed while something of before is under way there', async ({ store, mine }) => {
      await apart(store, mine, waiting);
      const [early] = await claim(store, mine, T + 50, { limit: 1 });
      assert.ok(early);
      await setHealth(store, mine, HOST, suspended);
      assert.deepEqual(await claim(store, mine, T + 100), []);
      await finish(store, mine, tryAgain(early, NOW));
      assert.equal((await claim(store, mine, T + 100)).length, 1);
    });

    it('is probed where its clock was set back, and the next probe is further away than any', async (given) => {
      const { store, mine } = given;
      const all = await apart(store, mine, [T, T + 1]);
      await setHealth(store, mine, HOST, health({ probeAt: T + 99 * HOUR }));
      assert.equal(await store.work.countDueDeliveries(mine, T + 10), 2);
      const probe = await claimOne(store, mine, T + 10);
      assert.deepEqual([probe.id, probe.dueAt], [all[1], T + 10]);
    });

    it('is probed again after the probe has failed, and not before it is time', async ({ store, mine }) => {
      const all = await apart(store, mine, waiting);
      await setHealth(store, mine, HOST, suspended);
      const probe = await claimOne(store, mine, T + 100);
      await finish(store, mine, tryAgain(probe, NOW));
      await setHealth(store, mine, HOST, health({ probes: 1, probeAt: T + 200 }));
      assert.deepEqual(await claim(store, mine, T + 199), []);
      const next = await claimOne(store, mine, T + 200);
      assert.deepEqual([next.id, next.attempts], [all.at(-2), 0]);
    });

    it('is probed anew when the lease of a probe is over', async ({ store, mine }) => {
      await apart(store, mine, waiting);
      await setHealth(store, mine, HOST, suspended);
      await claimOne(store, mine, T + 100);
      assert.deepEqual(await claim(store, mine, T + 100 + LEASE - 1), []);
      await claimOne(store, mine, T + 100 + LEASE);
    });

    it('gets everything when it is well again, none with an attempt lost', async ({ store, mine }) => {
      const all = await apart(store, mine, waiting);
      await setHealth(store, mine, HOST, suspended);
      await finish(store, mine, result(await claimOne(store, mine, T + 100)));
      await setHealth(store, mine, HOST, null);
      const claimed = await claim(store, mine, T + 100, { limit: 100 });
      assert.deepEqual(inOrder(claimed), all.slice(0, -1));
      assert.ok(claimed.every(({ attempts, failing }) => attempts === 0 && !failing));
    });

    it('is counted for operators, unlike one that only fails', async ({ store, mine, live }) => {
      await setHealth(store, mine, HOST, suspended);
      await setHealth(store, live, HOST, suspended);
      await setHealth(store, mine, ELSEWHERE, health());
      const { suspendedReceivers } = await store.gauges();
      assert.equal(suspendedReceivers, 2);
    });

    it('is left out where due deliveries are counted, until it is to be probed', async ({ store, mine }) => {
      await apart(store, mine, waiting);
      await apart(store, mine, [T], ELSEWHERE);
      await setHealth(store, mine, HOST, suspended);
      assert.equal(await store.work.countDueDeliveries(mine, T + 99), 1);
      assert.equal(await store.work.countDueDeliveries(mine, T + 100), 41);
    });
  });

  suite('what was put off for a receiver', () => {
    it('is due when it is dueNow, and nothing else is', async ({ store, mine, live }) => {
      const receivers = [HOST, ELSEWHERE];
      for (const tenant of [mine, live]) {
        await tell(store, tenant, 2, { receivers });
        const claimed = await claim(store, tenant, T);
        await finish(store, tenant, ...claimed.map((each) => tryAgain(each, T + HOUR)));
      }
      const [soon] = await apart(store, mine, [T + 5]);
      await write(store, mine, { dueNow: [{ receiver: HOST, at: T + 10 }] });
      const claimed = await claim(store, mine, T + 10);
      assert.deepEqual(
        claimed.map(({ receiver, dueAt }) => [receiver, dueAt]),
        [
          [HOST, T + 5],
          [HOST, T + 10],
        ],
      );
      assert.equal(claimed[0]?.id, soon);
      assert.deepEqual(await claim(store, live, T + HOUR - 1), []);
    });

    it('gets back the attempt that it has lost, and no more than that', async ({ store, mine }) => {
      const [id] = (await apart(store, mine, [T])) as [DeliveryId];
      await finish(store, mine, tryAgain(await claimOne(store, mine, T), T + 1));
      await finish(store, mine, tryAgain(await claimOne(store, mine, T + 1), T + HOUR));
      await write(store, mine, { dueNow: [{ receiver: HOST, at: T + 2 }] });
      const dueNow = await claimOne(store, mine, T + 2);
      assert.deepEqual([dueNow.attempts, dueNow.round], [1, 1]);
      await finish(store, mine, giveUp(dueNow));
      const told = await store.deliveries.fetch(mine, id);
      assert.deepEqual([told?.state, told?.attempts], ['failed', 3]);
      await apart(store, mine, [T + HOUR]);
      await write(store, mine, { dueNow: [{ receiver: HOST, at: T + 3 }] });
      assert.equal((await claimOne(store, mine, T + 3)).attempts, 0);
    });

    it('keeps its order when it is dueNow', async ({ store, mine }) => {
      const { ids: all } = await tell(store, mine, 3);
      await finish(store, mine, tryAgain(await claimOne(store, mine, T), T + HOUR));
      await write(store, mine, { dueNow: [{ receiver: HOST, at: T + 10 }] });
      const due = await Promise.all(all.map((id) => store.deliveries.fetch(mine, id)));
      assert.deepEqual(
        due.map((each) => (each as Delivery).dueAt),
        [T + 10, null, null],
      );
    });
  });
}
