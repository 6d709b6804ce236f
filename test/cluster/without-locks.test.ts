/**
 * Locks only save tries: with locks that lock nothing, two processes at the same rows still lose no change and make
 * nothing twice. Each write names what it has seen, or meets a unique key.
 */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import type { BankEntry } from '../../src/banking/entry.ts';
import type { Customer } from '../../src/checkout/customer.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { createRounds } from '../../src/lib/rounds.ts';
import type { ProviderEvent } from '../../src/methods/provider-event.ts';
import type { Sql } from '../../src/store/postgres/connection.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import type { Loaded, Needs, Store, Writes } from '../../src/store/store.ts';
import type { Endpoint } from '../../src/webhooks/endpoint.ts';
import type { Health } from '../../src/webhooks/health.ts';
import { createWaking } from '../../src/worker/stranded.ts';
import { createWriter } from '../../src/writer/writer.ts';
import {
  add,
  bankEntry,
  changed,
  customer,
  eventOf,
  providerEvent,
  session,
  T,
  tenants,
  write,
} from '../store/build.ts';
import { claim, claimAt, endpoint, finish, inOrder, result, tell, telling } from '../store/deliveries.ts';
import { makeCatalog } from '../support/citus-catalog.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { withoutLocks } from '../support/postgres-proxy.ts';
import { scaled } from '../support/scale.ts';
import { openTables } from './cluster.ts';

const PROCESSES = 2;
/** Of so many changes the history of a session is still one page. */
const EACH = Math.min(scaled(10), 45);

async function start(t: TestContext) {
  const url = await migratedDatabase(t);
  // Locks are lost where shards move.
  const sql = openTables(t, url);
  await makeCatalog(sql, [{ port: 1, accounts: [0, 2_000_000_000] }]);
  const unlocked = await withoutLocks(t, url);
  const stores: Store[] = [];
  for (let count = 0; count < PROCESSES; count++) {
    const store = await openPostgresStore(unlocked, { serve: true });
    t.after(() => store.close());
    stores.push(store);
  }
  const [here, there] = stores as [Store, Store];
  const { mine } = await tenants(here);
  return { here, there, mine, sql };
}

