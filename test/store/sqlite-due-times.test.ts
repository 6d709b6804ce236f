/** Due times in memory: tenants are asked once, and again behind each change of their own. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { sameTenant, type Tenant } from '../../src/checkout/tenant.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { directory } from '../../src/store/sqlite/directory.ts';
import { dueTimes } from '../../src/store/sqlite/due-times.ts';
import { runner } from '../../src/store/sqlite/run.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store, Unit } from '../../src/store/store.ts';
import { freshDirectory } from '../support/process.ts';
import { add, change, customer, session, T, tenants, write } from './build.ts';

const nothing = { checkouts: [], deliveries: [], providerEvents: [], bankEntries: [] };

async function setUp(t: TestContext) {
  const path = join(freshDirectory(t), 'test.db');
  let open: Store | null = openSqliteStore(path, { serve: true });
  const close = async () => {
    await open?.close();
    open = null;
  };
  t.after(close);
  return {
    path,
    store: open,
    close,
    async reopen(): Promise<Store> {
      await close();
      open = openSqliteStore(path, { serve: true });
      return open;
    },
    ...(await tenants(open)),
  };
}

suite('tenants with something due', () => {
  const isDue = async (store: Store, tenant: Tenant) =>
    (await store.work.listTenants(T)).checkouts.some((found) => sameTenant(found, tenant));

  test('are no others', async (t) => {
    const { store, mine, live } = await setUp(t);
    await add(store, session(mine, { expiresAt: T + 1 }));
    const { id } = await add(store, session(live, { expiresAt: T }));
    assert.deepEqual(await store.work.listTenants(T), { ...nothing, checkouts: [live] });
    const before = await store.checkouts.fetch(live, id);
    assert.ok(before);
    await change(store, before, { lifecycle: { state: 'expired', at: T, by: 'time' } });
    assert.deepEqual(await store.work.listTenants(T), nothing);
  });

  test('are found behind a restart', async (t) => {
    const { store, reopen, mine } = await setUp(t);
    await add(store, session(mine, { expiresAt: T }));
    assert.ok(await isDue(await reopen(), mine));
  });

  test('are found where the change of another in the same commit is not', async (t) => {
    const { store, mine, theirs } = await setUp(t);
    assert.deepEqual(await store.work.listTenants(T), nothing);
    const unit = (tenant: Tenant): Unit => ({
      needs: { tenant },
      decide: () => [{ checkout: { before: null, after: session(tenant, { expiresAt: T }) } }],
    });
    await store.commit([unit(theirs), unit(mine)]);
    assert.deepEqual(await store.work.listTenants(T), { ...nothing, checkouts: [theirs, mine] });
  });

  test('are none by a commit that came to nothing', async (t) => {
    const { store, mine } = await setUp(t);
    const failure = new Error('no');
    const failing = store.commit([
      {
        needs: { tenant: mine },
        decide: () => [{ checkout: { before: null, after: session(mine, { expiresAt: T }) } }],
      },
      {
        needs: { tenant: mine },
        decide: () => {
          throw failure;
        },
      },
    ]);
    await assert.rejects(failing, failure);
    assert.equal(await isDue(store, mine), false);
  });

  test('are found as before when somebody is erased', async (t) => {
    const { store, mine } = await setUp(t);
    const known = customer(mine);
    await write(store, mine, { customer: known });
    const payer = { ...session(mine).payer, customer: known.id, name: 'Ada' };
    await add(store, session(mine, { expiresAt: T, payer }));
    await write(store, mine, { erasedCustomer: known });
    assert.ok(await isDue(store, mine));
  });
});

test('nobody is asked again of whom nothing was written', async (t) => {
  const { path, store, close, mine, live, theirs } = await setUp(t);
  await add(store, session(mine, { expiresAt: T + 1 }));
  await add(store, session(live, { expiresAt: T + 2 }));
  await close();
  const database = openDatabase(path);
  t.after(() => database.close());
  const { read, ...others } = runner(database);
  let asked = 0;
  const due = dueTimes(
    {
      read(one) {
        asked++;
        return read(one);
      },
    },
    directory(database, { read, ...others }),
  );
  assert.deepEqual(due.look(T), nothing);
  // Two accounts with two modes.
  assert.equal(asked, 4);
  assert.deepEqual(due.look(T + 1), { ...nothing, checkouts: [mine] });
  assert.deepEqual(due.look(T + 2), { ...nothing, checkouts: [live, mine] });
  assert.equal(asked, 4);
  due.forget(theirs);
  due.forget(mine);
  due.forget(mine);
  due.look(T);
  assert.equal(asked, 6);
});

suite('where due times cannot be read', () => {
  test('whoever works there is told so, and others have theirs done', async (t) => {
    const { path, store, reopen, mine, live } = await setUp(t);
    await add(store, session(live, { expiresAt: T }));
    await add(store, session(mine, { expiresAt: T + 1 }));
    const again = await reopen();
    // A number that is too large, as a flipped bit makes it: the least of all, so that it is met.
    using database = new DatabaseSync(path);
    const { account } = mine;
    database.exec(
      `UPDATE checkout SET due_at = -9100000000000000000 WHERE account = ${account} AND live = 0`,
    );
    for (let looks = 0; looks < 2; looks++) {
      const due = await again.work.listTenants(T);
      assert.deepEqual(due, {
        checkouts: [mine, live],
        deliveries: [mine],
        providerEvents: [mine],
        bankEntries: [mine],
      });
    }
    database.exec(`UPDATE checkout SET due_at = ${T + 1} WHERE account = ${account} AND live = 0`);
    assert.deepEqual(await again.work.listTenants(T), { ...nothing, checkouts: [live] });
  });
});
