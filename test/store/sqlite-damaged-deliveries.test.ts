/** Deliveries on SQLite whose event is not what was written: they wait, and those behind them do not. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import type { DamagedDelivery, DeliveryId } from '../../src/webhooks/delivery.ts';
import { freshDirectory } from '../support/process.ts';
import { T, tenants } from './build.ts';
import { apart, claim, HOST, HOUR, health, ids, LEASE, setHealth } from './deliveries.ts';

const MINUTE = 60_000;
/** Statements that damage an event, and what that is called. */
const damages = {
  'a body that was changed': `UPDATE event SET body = replace(body, '{', '{ ') WHERE id = ?`,
  'a number beyond what is written': 'UPDATE event SET created_at = 9007199254740993 WHERE id = ?',
  'no event at all': 'DELETE FROM event WHERE id = ?',
};

/** Deliveries of sessions of their own to one receiver, the events of which some are damaged. */
async function prepared(
  t: TestContext,
  { damage, isDamaged }: { damage: string; isDamaged: readonly boolean[] },
): Promise<{ store: Store; mine: Tenant; all: DeliveryId[] }> {
  const path = join(freshDirectory(t), 'test.db');
  const store = openSqliteStore(path);
  t.after(() => store.close());
  const { mine } = await tenants(store);
  const all = await apart(
    store,
    mine,
    isDamaged.map((_, n) => T + n),
  );
  using database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  const events = database.prepare('SELECT event FROM delivery WHERE id = ?');
  const change = database.prepare(damage);
  for (const [n, id] of all.entries()) if (isDamaged[n]) change.run(`${events.get(id)?.event}`);
  return { store, mine, all };
}

suite('a delivery whose event is damaged', () => {
  for (const [what, damage] of Object.entries(damages)) {
    test(`keeps no place from those behind it: ${what}`, async (t) => {
      const { store, mine, all } = await prepared(t, { damage, isDamaged: [true, true, false, false] });
      const told: DeliveryId[] = [];
      const given = { room: () => 1, onDamaged: ({ id }: DamagedDelivery) => told.push(id) };
      assert.deepEqual(ids(await claim(store, mine, T + HOUR, given)), [all[2]]);
      assert.deepEqual(ids(await claim(store, mine, T + HOUR + 1, given)), [all[3]]);
      assert.deepEqual(told, all.slice(0, 2));
    });
  }

  test('is looked at, and told of, once in a while', async (t) => {
    const { store, mine, all } = await prepared(t, { damage: damages['no event at all'], isDamaged: [true] });
    const told: DeliveryId[] = [];
    const look = (at: number) => claim(store, mine, at, { onDamaged: ({ id }) => told.push(id) });
    for (let at = T; at < T + 10 * MINUTE; at += MINUTE) assert.deepEqual(await look(at), []);
    assert.deepEqual(told, all);
    await look(T + 10 * MINUTE);
    assert.deepEqual(told, [...all, ...all]);
  });

  test('keeps no probe from a suspended receiver', async (t) => {
    const given = { damage: damages['no event at all'], isDamaged: [false, true, true] };
    const { store, mine, all } = await prepared(t, given);
    await setHealth(store, mine, HOST, health({ probeAt: T + 100 }));
    // The probe would be the delivery that came last.
    assert.deepEqual(ids(await claim(store, mine, T + 100)), all.slice(0, 1));
    assert.deepEqual(await claim(store, mine, T + 101), []);
    assert.deepEqual(ids(await claim(store, mine, T + 100 + LEASE)), all.slice(0, 1));
  });
});
