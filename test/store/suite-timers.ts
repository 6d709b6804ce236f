import assert from 'node:assert/strict';
import { suite } from 'node:test';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { sameTenant, type Tenant } from '../../src/checkout/tenant.ts';
import type { DueCheckout } from '../../src/store/resources/work.ts';
import type { Store } from '../../src/store/store.ts';
import type { Claim } from '../../src/webhooks/delivery.ts';
import { add, attempt, bankEntry, change, type Open, providerEvent, session, T, write } from './build.ts';
import { apart, claimAt, HOUR, ids, inOrder, LEASE } from './deliveries.ts';
import { onSharedStore } from './each.ts';

export function timerSuite(open: Open): void {
  const it = onSharedStore(open);

  /** Adds a session that ends at each of these times. */
  async function ending(store: Store, tenant: Tenant, expiresAt: readonly number[]): Promise<CheckoutId[]> {
    const all: CheckoutId[] = [];
    for (const at of expiresAt) all.push((await add(store, session(tenant, { expiresAt: at }))).id);
    return all;
  }

  /** Adds a provider event that is due at each of these times. */
  async function events(store: Store, tenant: Tenant, dueAt: readonly number[]): Promise<void> {
    for (const at of dueAt) {
      await write(store, tenant, { providerEvent: providerEvent(`due ${at}`, { dueAt: at }) });
    }
  }

  /** Adds a bank entry that is due at each of these times. */
  async function entries(store: Store, tenant: Tenant, dueAt: readonly number[]): Promise<void> {
    for (const at of dueAt) await write(store, tenant, { bankEntry: bankEntry(`due ${at}`, { dueAt: at }) });
  }

  suite('sessions that are due', () => {
    it('are those whose time has come, until they change', async ({ store, reopen, mine }) => {
      const later = await add(store, session(mine, { expiresAt: T + 20 }));
      const soon = await add(store, session(mine, { expiresAt: T + 10 }));
      const asked = await add(
        store,
        session(mine, { attempts: [attempt('r', { status: 'processing', syncAt: T + 15 })] }),
      );
      await add(store, session(mine));
      const again = await reopen();
      const due = async (now: number) => ids(await again.work.listDueCheckouts(mine, now, 10));
      assert.deepEqual(await due(T + 9), []);
      assert.deepEqual(await again.work.listDueCheckouts(mine, T + 10, 10), [{ id: soon.id, dueAt: T + 10 }]);
      assert.deepEqual(await due(T + 15), ids([soon, asked]));
      assert.deepEqual(await due(T + 20), ids([soon, asked, later]));
      await change(again, soon, { lifecycle: { state: 'expired', at: T + 10, by: 'time' } });
      assert.deepEqual(await due(T + 20), ids([asked, later]));
    });

    it('come the longest due first, as many as asked for', async ({ store, mine }) => {
      const [third, first, fourth, second] = await ending(store, mine, [T + 30, T + 10, T + 40, T + 20]);
      assert.deepEqual(inOrder(await store.work.listDueCheckouts(mine, T + HOUR, 10)), [
        first,
        second,
        third,
        fourth,
      ]);
      assert.deepEqual(inOrder(await store.work.listDueCheckouts(mine, T + HOUR, 2)), [first, second]);
      assert.deepEqual(inOrder(await store.work.listDueCheckouts(mine, T + HOUR, 1)), [first]);
    });

    it('are those of the account and mode', async ({ store, mine, live, theirs }) => {
      const made = new Map<Tenant, string[]>();
      for (const tenant of [mine, live, theirs]) made.set(tenant, await ending(store, tenant, [T]));
      for (const [tenant, all] of made) {
        assert.deepEqual(ids(await store.work.listDueCheckouts(tenant, T, 10)), all);
        assert.deepEqual(ids(await store.work.claimCheckouts(tenant, claimAt(T))), all);
      }
      const nowhere: Tenant = { account: 999_999, mode: 'test' };
      assert.deepEqual(await store.work.listDueCheckouts(nowhere, T, 10), []);
      assert.deepEqual(await store.work.claimCheckouts(nowhere, claimAt(T)), []);
    });
  });

  suite('sessions that are claimed', () => {
    const claim = (store: Store, tenant: Tenant, now: number, given: Partial<Claim> = {}) =>
      store.work.claimCheckouts(tenant, claimAt(now, given));
    const byTime = (rows: readonly DueCheckout[]) => rows.toSorted((a, b) => a.dueAt - b.dueAt);

    it('are those that are due, the longest due before others', async ({ store, mine }) => {
      const [third, first, fourth, second] = await ending(store, mine, [T + 30, T + 10, T + 40, T + 20]);
      assert.deepEqual(await claim(store, mine, T + 9), []);
      assert.deepEqual(await claim(store, mine, T + 39, { limit: 1 }), [{ id: first, dueAt: T + 10 }]);
      assert.deepEqual(byTime(await claim(store, mine, T + 39)), [
        { id: second, dueAt: T + 20 },
        { id: third, dueAt: T + 30 },
      ]);
      assert.deepEqual(inOrder(await claim(store, mine, T + 40)), [fourth]);
    });

    it('are nobody else’s meanwhile, and yet due', async ({ store, mine }) => {
      const all = await ending(store, mine, [T, T, T]);
      const first = await claim(store, mine, T, { limit: 2 });
      assert.equal(first.length, 2);
      const second = await claim(store, mine, T, { limit: 2 });
      assert.deepEqual(ids([...first, ...second]), all.toSorted());
      assert.deepEqual(await claim(store, mine, T + LEASE - 1), []);
      assert.deepEqual(ids(await store.work.listDueCheckouts(mine, T, 10)), all.toSorted());
    });

    it('can be claimed anew when the lease is over', async ({ store, mine }) => {
      const all = await ending(store, mine, [T, T]);
      await claim(store, mine, T);
      assert.deepEqual(ids(await claim(store, mine, T + LEASE)), all.toSorted());
      assert.deepEqual(await claim(store, mine, T + 2 * LEASE - 1), []);
    });

    it('are leased in real time, whatever the clock of their account and mode', async ({ store, mine }) => {
      const all = await ending(store, mine, [T + HOUR]);
      const ahead = T + 99 * HOUR;
      assert.deepEqual(await claim(store, mine, T, { realNow: ahead }), []);
      assert.deepEqual(ids(await claim(store, mine, T + HOUR, { realNow: T })), all);
      assert.deepEqual(await claim(store, mine, ahead, { realNow: T + LEASE - 1 }), []);
      assert.deepEqual(ids(await claim(store, mine, T + HOUR, { realNow: T + LEASE })), all);
    });

    it('can be given back', async ({ store, mine }) => {
      const [a, b] = (await ending(store, mine, [T, T])) as [CheckoutId, CheckoutId];
      await claim(store, mine, T);
      await store.work.releaseCheckouts(mine, [a]);
      assert.deepEqual(inOrder(await claim(store, mine, T)), [a]);
      await store.work.releaseCheckouts(mine, [a, b, 'chk_unknown']);
      assert.deepEqual(ids(await claim(store, mine, T)), [a, b].sort());
      await store.work.releaseCheckouts(mine, []);
      assert.deepEqual(await claim(store, mine, T), []);
    });

    it('are free as soon as they are due at another time', async ({ store, mine }) => {
      const one = await add(store, session(mine, { expiresAt: T }));
      await claim(store, mine, T);
      await change(store, one, { expiresAt: T + 10 });
      assert.deepEqual(await claim(store, mine, T + 9), []);
      assert.deepEqual(await claim(store, mine, T + 10), [{ id: one.id, dueAt: T + 10 }]);
    });
  });

  suite('tenants with due work', () => {
    for (const [kind, make] of [
      ['checkouts', ending],
      ['deliveries', apart],
      ['providerEvents', events],
      ['bankEntries', entries],
    ] as const) {
      it(`are all found, by what their clocks show: ${kind}`, async ({ store, mine, live, theirs }) => {
        const tenantsAt = async (realNow: number) => {
          const due = (await store.work.listTenants(realNow))[kind];
          return [mine, live, theirs].map((each) => due.some((found) => sameTenant(found, each)));
        };
        assert.deepEqual(await tenantsAt(T + HOUR), [false, false, false]);
        await make(store, live, [T]);
        await make(store, mine, [T + HOUR]);
        await make(store, theirs, [T + 5]);
        assert.deepEqual(await tenantsAt(T - 1), [false, false, false]);
        assert.deepEqual(await tenantsAt(T), [false, true, false]);
        assert.deepEqual(await tenantsAt(T + 5), [false, true, true]);
        await write(store, mine, { clockMove: { at: T, advanceMs: HOUR } });
        await write(store, theirs, { clockMove: { at: T, advanceMs: 5 } });
        assert.deepEqual(await tenantsAt(T), [true, true, true]);
        // The clock of the machine may be set.
        assert.deepEqual(await tenantsAt(T - 1), [false, false, false]);
      });
    }
  });
}