/** Retries conflicts caused by others, like a sensible client. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((error as Error).name !== 'StoreUnavailable') throw error;
    }
  }
}

/** Keeps everybody from writing to a table until `open` is called, and tells when so many wait. */
async function gateAt(sql: Sql, table: string) {
  const held = await sql.reserve();
  await held.unsafe(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
  return {
    async waiting(count: number): Promise<void> {
      // Other tests have databases of their own on this server. Whoever waits holds a lock on a table of its own.
      const waits = () => held`SELECT pid FROM pg_locks WHERE NOT granted AND pid IN (
        SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database WHERE datname = current_database())
        GROUP BY pid`;
      while ((await waits()).length < count) await pause(5);
    },
    async open(): Promise<void> {
      await held`COMMIT`;
      held.release();
    },
  };
}

/** Both processes increment the same counter, again and again. */
async function countUp(stores: readonly Store[], needs: Needs, next: (loaded: Loaded) => Writes) {
  await Promise.all(
    stores.map(async (store) => {
      for (let count = 0; count < EACH; count++)
        await insist(() => store.commit([{ needs, decide: (loaded) => [next(loaded)] }]));
    }),
  );
}

const only = <V>(all: ReadonlyMap<string, V>): V => {
  const [value] = all.values();
  assert.ok(value);
  return value;
};

const raised = (before: Checkout): Writes => {
  const after = changed(before, { amount: before.amount + 1 });
  return { checkout: { before, after }, events: [eventOf(after)] };
};

test('the locks of these tests lock nothing', async (t) => {
  const url = await migratedDatabase(t);
  const [one, other] = [url, await withoutLocks(t, url)].map((each) => postgres(each, { max: 1 }));
  assert.ok(one && other);
  t.after(async () => {
    await one.end({ timeout: 0 });
    await other.end({ timeout: 0 });
  });
  await one`BEGIN`.simple();
  await one`SELECT 1 FROM directory FOR UPDATE`;
  await other`SELECT 1 FROM directory WHERE id = ${1} FOR UPDATE`;
  await assert.rejects(other`SELECT 1 FROM directory FOR  UPDATE NOWAIT`, /could not obtain lock/);
});

test('no change of a session is lost, and its history has no gap', async (t) => {
  const { here, there, mine } = await start(t);
  const { id } = await add(here, session(mine, { amount: 0 }));
  await countUp([here, there], { tenant: mine, checkouts: [id] }, ({ checkouts }) => raised(only(checkouts)));
  const after = await here.checkouts.fetch(mine, id);
  assert.deepEqual([after?.amount, after?.version], [PROCESSES * EACH, PROCESSES * EACH + 1]);
  const { rows } = await there.events.timeline(mine, id, null, 100);
  assert.deepEqual(
    rows.map(({ sequence }) => sequence),
    rows.map((_, index) => PROCESSES * EACH + 1 - index),
  );
});

test('no change of a session is lost that has no event', async (t) => {
  const { here, there, mine } = await start(t);
  const { id } = await add(here, session(mine, { amount: 0 }));
  await countUp([here, there], { tenant: mine, checkouts: [id] }, ({ checkouts }) => {
    const before = only(checkouts);
    return {
      checkout: { before, after: { ...before, version: before.version + 1, amount: before.amount + 1 } },
    };
  });
  assert.equal((await there.checkouts.fetch(mine, id))?.amount, PROCESSES * EACH);
});

test('every event has one place in the feed, without a gap', async (t) => {
  const { here, there, mine } = await start(t);
  let writing = PROCESSES;
  const read = async (store: Store): Promise<string[]> => {
    const ids: string[] = [];
    for (let last = false; !last; ) {
      last = writing === 0;
      const { rows } = await insist(() => store.events.list(mine, {}, ids.length, 7));
      for (const { position, id } of rows) {
        assert.equal(position, ids.length + 1);
        ids.push(id);
      }
      last &&= rows.length === 0;
    }
    return ids;
  };
  const readers = Promise.all([read(here), read(there), read(here), read(there)]);
  const writers = [here, there].map(async (store) => {
    for (let count = 0; count < EACH; count++) await insist(() => add(store, session(mine)));
    writing--;
  });
  const [[first, ...others]] = await Promise.all([readers, ...writers]);
  assert.equal(new Set(first).size, PROCESSES * EACH);
  for (const other of others) assert.deepEqual(other, first);
});

test('no change of a customer, a bank entry, a provider event, a receiver or an endpoint is lost', async (t) => {
  const { here, there, mine } = await start(t);
  const stores = [here, there];
  const counted = (count: number) => ({ count });

  const person = customer(mine, { id: 'cus_1', metadata: counted(0) });
  await write(here, mine, { customer: person });
  await countUp(stores, { tenant: mine, customers: ['cus_1'] }, ({ customers }) => {
    const before: Customer = only(customers);
    return { customer: { ...before, metadata: counted(Number(before.metadata.count) + 1) } };
  });
  assert.equal((await there.customers.fetch(mine, 'cus_1'))?.metadata.count, PROCESSES * EACH);

  await write(here, mine, { bankEntry: bankEntry('entry') });
  const entries: Needs = { tenant: mine, bankEntries: ['entry'] };
  await countUp(stores, entries, ({ bankEntries }) => {
    const before: BankEntry = only(bankEntries);
    return { bankEntry: { ...before, tries: before.tries + 1 } };
  });
  assert.equal((await there.bankEntries.fetchByReference(mine, 'entry'))?.tries, PROCESSES * EACH);

  await write(here, mine, { providerEvent: providerEvent('told') });
  const told: Needs = { tenant: mine, providerEvents: [{ rail: 'stripe', reference: 'told' }] };
  await countUp(stores, told, ({ providerEvents }) => {
    const before: ProviderEvent = only(providerEvents);
    return { providerEvent: { ...before, tries: before.tries + 1 } };
  });
  const due = await there.providerEvents.listDue(mine, T, 10);
  assert.deepEqual(
    due.map(({ tries }) => tries),
    [PROCESSES * EACH],
  );

  const health: Health = {
    failures: 0,
    failingSince: T,
    probes: 0,
    probeAt: null,
    announced: false,
    lastError: '',
  };
  await write(here, mine, { receivers: [{ id: 'https://shop.example', health }] });
  const receiver: Needs = { tenant: mine, receivers: ['https://shop.example'] };
  await countUp(stores, receiver, ({ receivers }) => {
    const before: Health = only(receivers);
    return {
      receivers: [{ id: 'https://shop.example', health: { ...before, failures: before.failures + 1 } }],
    };
  });
  const failing = await there.receivers.listFailing(mine);
  assert.equal(failing.get('https://shop.example')?.failures, PROCESSES * EACH);

  const made: Endpoint = endpoint(mine);
  await write(here, mine, { endpoints: [{ before: null, after: made }] });
  const needs: Needs = { tenant: mine, endpoints: true, lockedEndpoints: [made.id] };
  await countUp(stores, needs, ({ endpoints: [before] }) => {
    assert.ok(before);
    return { endpoints: [{ before, after: { ...before, version: before.version + 1 } }] };
  });
  assert.equal((await there.endpoints.list(mine))[0]?.version, PROCESSES * EACH + 1);
});

test('nothing of an erased person comes back, and nothing of their sessions is lost', async (t) => {
  const { here, there, mine } = await start(t);
  for (let round = 0; round < 3; round++) {
    const person = customer(mine, { email: `${round}@example.com` });
    await write(here, mine, { customer: person });
    const payer = { ...session(mine).payer, customer: person.id, name: 'Ada Lovelace' };
    const { id } = await add(here, session(mine, { amount: 0, payer }));
    await Promise.all([
      countUp([here], { tenant: mine, checkouts: [id] }, ({ checkouts }) => raised(only(checkouts))),
      insist(() =>
        there.commit([
          { needs: { tenant: mine, customers: [person.id] }, decide: () => [{ erasedCustomer: person }] },
        ]),
      ),
    ]);
    const after = await there.checkouts.fetch(mine, id);
    assert.equal(after?.amount, EACH);
    assert.equal(after.payer.name, '');
  }
});

suite('a session that is made for a person in the moment in which that person is erased', () => {
  async function race(t: TestContext) {
    const { here, there, mine, sql } = await start(t);
    const person = customer(mine, { email: 'ada@example.com' });
    await write(here, mine, { customer: person });
    const payer = { ...session(mine).payer, customer: person.id, name: 'Ada Lovelace' };
    const make = () =>
      here.commit([
        {
          needs: { tenant: mine, customersByEmail: [person.email] },
          decide: ({ customersByEmail }) => {
            const made = session(mine, customersByEmail.size === 0 ? {} : { payer });
            return [{ checkout: { before: null, after: made }, events: [eventOf(made)] }];
          },
        },
      ]);
    const erase = () =>
      there.commit([
        { needs: { tenant: mine, customers: [person.id] }, decide: () => [{ erasedCustomer: person }] },
      ]);
    const names = async () => {
      const { rows } = await here.checkouts.list(mine, {}, { limit: 10 });
      return rows.map((row) => row.payer.name);
    };
    return { make, erase, names, gate: () => gateAt(sql, 'checkout') };
  }

  test('is redacted if it comes first', async (t) => {
    const { make, erase, names, gate } = await race(t);
    const { waiting, open } = await gate();
    const made = make();
    await waiting(1);
    const erased = erase();
    await Promise.race([erased, waiting(2)]);
    await open();
    await Promise.all([made, erased]);
    assert.deepEqual(await names(), ['']);
  });

  test('is made without them if it comes second', async (t) => {
    const { make, erase, names, gate } = await race(t);
    // The row to redact makes the erasure wait.
    await make();
    const { waiting, open } = await gate();
    const erased = erase();
    await waiting(1);
    const made = make();
    await waiting(2);
    await open();
    await Promise.all([made, erased]);
    assert.deepEqual(await names(), ['', '']);
  });
});

test('nothing is claimed twice', async (t) => {
  const { here, there, mine } = await start(t);
  const count = scaled(60);
  for (let made = 0; made < count; made++) await add(here, session(mine, { expiresAt: T }));
  const claim = claimAt(T, { limit: 20 });
  const claimed: string[] = [];
  await Promise.all(
    [here, there, here, there].map(async (store) => {
      for (let empty = 0; empty < 2; ) {
        const rows = await store.work.claimCheckouts(mine, claim);
        claimed.push(...rows.map(({ id }) => id));
        empty = rows.length === 0 ? empty + 1 : 0;
      }
    }),
  );
  assert.equal(claimed.length, count);
  assert.equal(new Set(claimed).size, count);
});

test('no delivery is claimed twice', async (t) => {
  const { here, there, mine } = await start(t);
  const count = scaled(40);
  for (let made = 0; made < count; made++) await tell(here, mine);
  const claimed: string[] = [];
  await Promise.all(
    [here, there, here, there].map(async (store) => {
      for (let empty = 0; empty < 2; ) {
        const rows = await insist(() => claim(store, mine, T));
        claimed.push(...rows.map(({ id }) => id));
        empty = rows.length === 0 ? empty + 1 : 0;
      }
    }),
  );
  assert.equal(claimed.length, count);
  assert.equal(new Set(claimed).size, count);
});

test('a delivery that is added as the one before it ends is found, and made due', async (t) => {
  const { here, there, mine, sql } = await start(t);
  const { session: told } = await tell(here, mine);
  const [first] = await claim(here, mine, T);
  assert.ok(first);
  // The gate holds every new delivery at its commit.
  await sql`CREATE TABLE gate ()`;
  await sql`CREATE FUNCTION at_gate() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN LOCK TABLE gate IN ROW EXCLUSIVE MODE; RETURN NULL; END$$`;
  await sql`CREATE CONSTRAINT TRIGGER late AFTER INSERT ON delivery DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION at_gate()`;
  const { waiting, open } = await gateAt(sql, 'gate');
  const writes = telling(told, 1);
  const added = there.commit([{ needs: { tenant: mine, checkouts: [told.id] }, decide: () => [writes] }]);
  await waiting(1);
  await finish(here, mine, result(first));
  await open();
  await added;
  assert.deepEqual(await claim(here, mine, T), []);

  const serializer = createSerializer('https://pay.example.com');
  const realNow = () => T;
  const wake = createWaking({
    store: there,
    execute: createWriter({ store: there, serializer, realNow }),
    realNow,
    round: createRounds((error) => assert.fail(String(error))),
  });
  assert.equal(await wake(), true);
  assert.equal(await wake(), false);
  assert.deepEqual(inOrder(await claim(here, mine, T)), inOrder(writes.deliveries));
});

test('only one account is made as the first', async (t) => {
  const url = await migratedDatabase(t);
  const unlocked = await withoutLocks(t, url);
  const stores = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const store = await openPostgresStore(unlocked);
      t.after(() => store.close());
      return store;
    }),
  );
  const given = { name: 'first', webhookSecrets: { test: 't', live: 'l' }, testClockOffsetMs: 0 };
  const made = await Promise.all(stores.map((store) => store.accounts.createFirst(given, T)));
  assert.equal(made.filter((account) => account !== null).length, 1);
});
