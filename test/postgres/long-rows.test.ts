/** Pages of rows as long as they may be: PostgreSQL sends no more of them than a page may have. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Customer } from '../../src/checkout/customer.ts';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { eventBody } from '../../src/events/envelope.ts';
import { outlined } from '../../src/events/outline.ts';
import { newId } from '../../src/lib/id.ts';
import type { PageRequest } from '../../src/store/page.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { customer, eventOf, refund, session, T, tenants, write } from '../store/build.ts';
import { freshPostgres } from '../support/database-postgres.ts';
import { metered } from '../support/postgres-proxy.ts';

const LONG = 'ü'.repeat(60_000);
const ROWS = 24;
const MEGABYTE = 2 ** 20;
/** A page may have a row more than fits, and what stands beside the long texts. */
const PAGE = 1.3 * MEGABYTE;
const serializer = createSerializer('https://pay.example.com');
const form = { ...serializer, hundredths: false };

suite('of long rows PostgreSQL sends no more than a page has', async () => {
  const database = await freshPostgres();
  after(database.remove);
  const { url, bytes, longest } = await metered({ after }, database.url);
  const store = await openPostgresStore(database.url);
  after(() => store.close());
  const { mine } = await tenants(store);
  const ids: CheckoutId[] = [];
  const refunds: string[] = [];
  for (let row = 0; row < ROWS; row++) {
    const createdAt = T + row;
    const back = refund({ createdAt });
    const checkout = session(mine, { createdAt, description: LONG, refunds: [back] });
    ids.unshift(checkout.id);
    refunds.unshift(back.id);
    await write(store, mine, { checkout: { before: null, after: checkout } });
  }

  /** A store that has nothing in memory, and the bytes that a question to it has cost. */
  async function asked<T>(ask: (fresh: typeof store) => Promise<T>): Promise<{ found: T; cost: number }> {
    const fresh = await openPostgresStore(url);
    try {
      const before = bytes();
      const found = await ask(fresh);
      return { found, cost: bytes() - before };
    } finally {
      await fresh.close();
    }
  }

  /** All pages one way, of ids; each is bounded, and has more than one row. */
  async function pagesOf(
    list: (fresh: typeof store, page: PageRequest) => Promise<{ ids: readonly string[]; hasMore: boolean }>,
    start: Omit<PageRequest, 'limit'> = {},
  ): Promise<{ seen: string[]; pages: number }> {
    const seen: string[] = [];
    const isBackwards = start.before !== undefined;
    for (let [page, pages]: [PageRequest, number] = [{ limit: 100, ...start }, 1]; ; pages++) {
      const { found, cost } = await asked((fresh) => list(fresh, page));
      assert.ok(cost < PAGE, `${cost} bytes`);
      assert.ok(found.ids.length > 1 || !found.hasMore);
      if (isBackwards) seen.unshift(...found.ids);
      else seen.push(...found.ids);
      if (!found.hasMore) return { seen, pages };
      const edge = (isBackwards ? found.ids[0] : found.ids.at(-1)) ?? '';
      page = { limit: 100, [isBackwards ? 'before' : 'after']: edge };
    }
  }

  test('of sessions, in both directions', async () => {
    const list = (fresh: typeof store, page: PageRequest) =>
      fresh.checkouts.listSerialized(mine, {}, page, form);
    assert.deepEqual(await pagesOf(list), { seen: ids, pages: 3 });
    assert.deepEqual(await pagesOf(list, { before: ids.at(-1) ?? '' }), { seen: ids.slice(0, -1), pages: 3 });
  });

  test('of refunds, which are shown out of their sessions, in both directions', async () => {
    const list = async (fresh: typeof store, page: PageRequest) => {
      const { rows, hasMore } = await fresh.refunds.list(mine, {}, page);
      return { ids: rows.map(({ id }) => id), hasMore };
    };
    assert.deepEqual(await pagesOf(list), { seen: refunds, pages: 3 });
    const start = { before: refunds.at(-1) ?? '' };
    assert.deepEqual(await pagesOf(list, start), { seen: refunds.slice(0, -1), pages: 3 });
  });

  test('of customers, in both directions', async () => {
    const made: Customer[] = [];
    for (let row = 0; row < ROWS; row++) {
      const of = customer(mine, {
        createdAt: T + row,
        email: `${row}@example.com`,
        metadata: { note: LONG },
      });
      made.unshift(of);
      await write(store, mine, { customer: of });
    }
    const expected = made.map(({ id }) => id);
    const list = async (fresh: typeof store, page: PageRequest) => {
      const { rows, hasMore } = await fresh.customers.list(mine, {}, page);
      return { ids: rows.map(({ id }) => id), hasMore };
    };
    const { seen, pages } = await pagesOf(list);
    assert.deepEqual(seen, expected);
    assert.ok(pages > 1 && pages < 5, `${pages}`);
    const back = await pagesOf(list, { before: expected.at(-1) ?? '' });
    assert.deepEqual(back.seen, expected.slice(0, -1));
  });

  test('of the history of a session, and of a session nothing but its outline', async () => {
    const before = session(mine, { createdAt: T + ROWS, eventCount: 0 });
    await write(store, mine, { checkout: { before: null, after: before } });
    const data = JSON.stringify({
      id: before.id,
      description: LONG,
      metadata: { a: ',"version":9,"sequence":9}' },
    });
    const events = Array.from({ length: ROWS }, (_, index) => {
      const id = newId('evt', T + index);
      const body = eventBody('checkout.updated', id, T, data, 1, index + 1);
      return { ...eventOf(before), id, sequence: index + 1, body };
    });
    await write(store, mine, { events });
    const { found, cost } = await asked((fresh) => fresh.events.timeline(mine, before.id, null, 100));
    assert.ok(cost < 30_000, `${cost} bytes`);
    assert.deepEqual([...found.rows].reverse(), events.map(outlined));
    assert.equal(found.hasMore, false);
  });

  test('at once, for sessions that are asked for one by one in the same moment', async () => {
    const { found, cost } = await asked(async (fresh) => {
      const all = await Promise.all(ids.map((id) => fresh.checkouts.fetch(mine, id)));
      return all.map((each) => each?.id);
    });
    assert.deepEqual(found, ids);
    assert.ok(cost > 2 * MEGABYTE, `${cost} bytes`);
    assert.ok(longest() < PAGE, `${longest()} bytes in one answer`);
  });
});
