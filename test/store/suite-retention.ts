import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { sameTenant, type Tenant } from '../../src/checkout/tenant.ts';
import type { EventId, EventRow, FeedEvent } from '../../src/events/event.ts';
import { CursorExpired } from '../../src/store/errors.ts';
import type { Store } from '../../src/store/store.ts';
import type { DeliveryRow } from '../../src/webhooks/delivery.ts';
import { end, happen } from './aged.ts';
import { answer, answerIn, customer, eventOf, load, type Open, session, T, write } from './build.ts';
import { claim, ELSEWHERE, HOST, health, inOrder, setHealth } from './deliveries.ts';
import { alsoReopened, onFreshStores } from './each.ts';

const DAY = 86_400_000;
/** The limit: rows made before are old. */
const LIMIT = T;
const OLD = LIMIT - DAY;
const YOUNG = LIMIT + DAY;

const positions = (rows: readonly FeedEvent[]) => rows.map(({ position }) => position);
const sequences = (rows: readonly EventRow[]) => rows.map(({ sequence }) => sequence);

async function feedFrom(store: Store, tenant: Tenant, after: number): Promise<number[]> {
  return positions((await store.events.list(tenant, {}, after, 100)).rows);
}

export function retentionSuite(open: Open): void {
  const it = onFreshStores(open);

  suite('what is old', () => {
    it('is so by real time, wherever the clock was moved since', async ({ store, reopen, mine, theirs }) => {
      for (const tenant of [mine, theirs]) await happen(store, tenant, OLD);
      await write(store, mine, { clockMove: { at: LIMIT, advanceMs: 10 * DAY } });
      await write(store, mine, { clockMove: { at: YOUNG, advanceMs: 300 * DAY } });
      await happen(store, mine, YOUNG + 400 * DAY);
      for await (const each of alsoReopened({ store, reopen })) {
        const shown = async (tenant: Tenant, at: number) =>
          (await each.retention.listTenants('events', at)).find((found) => sameTenant(found.tenant, tenant))
            ?.now;
        assert.equal(await shown(mine, LIMIT - 1), LIMIT - 1);
        assert.equal(await shown(mine, LIMIT), LIMIT + 10 * DAY);
        assert.equal(await shown(mine, YOUNG - 1), YOUNG - 1 + 10 * DAY);
        assert.equal(await shown(mine, YOUNG + DAY), YOUNG + 311 * DAY);
        assert.equal(await shown(theirs, YOUNG + DAY), YOUNG + DAY);
        assert.equal(await shown(theirs, OLD), undefined, 'nothing of theirs is older');
      }
    });

    it('is no older for a clock of the machine that was set back when the other one was moved', async (given) => {
      const { store, mine } = given;
      await happen(store, mine, YOUNG);
      for (let moves = 1; moves <= 2; moves++) {
        await write(store, mine, { clockMove: { at: OLD, advanceMs: 300 * DAY } });
        const shown = async (at: number) => (await store.retention.listTenants('events', at))[0]?.now;
        assert.equal(await shown(YOUNG - 1), YOUNG - 1);
        assert.equal(await shown(YOUNG), YOUNG + moves * 300 * DAY);
      }
    });
  });

  suite('what a clock that was moved has made', () => {
    it('is found by the age that it has in real time', async ({ store, mine }) => {
      await write(store, mine, { clockMove: { at: YOUNG, advanceMs: 300 * DAY } });
      await happen(store, mine, YOUNG + 300 * DAY);
      const places = await store.retention.listTenants('events', YOUNG + DAY);
      const before = places.find(({ tenant }) => sameTenant(tenant, mine))?.now;
      assert.equal(before, YOUNG + 301 * DAY);
      assert.equal(await store.retention.purgeEvents(mine, before), 1);
    });
  });

  suite('old deliveries', () => {
    async function left(store: Store, tenant: Tenant): Promise<string[]> {
      return inOrder((await store.deliveries.list(tenant, {}, { limit: 100 })).rows).toReversed();
    }

    it('are removed with their attempts when they have ended, and no others', async (given) => {
      const { store, reopen, mine, live, theirs } = given;
      const { deliveries: arrived } = await happen(store, mine, OLD, 2, [HOST]);
      const { deliveries: failed } = await happen(store, mine, LIMIT - 1, 1, [ELSEWHERE]);
      const { deliveries: waiting } = await happen(store, mine, OLD, 2, [HOST]);
      const { deliveries: edge } = await happen(store, mine, LIMIT, 1, [HOST]);
      const { deliveries: young } = await happen(store, mine, YOUNG, 2, [HOST]);
      await end(store, mine, arrived);
      await end(store, mine, failed, 'failed');
      await end(store, mine, [...edge, ...young.slice(0, 1)]);
      const others: DeliveryRow[] = [];
      for (const tenant of [live, theirs]) {
        const { deliveries } = await happen(store, tenant, OLD, 1, [HOST]);
        await end(store, tenant, deliveries);
        others.push(...deliveries);
      }
      const places = await store.retention.listTenants('deliveries', LIMIT);
      for (const tenant of [mine, live, theirs]) {
        assert.ok(
          places.some(({ tenant: { account, mode } }) => account === tenant.account && mode === tenant.mode),
        );
      }

      assert.equal(await store.retention.purgeDeliveries(mine, LIMIT), 3);
      assert.equal(await store.retention.purgeDeliveries(mine, LIMIT), 0);
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await left(each, mine), inOrder([...waiting, ...edge, ...young]));
        for (const { id } of [...arrived, ...failed]) {
          assert.equal(await each.deliveries.fetch(mine, id), null);
          assert.deepEqual(await each.deliveries.listAttempts(mine, id), []);
        }
        for (const { id } of [...edge, ...young.slice(0, 1)]) {
          assert.equal((await each.deliveries.listAttempts(mine, id)).length, 1);
        }
        for (const [index, tenant] of [live, theirs].entries()) {
          assert.deepEqual(await left(each, tenant), [others[index]?.id]);
          assert.equal(
            (await each.deliveries.listAttempts(tenant, others[index]?.id ?? 'whd_none')).length,
            1,
          );
        }
        // The order is as it was.
        const due = await claim(each, mine, YOUNG, { leaseMs: 0 });
        assert.deepEqual(inOrder(due).sort(), [waiting[0]?.id, young[1]?.id].sort());
      }
    });

    it('are removed a bounded number at a time, the oldest first', async ({ store, mine }) => {
      const { deliveries } = await happen(store, mine, OLD, 1003, [HOST]);
      await end(store, mine, deliveries);
      assert.equal(await store.retention.purgeDeliveries(mine, LIMIT), 1000);
      assert.deepEqual(await left(store, mine), inOrder(deliveries).slice(1000));
      assert.equal(await store.retention.purgeDeliveries(mine, LIMIT), 3);
      assert.equal(await store.retention.purgeDeliveries(mine, LIMIT), 0);
    });

    it('take what is known of their receivers with them, where nobody has asked for these since', async (given) => {
      const { store, mine, live, theirs } = given;
      const hosts = ['http://quiet.example', 'http://busy.example', 'http://waiting.example'] as const;
      const [quiet, busy, waiting] = hosts;
      for (const tenant of [mine, live, theirs]) {
        for (const host of hosts) await setHealth(store, tenant, host, health({ failingSince: OLD + 1 }));
        await end(store, tenant, (await happen(store, tenant, OLD, 1, [quiet, busy])).deliveries, 'failed');
      }
      await end(store, mine, (await happen(store, mine, YOUNG, 1, [busy])).deliveries, 'failed');
      await happen(store, mine, OLD, 1, [waiting]);
      assert.equal(await store.retention.purgeDeliveries(mine, LIMIT), 2);
      assert.deepEqual([...(await store.receivers.listFailing(mine)).keys()].sort(), [busy, waiting]);
      for (const tenant of [live, theirs]) assert.equal((await store.receivers.listFailing(tenant)).size, 3);
    });

    it('are removed once where two processes do it, and nothing is in the way of new ones', async (given) => {
      const { store, another, mine } = given;
      const other = await another();
      const { session: one, deliveries } = await happen(store, mine, OLD, 1500, [HOST]);
      await end(store, mine, deliveries);
      let before = one;
      const young: string[] = [];
      let removed = 0;
      for (let round = 0; round < 4; round++) {
        const [first, second, made] = await Promise.all([
          store.retention.purgeDeliveries(mine, LIMIT),
          other.retention.purgeDeliveries(mine, LIMIT),
          happen(store, before, YOUNG, 1, [HOST]),
        ]);
        removed += first + second;
        before = made.session;
        young.push(...inOrder(made.deliveries));
      }
      assert.equal(removed, 1500);
      assert.deepEqual((await left(store, mine)).sort(), young.sort());
    });
  });

  suite('old events', () => {
    it('are removed from the front of the feed, up to the first young one', async (given) => {
      const { store, reopen, mine, live, theirs } = given;
      const { events: old } = await happen(store, mine, OLD, 2);
      await happen(store, mine, LIMIT);
      // An old event behind a young one stays.
      await happen(store, mine, OLD);
      for (const tenant of [live, theirs]) await happen(store, tenant, OLD, 3);
      const places = await store.retention.listTenants('events', LIMIT);
      assert.ok(
        places.some(({ tenant: { account, mode } }) => account === mine.account && mode === mine.mode),
      );

      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 2);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 0);
      for await (const each of alsoReopened({ store, reopen })) {
        for (const { id } of old) assert.equal(await each.events.fetch(mine, id), null);
        assert.deepEqual(await feedFrom(each, mine, 0), [3, 4], 'the feed begins with the oldest');
        assert.deepEqual(await feedFrom(each, mine, 2), [3, 4]);
        assert.deepEqual(await feedFrom(each, mine, 3), [4]);
        await assert.rejects(each.events.list(mine, {}, 1, 100), CursorExpired);
        await assert.rejects(each.events.list(mine, { types: ['checkout.paid'] }, 1, 100), CursorExpired);
        assert.equal(await each.events.end(mine), 4);
        for (const tenant of [live, theirs]) assert.deepEqual(await feedFrom(each, tenant, 1), [2, 3]);
      }
    });

    it('stay while they have a delivery, and so do those behind them', async ({ store, mine }) => {
      await happen(store, mine, OLD);
      const { deliveries: first } = await happen(store, mine, OLD, 1, [HOST]);
      await happen(store, mine, OLD);
      const { deliveries: second } = await happen(store, mine, OLD, 1, [HOST]);
      await happen(store, mine, OLD);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 1);
      await end(store, mine, first);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 0, 'it can be sent again');
      await store.retention.purgeDeliveries(mine, LIMIT);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 2);
      assert.deepEqual(await feedFrom(store, mine, 3), [4, 5]);
      await end(store, mine, second, 'failed');
      await store.retention.purgeDeliveries(mine, LIMIT);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 2);
    });

    it('leave the numbers that they had, also when none is left', async ({ store, reopen, mine, live }) => {
      await happen(store, mine, OLD, 3);
      await happen(store, live, OLD);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 3);
      for await (const each of alsoReopened({ store, reopen })) {
        assert.equal(await each.events.end(mine), 3);
        assert.deepEqual(await feedFrom(each, mine, 0), []);
        assert.deepEqual(await feedFrom(each, mine, 3), []);
        await assert.rejects(each.events.list(mine, {}, 2, 100), CursorExpired);
      }
      const again = await reopen();
      await happen(again, mine, OLD, 2);
      assert.deepEqual(await feedFrom(again, mine, 3), [4, 5]);
      assert.deepEqual(await feedFrom(again, mine, 0), [4, 5]);
      assert.equal(await again.retention.purgeEvents(mine, LIMIT), 2);
      await happen(again, mine, YOUNG);
      assert.deepEqual(await feedFrom(again, mine, 5), [6]);
      await assert.rejects(again.events.list(mine, {}, 4, 100), CursorExpired);
      assert.equal(await again.events.end(live), 1);
    });

    it('are not looked for by whoever wants some types only', async ({ store, mine }) => {
      await happen(store, mine, OLD, 3_000);
      for (let removed = 1; removed > 0; ) removed = await store.retention.purgeEvents(mine, LIMIT);
      const types = ['checkout.updated'];
      const none = { rows: [], hasMore: false, position: 3_000 };
      assert.deepEqual(await store.events.list(mine, { types }, 0, 10), none);
      await happen(store, mine, YOUNG);
      const { rows, hasMore } = await store.events.list(mine, { types }, 0, 10);
      assert.deepEqual(
        [positions(rows), hasMore],
        [[3_001], false],
        'the first page is where the feed begins',
      );
    });

    it('are removed a bounded number at a time', async ({ store, mine }) => {
      await happen(store, mine, OLD, 1003);
      await happen(store, mine, YOUNG);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 1000);
      assert.deepEqual(await feedFrom(store, mine, 0), [1001, 1002, 1003, 1004]);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 3);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 0);
    });

    it('are removed once where two processes do it, while others happen', async (given) => {
      const { store, another, mine } = given;
      const other = await another();
      await happen(store, mine, OLD, 1200);
      await store.events.end(mine);
      let removed = 0;
      for (let round = 0; round < 4; round++) {
        const [first, second] = await Promise.all([
          store.retention.purgeEvents(mine, LIMIT),
          other.retention.purgeEvents(mine, LIMIT),
          happen(store, mine, YOUNG),
          happen(other, mine, YOUNG),
        ]);
        removed += first + second;
      }
      assert.equal(removed, 1200);
      const kept = [1, 2, 3, 4, 5, 6, 7, 8].map((each) => 1200 + each);
      for (const each of [store, other]) assert.deepEqual(await feedFrom(each, mine, 1200), kept);
    });

    it('are never left out in silence, by a reader who reads meanwhile', async ({ store, another, mine }) => {
      const other = await another();
      await happen(store, mine, OLD, 300);
      await happen(store, mine, YOUNG);
      const last = await store.events.end(mine);
      let purged = false;
      const purging = other.retention.purgeEvents(mine, LIMIT).then(() => {
        purged = true;
      });
      let told = false;
      for (let after = 1; !told && !purged; after = (after % 100) + 1) {
        const page = await store.events.list(mine, {}, after, 50).catch((error) => {
          assert.ok(error instanceof CursorExpired);
          told = true;
        });
        if (page) assert.equal(page.rows[0]?.position, after + 1);
      }
      await purging;
      assert.deepEqual(await feedFrom(store, mine, last - 1), [last]);
    });
  });

  suite('a session whose oldest events are gone', () => {
    it('has a history that begins later, and goes on', async ({ store, reopen, mine }) => {
      const { session: one, events: old } = await happen(store, mine, OLD, 2);
      const { session: second } = await happen(store, one, YOUNG, 2);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 2);
      const timeline = async (each: Store, before: EventId | null, limit: number) => {
        const { rows, hasMore } = await each.events.timeline(mine, one.id, before, limit);
        return { sequences: sequences(rows), hasMore, last: rows.at(-1)?.id ?? null };
      };
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual((await timeline(each, null, 10)).sequences, [4, 3]);
        const { last, ...first } = await timeline(each, null, 1);
        assert.deepEqual(first, { sequences: [4], hasMore: true });
        const next = await timeline(each, last, 1);
        assert.deepEqual([next.sequences, next.hasMore], [[3], false]);
        for (const gone of [next.last, old[1]?.id ?? 'evt_none']) {
          assert.deepEqual(await timeline(each, gone, 1), { sequences: [], hasMore: false, last: null });
        }
      }
      const again = await reopen();
      await happen(again, second, YOUNG);
      assert.deepEqual((await timeline(again, null, 10)).sequences, [5, 4, 3]);
    });

    it('or all of them, can change as before', async ({ store, reopen, mine }) => {
      const { session: one } = await happen(store, mine, OLD, 3);
      await happen(store, mine, OLD);
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 4);
      assert.deepEqual(await store.events.timeline(mine, one.id, null, 10), { rows: [], hasMore: false });
      assert.deepEqual(await store.checkouts.fetch(mine, one.id), one);
      const { session: second } = await happen(store, one, YOUNG);
      const again = await reopen();
      const { session: third, events } = await happen(again, second, YOUNG, 2);
      assert.deepEqual(await again.checkouts.fetch(mine, one.id), third);
      assert.deepEqual(sequences((await again.events.timeline(mine, one.id, null, 10)).rows), [6, 5, 4]);
      assert.deepEqual(
        sequences((await again.events.timeline(mine, one.id, events[0]?.id ?? 'evt_none', 10)).rows),
        [4],
      );
      assert.deepEqual(await feedFrom(again, mine, 4), [5, 6, 7]);
    });

    for (const [left, at] of [
      ['some', YOUNG],
      ['none', OLD],
    ] as const) {
      it(`can be rid of its customer, with ${left} left`, async ({ store, mine }) => {
        const person = customer(mine, { name: 'Ada' });
        const payer = { ...session(mine).payer, customer: person.id, name: 'Ada', email: 'ada@example.com' };
        const one = session(mine, { payer });
        const event = eventOf(one, 'checkout.created', { createdAt: OLD });
        await write(store, mine, { customer: person });
        await write(store, mine, { checkout: { before: null, after: one }, events: [event] });
        const { session: second } = await happen(store, one, at);
        await store.retention.purgeEvents(mine, LIMIT);
        await write(store, mine, { erasedCustomer: person });
        const erased = await store.checkouts.fetch(mine, one.id);
        assert.deepEqual([erased?.payer.name, erased?.version], ['', second.version + 1]);
        const { rows } = await store.events.list(mine, {}, 0, 10);
        assert.equal(rows.length, at === YOUNG ? 1 : 0);
        for (const { body } of rows) assert.doesNotMatch(body, /Ada|ada@/);
        await happen(store, erased ?? assert.fail(), YOUNG);
        assert.equal(await store.events.end(mine), 3);
      });
    }

    it('answers a repeated request as before, as long as the event of the answer is kept', async (given) => {
      const { store, reopen, mine } = given;
      await happen(store, mine, OLD, 3);
      const one = session(mine);
      const event = eventOf(one);
      const idempotency = { key: 'k', operation: 'POST /v3/checkout', requestHash: 'hash' };
      const data = JSON.stringify(JSON.parse(event.body).data);
      const body = `{"status":"success","message":"CHECKOUT.CREATE.SUCCESS","data":${data}}`;
      await write(store, mine, {
        checkout: { before: null, after: one },
        events: [event],
        answer: answer('k', { body }),
      });
      assert.equal(await store.retention.purgeEvents(mine, LIMIT), 3);
      await happen(store, mine, YOUNG);
      for await (const each of alsoReopened({ store, reopen })) {
        assert.equal(answerIn(await load(each, { tenant: mine, answers: [idempotency] }))?.body, body);
      }
    });
  });
}
