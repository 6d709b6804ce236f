/** Pages of sessions as JSON: the short ones made at once, and others in a thread. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { createSerializer } from '../../src/checkout/serializer.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { add, changed, eventOf, session, T, tenants, write } from '../store/build.ts';
import { freshPostgres } from '../support/database-postgres.ts';

const SESSIONS = 60;
const serializer = createSerializer('https://pay.example');

suite('a page of sessions as JSON', async () => {
  const { url, query, remove } = await freshPostgres();
  after(remove);
  const store = await openPostgresStore(url, { serve: true });
  after(() => store.close());
  const { mine } = await tenants(store);
  for (let n = 0; n < SESSIONS; n++) {
    await add(store, session(mine, { createdAt: T + n, description: `${n} `.padEnd(500, 'ü') }));
  }

  /** Sessions of a page, and how many of them the thread that answers has serialized. */
  async function listed(page: { limit: number; before?: string }, hundredths = false) {
    let here = 0;
    const checkout = (session: Checkout) => {
      here++;
      return serializer.checkout(session);
    };
    const form = { checkout, checkoutUrl: serializer.checkoutUrl, hundredths };
    const { ids, json, hasMore } = await store.checkouts.listSerialized(mine, {}, page, form);
    return { ids, json: `${Buffer.from(json)}`, hasMore, here };
  }

  /** The same as it is made at once. */
  async function expected(page: { limit: number; before?: string }) {
    const { rows, hasMore } = await store.checkouts.list(mine, {}, page);
    return { ids: rows.map(({ id }) => id), json: rows.map(serializer.checkout).join(), hasMore };
  }

  test('is the page, whoever makes it, as often as it is asked for', async () => {
    for (const [page, atOnce] of [
      [{ limit: 5 }, 5],
      [{ limit: 55 }, 0],
      [{ limit: 55, before: 'chk_' }, 0],
    ] as const) {
      for (let again = 0; again < 3; again++) {
        assert.deepEqual(await listed(page), { ...(await expected(page)), here: atOnce });
      }
    }
    const { json } = await listed({ limit: 55 }, true);
    assert.equal(JSON.parse(`[${json}]`).length, 55);
  });

  test('has a session as it is now', async () => {
    const page = { limit: SESSIONS };
    await listed(page);
    await listed(page);
    const [before] = (await store.checkouts.list(mine, {}, page)).rows;
    assert.ok(before);
    const renamed = changed(before, { description: 'later' });
    await write(store, mine, { checkout: { before, after: renamed }, events: [eventOf(renamed)] });
    assert.deepEqual(await listed(page), { ...(await expected(page)), here: 0 });
    // As another server has it that took the place of this one.
    await query(`UPDATE checkout SET data = replace(data, '"later"', '"other"')`);
    assert.match((await listed(page)).json, /"other"/);
  });

  test('of a session whose data is damaged is refused, and others are not', async () => {
    await query(`UPDATE checkout SET data = 'no JSON' WHERE id = (SELECT min(id) FROM checkout)`);
    await assert.rejects(
      listed({ limit: SESSIONS }),
      /^Error: the data of the session chk_\w+ is damaged: .*JSON/,
    );
    assert.equal((await listed({ limit: SESSIONS - 1 })).ids.length, SESSIONS - 1);
  });
});
