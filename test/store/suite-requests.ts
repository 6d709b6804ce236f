/** The log of requests: entries of each tenant apart, in pages, by filters, and those that go in time. */
import assert from 'node:assert/strict';
import { suite } from 'node:test';
import { MOST_REQUESTS, type RequestEntry } from '../../src/accounts/request-log.ts';
import { sameTenant, type Tenant } from '../../src/checkout/tenant.ts';
import { newId } from '../../src/lib/id.ts';
import type { PageRequest } from '../../src/store/page.ts';
import type { RequestFilter, Store } from '../../src/store/store.ts';
import { type Open, T, write } from './build.ts';
import { onFreshStores } from './each.ts';

const HOUR = 3_600_000;

const entry = (at: number, other: Partial<RequestEntry> = {}): RequestEntry => ({
  id: newId('rql', at),
  at,
  requestId: `req_${at}`,
  actor: 'ak_test_1',
  method: 'PUT',
  path: '/v3/checkout/{id}',
  operation: 'CHECKOUT.UPDATE',
  subject: null,
  status: 200,
  errors: [],
  durationMs: 3,
  idempotency: 'none',
  leftOut: 0,
  ...other,
});

async function add(store: Store, tenant: Tenant, entries: readonly RequestEntry[]): Promise<void> {
  for (let at = 0; at < entries.length; at += 1000)
    await store.requestLog.add(entries.slice(at, at + 1000).map((each) => ({ tenant, entry: each })));
}

const idsOf = async (store: Store, tenant: Tenant, filter: RequestFilter = {}, page?: PageRequest) =>
  (await store.requestLog.list(tenant, filter, page ?? { limit: 100 })).rows.map(({ id }) => id);

export function requestSuite(open: Open): void {
  const it = onFreshStores(open);

  suite('the log of requests', () => {
    it('has what was written, in pages, without the entries of others', async ({
      store,
      live,
      mine,
      theirs,
    }) => {
      const entries = Array.from({ length: 20 }, (_, index) =>
        entry(T + index, {
          subject: index % 2 === 0 ? `chk_${index}` : null,
          errors: index === 3 ? [{ code: 15502, reason: 'field_invalid', field: '/items/0/name' }] : [],
          idempotency: index === 4 ? 'replayed' : 'key',
          leftOut: index,
        }),
      );
      for (const other of [live, theirs]) await add(store, other, [entry(T), entry(T + 19)]);
      await add(store, mine, entries);
      const { rows, hasMore } = await store.requestLog.list(mine, {}, { limit: 20 });
      assert.deepEqual([rows, hasMore], [entries.toReversed(), false]);
      const ids = rows.map(({ id }) => id);
      const list = async (page: PageRequest) => {
        const found = await store.requestLog.list(mine, {}, page);
        return [found.rows.map(({ id }) => id), found.hasMore];
      };
      for (const place of [0, 1, 9, 18, 19]) {
        const id = ids[place] ?? '';
        assert.deepEqual(await list({ limit: 3, after: id }), [
          ids.slice(place + 1, place + 4),
          19 - place > 3,
        ]);
        assert.deepEqual(await list({ limit: 3, before: id }), [
          ids.slice(Math.max(0, place - 3), place),
          place > 3,
        ]);
      }
    });

    it('is written as a whole or not at all', async ({ store, mine }) => {
      const [first, second] = [entry(T), entry(T + 1)];
      await add(store, mine, [first]);
      await assert.rejects(add(store, mine, [second, first]));
      assert.deepEqual(await idsOf(store, mine), [first.id]);
      await store.requestLog.add([]);
    });

    it('takes entries of several tenants where a batch may have several', async ({ store, live, mine }) => {
      const [one, other] = [entry(T), entry(T)];
      const both = store.requestLog.add([
        { tenant: live, entry: one },
        { tenant: mine, entry: other },
      ]);
      if (store.batching.mixed) await both;
      else await assert.rejects(both, /of one tenant/);
      const found = [await idsOf(store, live), await idsOf(store, mine)];
      assert.deepEqual(found, store.batching.mixed ? [[one.id], [other.id]] : [[], []]);
    });

    it('is filtered by each of what is asked for, and by all of it', async ({ store, mine }) => {
      const wanted = {
        requestId: 'own',
        actor: 'usr_1',
        operation: 'REFUND.CREATE',
        subject: 'rfd_1',
        status: 409,
      };
      const one = entry(T + 50, wanted);
      await add(store, mine, [entry(T), one, entry(T + 100, { status: 500 })]);
      const filters: RequestFilter[] = [
        { requestId: 'own' },
        { actor: 'usr_1' },
        { operation: 'REFUND.CREATE' },
        { subject: 'rfd_1' },
        { status: [409, 409] },
        { status: [400, 499] },
        { createdFrom: T + 50, createdBefore: T + 51 },
      ];
      for (const filter of [...filters, Object.assign({}, ...filters)])
        assert.deepEqual(await idsOf(store, mine, filter), [one.id], JSON.stringify(filter));
      for (const filter of [{ requestId: 'ow' }, { status: [410, 499] }, { createdFrom: T + 101 }] as const)
        assert.deepEqual(await idsOf(store, mine, filter), [], JSON.stringify(filter));
      assert.deepEqual(await idsOf(store, mine, { status: [400, 500] }, { limit: 1, after: one.id }), []);
    });

    it('goes in time: what is older, of this tenant alone', async ({ store, mine, theirs }) => {
      const old = Array.from({ length: 1100 }, (_, index) => entry(T - HOUR + index));
      const young = entry(T);
      await add(store, mine, [...old, young]);
      await add(store, theirs, [entry(T - 1)]);
      const has = async (tenant: Tenant, before: number) =>
        (await store.requestLog.listTenants(before)).some((each) => sameTenant(each, tenant));
      assert.deepEqual(
        [await has(mine, T), await has(theirs, T), await has(theirs, T - 1)],
        [true, true, false],
      );
      const removed: number[] = [];
      for (let count = -1; count !== 0; removed.push(count)) count = await store.requestLog.trim(mine, T);
      assert.deepEqual(removed, [500, 500, 100, 0]);
      assert.deepEqual(await idsOf(store, mine), [young.id]);
      assert.equal((await idsOf(store, theirs)).length, 1);
      assert.deepEqual([await has(mine, T), await has(theirs, T)], [false, true]);
    });

    it('knows real time alone: a test clock that is ahead makes nothing older', async ({ store, mine }) => {
      await write(store, mine, { clockMove: { at: T, advanceMs: 900 * 24 * HOUR } });
      await add(store, mine, [entry(T)]);
      assert.deepEqual(await store.requestLog.listTenants(T), []);
      assert.equal((await store.requestLog.listTenants(T + 1)).length, 1);
    });

    it('keeps the newest of too many', async ({ store, mine }) => {
      const entries = Array.from({ length: MOST_REQUESTS + 2 }, (_, index) => entry(T + index));
      await add(store, mine, entries);
      assert.equal(await store.requestLog.trim(mine, T), 2);
      assert.equal(await store.requestLog.trim(mine, T), 0);
      const oldest = await idsOf(store, mine, {}, { limit: 1, before: 'rql_' });
      assert.deepEqual(oldest, [entries[2]?.id]);
    });

    it('is still there when the store is opened again', async ({ store, reopen, mine }) => {
      const one = entry(T, { errors: [{ code: 105, reason: 'not_found', field: '' }] });
      await add(store, mine, [one]);
      const again = await reopen();
      assert.deepEqual((await again.requestLog.list(mine, {}, { limit: 2 })).rows, [one]);
    });
  });
}
