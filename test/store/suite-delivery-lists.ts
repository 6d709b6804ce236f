import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { PageRequest } from '../../src/store/page.ts';
import type { DeliveryFilter, Store } from '../../src/store/store.ts';
import type { Delivery, DeliveryId } from '../../src/webhooks/delivery.ts';
import { type Open, T } from './build.ts';
import {
  apart,
  claim,
  claimOne,
  ELSEWHERE,
  finish,
  giveUp,
  HOST,
  HOUR,
  inOrder,
  result,
  tell,
  tryAgain,
} from './deliveries.ts';
import { alsoReopened, onSharedStore } from './each.ts';

const PAGE = { limit: 100 };
const TO_ENDPOINT = 'whe_1';

export function deliveryListSuite(open: Open): void {
  const it = onSharedStore(open);

  /**
   * Deliveries of two sessions to two receivers: one arrived, one given up, the others pending; oldest first.
   */
  async function filled(store: Store, mine: Tenant): Promise<Delivery[]> {
    const one = await tell(store, mine, 2, { receivers: [HOST, TO_ENDPOINT] });
    const other = await tell(store, mine, 1, { receivers: [HOST, TO_ENDPOINT], at: T + 1000 });
    const claimed = await claim(store, mine, T);
    const to = (receiver: string) =>
      claimed.find((each) => each.receiver === receiver) as (typeof claimed)[0];
    await finish(store, mine, result(to(HOST)), giveUp(to(TO_ENDPOINT), { at: T + 7 }));
    const all = [...one.ids, ...other.ids].map((id) => store.deliveries.fetch(mine, id));
    return (await Promise.all(all)) as Delivery[];
  }

  const listed = async (store: Store, tenant: Tenant, filter: DeliveryFilter, page: PageRequest = PAGE) =>
    inOrder((await store.deliveries.list(tenant, filter, page)).rows);

  suite('a delivery', () => {
    it('is shown as it is, in each state', async ({ store, reopen, mine }) => {
      const { session, ids: all } = await tell(store, mine, 2);
      const [id, waiting] = all as [DeliveryId, DeliveryId];
      const claimed = await claimOne(store, mine, T);
      const common = {
        createdAt: T,
        eventType: 'checkout.updated',
        subject: session.id,
        receiver: HOST,
        url: `${HOST}/hook`,
      };
      const fresh = {
        state: 'pending',
        attempts: 0,
        triedAt: null,
        lastStatus: null,
        lastError: null,
      } as const;
      const one = { ...common, id, event: claimed.event.id };
      assert.deepEqual(await store.deliveries.fetch(mine, id), { ...one, ...fresh, dueAt: T });
      const { event } = (await store.deliveries.fetch(mine, waiting)) as Delivery;
      assert.deepEqual(await store.deliveries.fetch(mine, waiting), {
        ...common,
        id: waiting,
        event,
        ...fresh,
        dueAt: null,
      });
      await finish(store, mine, tryAgain(claimed, T + HOUR, { at: T + 5 }));
      const tried = { ...one, attempts: 1, triedAt: T + 5, lastStatus: 503, lastError: 'status 503' };
      for await (const each of alsoReopened({ store, reopen })) {
        assert.deepEqual(await each.deliveries.fetch(mine, id), {
          ...tried,
          state: 'pending',
          dueAt: T + HOUR,
        });
      }
    });

    it('is known under its own account and mode only', async ({ store, mine, live, theirs }) => {
      const [id] = (await apart(store, mine, [T])) as [DeliveryId];
      for (const tenant of [live, theirs]) assert.equal(await store.deliveries.fetch(tenant, id), null);
      assert.equal(await store.deliveries.fetch(mine, 'whd_unknown'), null);
    });
  });

  suite('a list of deliveries', () => {
    it('is newest first, of one account and mode', async ({ store, mine, live, theirs }) => {
      const all = await filled(store, mine);
      const [other] = await apart(store, live, [T]);
      assert.deepEqual((await store.deliveries.list(mine, {}, PAGE)).rows, all.toReversed());
      assert.deepEqual(await listed(store, live, {}), [other]);
      assert.deepEqual(await store.deliveries.list(theirs, {}, PAGE), { rows: [], hasMore: false });
    });

    it('has filters, which combine', async ({ store, mine }) => {
      const all = await filled(store, mine);
      const [first] = all as [Delivery];
      const filters: DeliveryFilter[] = [
        { receiver: HOST },
        { receiver: TO_ENDPOINT },
        { receiver: ELSEWHERE },
        { subject: first.subject },
        { subject: 'chk_unknown' },
        { event: first.event },
        { event: 'evt_unknown' },
        { state: 'pending' },
        { state: 'delivered' },
        { state: 'failed' },
        { createdFrom: T + 1000 },
        { createdFrom: T + 1001 },
        { createdBefore: T + 1000 },
        { createdBefore: T },
        { createdFrom: T, createdBefore: T + 1 },
      ];
      const holds = (filter: DeliveryFilter) => (each: Delivery) =>
        each.receiver === (filter.receiver ?? each.receiver) &&
        each.subject === (filter.subject ?? each.subject) &&
        each.event === (filter.event ?? each.event) &&
        each.state === (filter.state ?? each.state) &&
        each.createdAt >= (filter.createdFrom ?? 0) &&
        each.createdAt < (filter.createdBefore ?? Number.POSITIVE_INFINITY);
      for (const one of filters) {
        for (const other of filters) {
          const filter = { ...one, ...other };
          const expected = inOrder(all.filter(holds(filter)).toReversed());
          assert.deepEqual(await listed(store, mine, filter), expected, JSON.stringify(filter));
        }
      }
    });

    for (const filter of [{}, { receiver: HOST }, { state: 'pending' }, { createdBefore: T + 9 }] as const) {
      it(`is paged in both directions: ${JSON.stringify(filter)}`, async ({ store, mine }) => {
        const all = (await apart(store, mine, [T, T + 1, T + 2, T + 3, T + 4])).toReversed();
        const [a, b, c, d, e] = all;
        const page = async (request: PageRequest) => {
          const { rows, hasMore } = await store.deliveries.list(mine, filter, request);
          return [inOrder(rows), hasMore];
        };
        assert.deepEqual(await page({ limit: 2 }), [[a, b], true]);
        assert.deepEqual(await page({ limit: 2, after: b as string }), [[c, d], true]);
        assert.deepEqual(await page({ limit: 2, after: d as string }), [[e], false]);
        assert.deepEqual(await page({ limit: 2, before: e as string }), [[c, d], true]);
        assert.deepEqual(await page({ limit: 2, before: c as string }), [[a, b], false]);
        assert.deepEqual(await page({ limit: 5 }), [all, false]);
      });
    }

    it('is paged within the deliveries of one session', async ({ store, mine }) => {
      const { session, ids: all } = await tell(store, mine, 3, { receivers: [HOST, ELSEWHERE] });
      await apart(store, mine, [T]);
      const newest = all.toReversed();
      const filter = { subject: session.id };
      assert.deepEqual(await listed(store, mine, filter, { limit: 4 }), newest.slice(0, 4));
      const page = { limit: 4, after: newest[3] as string };
      assert.deepEqual(await listed(store, mine, filter, page), newest.slice(4));
    });

    it('shows nothing of a session or event to other accounts and modes', async (given) => {
      const { store, mine, live, theirs } = given;
      const [first] = (await filled(store, mine)) as [Delivery];
      for (const tenant of [live, theirs]) {
        for (const filter of [{ subject: first.subject }, { event: first.event }, { receiver: HOST }]) {
          assert.deepEqual(await listed(store, tenant, filter), []);
        }
      }
    });
  });
}
