/** A service on a distributed database with several accounts under load, and what each of them was told. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '../../src/accounts/account.ts';
import { allPermissions, createApiKey } from '../../src/accounts/api-key.ts';
import type { Sql } from '../../src/store/postgres/connection.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { createClients } from '../cluster/client.ts';
import { checkBooks, type Instance, openTables, startInstance } from '../cluster/cluster.ts';
import { createLoad } from '../crash/load.ts';
import { checkLedger, checkReplay, checkSessions, type Kept } from '../crash/memory.ts';
import { randomFrom } from '../crash/random.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { seed } from '../support/seed.ts';

const ACCOUNTS = 8;
const CLIENTS_OF_EACH = 2;

export type Shop = Awaited<ReturnType<typeof startShop>>;

export type Stage = {
  readonly url: string;
  readonly sql: Sql;
  readonly instance: Instance;
  readonly shops: readonly Shop[];
};

/** Starts a service and the load of all accounts, which goes on until `settle`. */
export async function startStage(t: TestContext): Promise<Stage> {
  t.diagnostic(`seed ${seed}`);
  const url = await migratedDatabase(t);
  const sql = openTables(t, url);
  const authorizations = await makeAccounts(url);
  const instance = await startInstance(t, url);
  const shops = [...authorizations].map(([account, authorization], index) =>
    startShop(t, instance, account, authorization, index),
  );
  for (const shop of shops) await shop.goesOn();
  return { url, sql, instance, shops };
}

/** New accounts by their numbers, with what the callers of each say. */
async function makeAccounts(url: string): Promise<Map<number, string>> {
  const store = await openPostgresStore(url);
  try {
    const made = new Map<number, string>();
    for (let index = 0; index < ACCOUNTS; index++) {
      const { number } = await createAccount(store, `Shop ${index}`, Date.now());
      const tenant = { account: number, mode: 'test' } as const;
      const key = await createApiKey(store, {
        tenant,
        permissions: allPermissions,
        name: 'load',
        nowMs: Date.now(),
      });
      made.set(number, `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`);
    }
    return made;
  } finally {
    await store.close();
  }
}

function startShop(
  t: TestContext,
  instance: Instance,
  account: number,
  authorization: string,
  index: number,
) {
  const random = randomFrom(seed * 100 + index);
  const load = createLoad(random, authorization, '');
  /** Of answers that are no 503: when they came, and how long they took. */
  let answers: Array<{ readonly at: number; readonly tookMs: number }> = [];
  const clients = createClients(
    {
      ...load,
      async send(url, request) {
        const begunAt = performance.now();
        const answer = await load.send(url, request);
        const at = performance.now();
        if (answer !== null && answer.status !== 503) answers.push({ at, tookMs: at - begunAt });
        return answer;
      },
    },
    { giveUpAfterMs: 30_000 },
  );
  const stop = new AbortController();
  const asking = clients.keepAsking(instance.url, CLIENTS_OF_EACH, stop.signal);
  // What fails is heard when the load is settled.
  asking.catch(() => {});
  t.after(() => stop.abort());

  return {
    account,
    figures: clients.figures,
    /** Forgets the times of the answers so far. */
    beginTimes(): void {
      answers = [];
    },
    /** Times since then, in order. */
    times: (): number[] => answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b),
    /** Resolves when so many more requests have had an answer. */
    async goesOn(further = 10): Promise<void> {
      const { answered } = clients.figures;
      while (clients.figures.answered < answered + further) await Promise.race([pause(10), asking]);
    },
    /** Ends the load, and holds the service to what it has acknowledged. */
    async settle(sql: Sql): Promise<void> {
      stop.abort();
      await asking.catch((error) => {
        throw new Error(`account ${account}: ${error.message}\n${instance.log()}`);
      });
      checkLedger(load, await keptOf(sql, account), []);
      await checkSessions(load, instance.url);
      for (let i = 0; i < 5; i++) await checkReplay(load, instance.url, random.pick(load.requests));
      assert.equal(clients.figures.broken, 0, 'every request has an answer');
    },
  };
}

async function keptOf(sql: Sql, account: number): Promise<Kept> {
  const answers = await sql<Array<{ key: string }>>`
    SELECT idempotency_key AS key FROM idempotency WHERE account = ${account}`;
  const payments = await sql<Array<Kept['payments'][number]>>`
    SELECT reference, checkout, amount FROM payment WHERE account = ${account}`;
  const [checkout] = await sql<Array<{ count: number }>>`
    SELECT count(*) FROM checkout WHERE account = ${account}`;
  return { keys: answers.map(({ key }) => key), payments, sessions: checkout?.count ?? 0 };
}

/** Ends the load of all; everything adds up, and every feed has all of its events. */
export async function settle({ url, sql, instance, shops }: Stage) {
  for (const shop of shops) await shop.settle(sql);
  instance.checkAlive();
  await untilNumbered(sql);
  await checkBooks(url);
  const sum = (pick: (shop: Shop) => number) => shops.reduce((all, shop) => all + pick(shop), 0);
  return {
    acknowledged_changes: sum(({ figures }) => figures.answered),
    put_off: sum(({ figures }) => figures.unavailable),
    longest_answer_ms: Math.round(Math.max(...shops.map(({ figures }) => figures.longestMs))),
  };
}

async function untilNumbered(sql: Sql): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while ((await sql`SELECT FROM feed_waiting LIMIT 1`).length > 0) {
    assert.ok(performance.now() < giveUpAt, 'events wait for their feed');
    await pause(50);
  }
}
