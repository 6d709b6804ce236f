/**
 * A service on a database in shards of which one node is frozen: whatever is asked about its accounts gets no answer, nor
 * what comes behind it on the same connection. From when that is known nobody else waits for it.
 */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { createRounds } from '../../src/lib/rounds.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import type { Store } from '../../src/store/store.ts';
import { schemaOf } from '../../src/store/tables.ts';
import { openTables } from '../cluster/cluster.ts';
import { add, session } from '../store/build.ts';
import { letAnswer, makeCatalog } from '../support/citus-catalog.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { proxied, textIn } from '../support/postgres-proxy.ts';

/** All of their numbers begin with this, and nothing else in what is sent does. */
const BEGINNING = '9876543';
const FIRST_AWAY = Number(`${BEGINNING}00`);
const away = (index: number): Tenant => ({ account: FIRST_AWAY + index, mode: 'test' });
const living: Tenant = { account: 1, mode: 'test' };
/** More requests than connections for any kind of work. */
const MANY = 12;
/** Connections on which nothing moves are given up after 15 s: nobody may have to wait for that. */
const MOST_MS = 10_000;
const timeout = 60_000;

async function setUp(t: TestContext) {
  const url = await migratedDatabase(t);
  const sql = openTables(t, url);
  await makeCatalog(sql, [
    { port: 1, accounts: [1, 50] },
    { port: 2, accounts: [FIRST_AWAY, FIRST_AWAY + MANY] },
  ]);
  for (const { account } of [living, ...Array.from({ length: MANY }, (_, index) => away(index))]) {
    await sql`INSERT INTO account (number, name, created_at, webhook_secret_test, webhook_secret_live)
      VALUES (${account}, 'Shop', 1, '', '')`;
    await sql`INSERT INTO feed_end VALUES (${account}, true, 0), (${account}, false, 0)`;
    await sql`INSERT INTO delivery_claim VALUES (${account}, true), (${account}, false)`;
  }
  let isFrozen = false;
  let held = 0;
  const between = await proxied(t, url, (message) => {
    if (!isFrozen || !(message.includes(BEGINNING) || asksAll(textIn(message) ?? ''))) return message;
    held++;
    return null;
  });
  async function started(): Promise<Store> {
    const store = await openPostgresStore(between, { serve: true });
    t.after(() => store.close());
    return store;
  }
  const store = await started();
  return {
    sql,
    store,
    /** The store of another process. */
    started,
    freeze() {
      isFrozen = true;
    },
    /** Resolves when so many connections have got no answer. */
    async waits(connections: number): Promise<void> {
      while (held < connections) await pause(5);
    },
    /** Resolves when it is known that the node gives no sign of life. */
    async becomesKnown(): Promise<void> {
      await letAnswer(sql, 2, 'no');
      while (store.servedShare() === 1) await pause(5);
    },
    /** Fails if somebody who is served has to wait, or anything is sent that gets no answer. */
    async servesOthers(): Promise<void> {
      const before = held;
      const begunAt = performance.now();
      await serve(store);
      assertInTime(begunAt);
      assert.equal(held, before);
    },
  };
}

function assertInTime(begunAt: number): void {
  const tookMs = Math.round(performance.now() - begunAt);
  assert.ok(tookMs < MOST_MS, `${tookMs} ms`);
}

/** Names of what lies in shards. */
const SHARED = new Set(['account', 'api_key', 'directory', 'schema_version']);
const inShards = Object.keys(schemaOf('postgres')).filter((name) => !SHARED.has(name));
const IN_SHARDS = new RegExp(`\\b(?:FROM|JOIN) (?:${inShards.join('|')})\\b`, 'g');

/** Tells whether a statement goes to all nodes: each table in it has to name accounts. */
function asksAll(text: string): boolean {
  if (/\baccount = \$/.test(text)) return false;
  const tables = text.match(IN_SHARDS) ?? [];
  return tables.length > (text.match(/\baccount IN \(/g) ?? []).length;
}

/** Every kind of request for the living account. */
async function serve(store: Store): Promise<void> {
  const { id } = await add(store, session(living));
  assert.notEqual(await store.accounts.fetch(living.account), null);
  assert.equal((await store.checkouts.fetch(living, id))?.id, id);
  assert.equal((await store.checkouts.list(living, {}, { limit: 1 })).rows.length, 1);
  await store.work.claimCheckouts(living, claim);
  await store.work.listTenants(claim.realNow);
  await store.retention.listTenants('events', claim.realNow);
  await store.retention.purgeAnswers(
    claim.realNow,
    createRounds((error) => assert.fail(String(error))),
  );
  await store.gauges();
  await store.newestTime();
  await store.checkHealth();
}

const claim = { now: 1, realNow: 1, elapsedMs: 1, leaseMs: 1_000, limit: 10 };

suite('a node that is frozen', { concurrency: true }, () => {
  for (const [what, connections, ask] of [
    ['claims', 6, (store: Store, tenant: Tenant) => store.work.claimCheckouts(tenant, claim)],
    ['lists', 2, (store: Store, tenant: Tenant) => store.checkouts.list(tenant, {}, { limit: 1 })],
    ['fetches', 1, (store: Store, tenant: Tenant) => store.checkouts.fetch(tenant, 'chk_1')],
  ] as const)
    test(`refuses ${what} that wait for a connection`, { timeout }, async (t) => {
      const { store, freeze, waits, becomesKnown, servesOthers } = await setUp(t);
      await serve(store);
      freeze();
      const asked = Array.from({ length: MANY }, (_, index) => ask(store, away(index)));
      const ended = Promise.allSettled(asked);
      await waits(connections);
      await becomesKnown();
      await servesOthers();
      for (const each of await ended) {
        assert.ok(each.status === 'rejected' && each.reason instanceof StoreUnavailable);
      }
    });

  test('holds up no feed of another', { timeout }, async (t) => {
    const { sql, store, freeze, waits, becomesKnown, servesOthers } = await setUp(t);
    const untilNumbered = async (events: number) => {
      const numbered = () => sql`SELECT FROM feed WHERE account = ${living.account}`;
      while ((await numbered()).length < events) await pause(5);
    };
    await add(store, session(living));
    await untilNumbered(1);
    freeze();
    // The first of them is waited for; those behind it are known to have something, too.
    await sql`INSERT INTO feed_waiting (account, live, subject, sequence, event)
      SELECT number, false, 'chk_1', 1, 'evt_1' FROM account WHERE number >= ${FIRST_AWAY}`;
    await waits(1);
    await becomesKnown();
    await servesOthers();
    await untilNumbered(2);
  });

  test('holds up no start', { timeout }, async (t) => {
    const { freeze, becomesKnown, started } = await setUp(t);
    freeze();
    await becomesKnown();
    const begunAt = performance.now();
    const another = await started();
    await serve(another);
    assertInTime(begunAt);
    assert.ok(another.servedShare() < 1);
  });
});
