import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { createRounds } from '../../src/lib/rounds.ts';
import type { Unit } from '../../src/store/store.ts';
import { installation } from '../../src/users/user.ts';
import type { DeliveryId } from '../../src/webhooks/delivery.ts';
import { answer, answerIn, load, type Open, T, write } from './build.ts';
import {
  apart,
  claim,
  claimOne,
  finish,
  finishing,
  giveUp,
  HOST,
  HOUR,
  ids,
  inOrder,
  LEASE,
  result,
  tryAgain,
} from './deliveries.ts';
import { onFreshStores } from './each.ts';

export function workSuite(open: Open): void {
  const it = onFreshStores(open);

  suite('deliveries', () => {
    it('are claimed when they are due, with what is to be sent', async ({ store, reopen, mine }) => {
      const [first] = (await apart(store, mine, [T + 5, T + 6])) as [DeliveryId];
      const again = await reopen();
      assert.deepEqual(await claim(again, mine, T + 4), []);
      const claimed = await claimOne(again, mine, T + 5);
      const { lease, ...rest } = claimed;
      assert.deepEqual(rest, {
        tenant: mine,
        id: first,
        receiver: HOST,
        url: `${HOST}/hook`,
        endpoint: null,
        attempts: 0,
        round: 0,
        dueAt: T + 5,
        failing: false,
        event: await again.events.fetch(mine, claimed.event.id),
      });
      assert.ok(Number.isSafeInteger(lease));
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
      assert.deepEqual(inOrder(await claim(store, mine, later, { limit: 2 })), [second, third]);
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

    it('can be claimed anew when the lease is over, and the new lease is another one', async (given) => {
      const { store, mine } = given;
      const all = await apart(store, mine, [T, T]);
      const [before] = await claim(store, mine, T);
      const again = await claim(store, mine, T + LEASE);
      assert.deepEqual(ids(again), all.toSorted());
      assert.ok(again.every(({ lease }) => lease !== before?.lease));
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
      await apart(store, mine, [T, T]);
      const [first] = await claim(store, mine, T);
      assert.ok(first);
      await finish(store, mine, tryAgain(first, T));
      assert.deepEqual(inOrder(await claim(store, mine, T)), [first.id]);
    });

    it('stay with who holds them now when an earlier lease brings its result', async ({ store, mine }) => {
      await apart(store, mine, [T]);
      const before = await claimOne(store, mine, T);
      const now = await claimOne(store, mine, T + LEASE);
      await finish(store, mine, tryAgain(before, T));
      assert.deepEqual(await claim(store, mine, T + LEASE), []);
      await finish(store, mine, tryAgain(now, T));
      assert.deepEqual(inOrder(await claim(store, mine, T + LEASE)), [now.id]);
    });

    it('stay claimed when their result could not be written', async ({ store, mine }) => {
      await apart(store, mine, [T]);
      const claimed = await claimOne(store, mine, T);
      const failing: Unit = {
        needs: { tenant: mine },
        decide() {
          throw new Error('no');
        },
      };
      await assert.rejects(store.commit([finishing(mine, [tryAgain(claimed, T)]), failing]));
      assert.deepEqual(await claim(store, mine, T + LEASE - 1), []);
      const again = await claimOne(store, mine, T + LEASE);
      assert.deepEqual([again.id, again.attempts], [claimed.id, 0]);
    });

    it('that have arrived or were given up are over', async ({ store, reopen, mine, live }) => {
      await apart(store, mine, [T]);
      const [waiting] = await apart(store, mine, [T + 1]);
      await apart(store, live, [T]);
      assert.equal((await store.gauges()).pendingDeliveries, 3);
      await finish(store, mine, result(await claimOne(store, mine, T)));
      await finish(store, live, giveUp(await claimOne(store, live, T)));
      assert.equal((await store.gauges()).pendingDeliveries, 1);
      const again = await reopen();
      assert.deepEqual(ids(await claim(again, mine, T + 99 * HOUR)), [waiting]);
      assert.deepEqual(await claim(again, live, T + 99 * HOUR), []);
    });

    it('that are over stay so, whatever comes late of another attempt', async ({ store, mine }) => {
      await apart(store, mine, [T, T, T]);
      const [a, b, c] = await claim(store, mine, T);
      assert.ok(a && b && c);
      await finish(store, mine, result(a), giveUp(b), giveUp(c));
      await finish(store, mine, tryAgain(a, T), tryAgain(b, T));
      await finish(store, mine, giveUp(a));
      assert.equal((await store.gauges()).pendingDeliveries, 0);
      assert.deepEqual(await claim(store, mine, T + 99 * HOUR), []);
      const states = [a, b, c].map(async ({ id }) => (await store.deliveries.fetch(mine, id))?.state);
      assert.deepEqual(await Promise.all(states), ['delivered', 'failed', 'failed']);
    });

    it('that were given up have arrived if that is said late', async ({ store, mine }) => {
      await apart(store, mine, [T]);
      const claimed = await claimOne(store, mine, T);
      await finish(store, mine, giveUp(claimed));
      await finish(store, mine, result(claimed));
      assert.equal((await store.deliveries.fetch(mine, claimed.id))?.state, 'delivered');
    });

    it('that failed come again at their next time, and count their attempts', async (given) => {
      const { store, reopen, mine } = given;
      const [id] = await apart(store, mine, [T]);
      let each = store;
      for (let attempts = 1; attempts <= 3; attempts++) {
        const due = T + (attempts - 1) * HOUR;
        const claimed = await claimOne(each, mine, due);
        assert.deepEqual([claimed.id, claimed.attempts, claimed.dueAt], [id, attempts - 1, due]);
        await finish(each, mine, tryAgain(claimed, T + attempts * HOUR));
        assert.deepEqual(await claim(each, mine, T + attempts * HOUR - 1), []);
        if (attempts === 2) each = await reopen();
      }
    });

    it('of another account and mode are not touched by a result', async ({ store, mine, live, theirs }) => {
      await apart(store, mine, [T]);
      const claimed = await claimOne(store, mine, T);
      for (const tenant of [live, theirs]) await finish(store, tenant, result(claimed));
      assert.equal((await store.deliveries.fetch(mine, claimed.id))?.state, 'pending');
      await finish(store, mine, tryAgain(claimed, T));
      assert.deepEqual(inOrder(await claim(store, mine, T)), [claimed.id]);
    });

    it('are claimed for one account and mode', async ({ store, mine, live, theirs }) => {
      const made = new Map<Tenant, string[]>();
      for (const tenant of [mine, live, theirs]) made.set(tenant, await apart(store, tenant, [T]));
      assert.deepEqual(await claim(store, { account: 99, mode: 'test' }, T), []);
      for (const [tenant, all] of made) {
        const claimed = await claim(store, tenant, T);
        assert.deepEqual(
          claimed.map((one) => [one.id, one.tenant]),
          all.map((id) => [id, tenant]),
        );
      }
    });

    it('are counted as long as they are due, whoever holds them', async ({ store, mine, live, theirs }) => {
      await apart(store, mine, [T, T + 1, T + 2]);
      await apart(store, live, [T]);
      const counts = async (now: number) => [
        await store.work.countDueDeliveries(mine, now),
        await store.work.countDueDeliveries(live, now),
        await store.work.countDueDeliveries(theirs, now),
      ];
      assert.deepEqual(await counts(T - 1), [0, 0, 0]);
      assert.deepEqual(await counts(T), [1, 1, 0]);
      assert.deepEqual(await counts(T + 2), [3, 1, 0]);
      const [a, b] = await claim(store, mine, T + 2);
      assert.ok(a && b);
      assert.deepEqual(await counts(T + 2), [3, 1, 0]);
      await finish(store, mine, result(a), tryAgain(b, T + HOUR));
      assert.deepEqual(await counts(T + 2), [1, 1, 0]);
      assert.deepEqual(await counts(T + HOUR), [2, 1, 0]);
    });
  });

  it('stored answers are forgotten in time, a bounded number at once', async ({ store, mine, live }) => {
    const count = 1050;
    const old = (tenant: Tenant) => (_: unknown, index: number) => ({
      needs: { tenant },
      decide: () => [{ answer: answer(`old-${index}`, { createdAt: T + (index % 10) }) }],
    });
    const tenants = [mine, live, installation];
    for (const tenant of tenants) await store.commit(Array.from({ length: count }, old(tenant)));
    await write(store, mine, { answer: answer('young', { createdAt: T + 10 }) });
    const removed: number[] = [];
    for (let last = -1; last !== 0; removed.push(last))
      last = await store.retention.purgeAnswers(
        T + 10,
        createRounds((error) => assert.fail(String(error))),
      );
    assert.ok(Math.max(...removed) <= 1000, `${Math.max(...removed)} at once`);
    assert.equal(
      removed.reduce((sum, each) => sum + each, 0),
      tenants.length * count,
    );
    const found = async (key: string) => {
      const { operation, requestHash } = answer(key);
      return answerIn(await load(store, { tenant: mine, answers: [{ key, operation, requestHash }] }));
    };
    assert.equal(await found('old-1'), null);
    assert.equal((await found('young'))?.statusCode, 201);
  });
}
