import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Loaded, Writes } from '../../src/store/store.ts';
import type { ClaimedDelivery, Delivery, DeliveryId } from '../../src/webhooks/delivery.ts';
import { type Open, T } from './build.ts';
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
  inOrder,
  LEASE,
  resend,
  result,
  sent,
  tell,
  tryAgain,
} from './deliveries.ts';
import { alsoReopened, type Given, onSharedStore } from './each.ts';

export function resendSuite(open: Open): void {
  const it = onSharedStore(open);

  suite('a delivery that is made again', () => {
    for (const [name, end] of [
      ['has arrived', result],
      ['was given up', giveUp],
    ] as const) {
      it(`after it ${name} comes again, with a new round of attempts`, async ({ store, mine }) => {
        const [id] = (await apart(store, mine, [T])) as [DeliveryId];
        await finish(store, mine, tryAgain(await claimOne(store, mine, T), T + 1));
        await finish(store, mine, end(await claimOne(store, mine, T + 1)));
        await resend(store, mine, T + HOUR, id);
        assert.deepEqual(await claim(store, mine, T + HOUR - 1), []);
        const again = await claimOne(store, mine, T + HOUR);
        assert.deepEqual([again.id, again.attempts, again.dueAt], [id, 0, T + HOUR]);
        await finish(store, mine, tryAgain(again, T + 2 * HOUR));
        assert.equal((await claimOne(store, mine, T + 2 * HOUR)).attempts, 1);
        assert.equal((await store.deliveries.fetch(mine, id))?.attempts, 3);
      });
    }

    it('has the same bytes', async ({ store, mine }) => {
      const [id] = (await apart(store, mine, [T])) as [DeliveryId];
      const first = await claimOne(store, mine, T);
      await finish(store, mine, result(first));
      await resend(store, mine, T + HOUR, id);
      assert.deepEqual((await claimOne(store, mine, T + HOUR)).event, first.event);
    });

    it('goes on counting in its log', async ({ store, mine }) => {
      const [id] = (await apart(store, mine, [T])) as [DeliveryId];
      await finish(store, mine, giveUp(await claimOne(store, mine, T)));
      await resend(store, mine, T + HOUR, id);
      await finish(store, mine, result(await claimOne(store, mine, T + HOUR)));
      const log = await store.deliveries.listAttempts(mine, id);
      assert.deepEqual(
        log.map(({ number, at }) => [number, at]),
        [
          [1, T],
          [2, T + HOUR],
        ],
      );
    });

    it('is one of several of its ordering key, in the order of their events', async ({ store, mine }) => {
      const { ids: all } = await tell(store, mine, 4);
      await drain(store, mine, T);
      await resend(store, mine, T + HOUR, ...all.toReversed());
      assert.deepEqual(inOrder(await claim(store, mine, T + HOUR)), [all[0]]);
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR + LEASE)), all);
    });

    it('goes before a later one of its ordering key that waits to be tried again', async ({
      store,
      mine,
    }) => {
      const { ids: all } = await tell(store, mine, 3);
      await finish(store, mine, giveUp(await claimOne(store, mine, T)));
      await finish(store, mine, tryAgain(await claimOne(store, mine, T), T + 1));
      await resend(store, mine, T + HOUR, all[0] as DeliveryId);
      const head = await claimOne(store, mine, T + HOUR);
      assert.equal(head.id, all[0]);
      await finish(store, mine, result(head));
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR)), all.slice(1));
    });

    it('goes before a later one that is out, which waits for it if it fails', async ({ store, mine }) => {
      const { ids: all } = await tell(store, mine, 2);
      await finish(store, mine, giveUp(await claimOne(store, mine, T)));
      const later = await claimOne(store, mine, T);
      await resend(store, mine, T + 1, all[0] as DeliveryId);
      await finish(store, mine, tryAgain(later, T + 2));
      assert.deepEqual(inOrder(await claim(store, mine, T + HOUR)), [all[0]]);
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR + LEASE)), all);
    });

    it('waits behind an earlier one of its ordering key', async ({ store, mine }) => {
      const { ids: all } = await tell(store, mine, 3);
      await finish(store, mine, giveUp(await claimOne(store, mine, T)));
      await finish(store, mine, result(await claimOne(store, mine, T)));
      await resend(store, mine, T + 1, all[1] as DeliveryId);
      await resend(store, mine, T + 1, all[0] as DeliveryId);
      assert.equal((await store.deliveries.fetch(mine, all[1] as DeliveryId))?.dueAt, null);
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR)), all);
    });

    it('is seen behind what the units before it in a batch have made of it and others', async ({
      store,
      mine,
    }) => {
      const {
        ids,
        session: { id: subject },
      } = await tell(store, mine, 3);
      await drain(store, mine, T);
      const [first, second, third] = ids as [DeliveryId, DeliveryId, DeliveryId];
      const resent = (id: DeliveryId) => ({ resends: [{ id, receiver: HOST, subject, at: T + 1 }] });
      const needs = { tenant: mine, deliverySubjects: [subject], deliveries: ids };
      const seen: unknown[][] = [[], [], []];
      const decideOn = (unit: number, ...writes: Writes[]) => ({
        needs,
        decide({ deliveries }: Loaded) {
          seen[unit] = ids.map((id) => {
            const { state, isBehind } = deliveries.get(id) ?? {};
            return [state, isBehind];
          });
          return writes;
        },
      });
      await store.commit([decideOn(0, resent(third)), decideOn(1, resent(second)), decideOn(2)]);
      assert.deepEqual(seen, [
        [
          ['delivered', false],
          ['delivered', false],
          ['delivered', false],
        ],
        [
          ['delivered', false],
          ['delivered', false],
          ['pending', false],
        ],
        [
          ['delivered', false],
          ['pending', false],
          ['pending', true],
        ],
      ]);
      await store.commit([decideOn(0, resent(first), resent(second)), decideOn(1)]);
      assert.deepEqual(seen[1], [
        ['pending', false],
        ['pending', true],
        ['pending', true],
      ]);
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR)), ids);
    });

    it('leaves other ordering keys, accounts and modes alone', async ({ store, mine, live }) => {
      const { ids: all } = await tell(store, mine, 1, { receivers: [HOST, ELSEWHERE] });
      await drain(store, mine, T);
      await resend(store, mine, T + 1, all[0] as DeliveryId);
      const found = (await store.deliveries.fetch(mine, all[0] as DeliveryId)) as Delivery;
      const elsewhere = { ...found, id: all[1] as DeliveryId, at: T + 1 };
      await store.commit([
        {
          needs: { tenant: live, deliverySubjects: [elsewhere.subject] },
          decide: () => [{ resends: [elsewhere] }],
        },
      ]);
      assert.deepEqual(inOrder(await claim(store, mine, T + HOUR)), [all[0]]);
      assert.deepEqual(await claim(store, live, T + HOUR), []);
    });
  });

  suite('a delivery that is made again while an attempt is under way', () => {
    /** A delivery that was tried once, with the second attempt under way. */
    async function underWay({ store, mine }: Given) {
      const { ids: all } = await tell(store, mine, 2);
      await finish(store, mine, tryAgain(await claimOne(store, mine, T), T + 1));
      const out = await claimOne(store, mine, T + 1);
      await resend(store, mine, T + 5, out.id);
      return { out, all };
    }

    for (const [name, come] of [
      ['was to be the last', giveUp],
      ['is to be made once more later', (out: ClaimedDelivery) => tryAgain(out, T + HOUR)],
    ] as const) {
      it(`comes again at once if that one ${name}, with a new round`, async (given) => {
        const { store, mine } = given;
        const { out, all } = await underWay(given);
        assert.deepEqual(await claim(store, mine, T + 6), [], 'it is still out');
        await finish(store, mine, come(out));
        const told = await store.deliveries.fetch(mine, out.id);
        assert.deepEqual([told?.state, told?.attempts, told?.dueAt], ['pending', 2, T + 5]);
        assert.equal((await store.deliveries.listAttempts(mine, out.id)).length, 2);
        const again = await claimOne(store, mine, T + 6);
        // The one under way counts in the new round.
        assert.deepEqual([again.id, again.attempts, again.round], [out.id, 1, 1]);
        await finish(store, mine, result(again));
        assert.deepEqual(inOrder(await drain(store, mine, T + HOUR)), [all[1]]);
      });
    }

    it('is done if that one arrives', async (given) => {
      const { store, mine } = given;
      const { out, all } = await underWay(given);
      await finish(store, mine, result(out));
      assert.equal((await store.deliveries.fetch(mine, out.id))?.state, 'delivered');
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR)), [all[1]]);
    });

    it('waits behind an earlier one that was made again with it', async ({ store, mine }) => {
      const { ids: all } = await tell(store, mine, 2);
      await finish(store, mine, result(await claimOne(store, mine, T)));
      await finish(store, mine, tryAgain(await claimOne(store, mine, T), T + 1));
      const out = await claimOne(store, mine, T + 1);
      await resend(store, mine, T + 5, ...all);
      await finish(store, mine, giveUp(out));
      assert.deepEqual(inOrder(await claim(store, mine, T + HOUR)), [all[0]]);
      assert.deepEqual(inOrder(await drain(store, mine, T + HOUR + LEASE)), all);
    });
  });

  suite('the log of attempts', () => {
    it('has every attempt in its order, as it went', async ({ store, reopen, mine, live }) => {
      const [id] = (await apart(store, mine, [T])) as [DeliveryId];
      const hostile = `{"a":"\\u0000 'x' \\\\"}\n\t--; $1 ${'{'}} \uFFFD 😀 ü \u2028`;
      const first = await claimOne(store, mine, T);
      const timeout = { at: T + 3, attempt: sent(first, '', 15_000), error: 'timeout', httpStatus: null };
      await finish(store, mine, tryAgain(first, T + 10, timeout));
      const second = await claimOne(store, mine, T + 10);
      const answered = { at: T + 10, attempt: sent(second, hostile, 0) };
      await finish(store, mine, tryAgain(second, T + 20, answered));
      await finish(store, mine, result(await claimOne(store, mine, T + 20)));
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.deliveries.listAttempts(mine, id), [
          { number: 1, at: T + 3, durationMs: 15_000, status: null, error: 'timeout', answer: '' },
          { number: 2, at: T + 10, durationMs: 0, status: 503, error: 'status 503', answer: hostile },
          { number: 3, at: T + 20, durationMs: 12, status: 200, error: null, answer: 'thanks' },
        ]);
        assert.deepEqual(await each.deliveries.listAttempts(live, id), []);
        assert.deepEqual(await each.deliveries.listAttempts(mine, 'whd_unknown'), []);
      }
    });

    it('has nothing where nothing was sent', async ({ store, mine }) => {
      const [id] = (await apart(store, mine, [T])) as [DeliveryId];
      const unsent = { attempt: null, error: 'endpoint deleted' };
      await finish(store, mine, giveUp(await claimOne(store, mine, T), unsent));
      assert.deepEqual(await store.deliveries.listAttempts(mine, id), []);
      const { attempts, triedAt, lastError, state } = (await store.deliveries.fetch(mine, id)) ?? {};
      assert.deepEqual(
        { attempts, triedAt, lastError, state },
        { attempts: 0, triedAt: null, lastError: 'endpoint deleted', state: 'failed' },
      );
    });

    it('has an attempt that comes when all is over', async ({ store, mine }) => {
      const [id] = (await apart(store, mine, [T])) as [DeliveryId];
      const claimed = await claimOne(store, mine, T);
      await finish(store, mine, result(claimed));
      await finish(store, mine, giveUp(claimed));
      const log = await store.deliveries.listAttempts(mine, id);
      assert.deepEqual(
        log.map(({ number, status }) => [number, status]),
        [
          [1, 200],
          [2, null],
        ],
      );
      const shown = await store.deliveries.fetch(mine, id);
      assert.deepEqual([shown?.state, shown?.attempts, shown?.lastStatus], ['delivered', 2, 200]);
    });
  });
}
