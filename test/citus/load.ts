/** A service on a distributed database with several accounts under load, what each of them was told, and their webhooks. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '../../src/accounts/account.ts';
import { allPermissions, createApiKey } from '../../src/accounts/api-key.ts';
import type { Sql } from '../../src/store/postgres/connection.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { type Clients, createClients } from '../cluster/client.ts';
import { checkBooks, type Instance, openTables, startInstance } from '../cluster/cluster.ts';
import { startWorkReceiver } from '../cluster/work-receiver.ts';
import { createLoad } from '../crash/load.ts';
import { checkLedger, checkReplay, checkSessions, type Kept } from '../crash/memory.ts';
import { randomFrom } from '../crash/random.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { seed } from '../support/seed.ts';

const ACCOUNTS = 8;
const CLIENTS_OF_EACH = 2;
/** A lease of half a minute takes three seconds, and one of a minute six. */
const SPEED = 10;
/** A delivery that nobody has woken is found within a minute. */
const DELIVERED_WITHIN_MS = 90_000;

const program = join(import.meta.dirname, '../cluster/quick-service.ts');
const quick = {
  CLOCK_START: String(Date.now()),
  CLOCK_SINCE: String(Date.now()),
  CLOCK_SPEED: String(SPEED),
};

export type Shop = Awaited<ReturnType<typeof startShop>>;

export type Stage = {
  readonly url: string;
  readonly sql: Sql;
  readonly instance: Instance;
  readonly shops: readonly Shop[];
  readonly receiver: Receiver;
};

type Receiver = Awaited<ReturnType<typeof startWorkReceiver>>;

/** Starts a service, by default with a quick clock, and the load of all accounts, which goes on until `settle`. */
export async function startStage(t: TestContext, { isQuick = true } = {}): Promise<Stage> {
  t.diagnostic(`seed ${seed}`);
  const url = await migratedDatabase(t);
  const sql = openTables(t, url);
  const authorizations = await makeAccounts(url);
  const instance = await (isQuick ? startInstance(t, url, quick, { program }) : startInstance(t, url));
  const random = randomFrom(seed);
  const receiver = await startWorkReceiver(t, () => random.between(5, 50));
  const shops = [...authorizations].map(([account, authorization], index) =>
    startShop(t, { instance, account, authorization, webhookUrl: receiver.url, index }),
  );
  for (const shop of shops) await shop.goesOn();
  return { url, sql, instance, shops, receiver };
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

type Given = {
  readonly instance: Instance;
  readonly account: number;
  readonly authorization: string;
  readonly webhookUrl: string;
  readonly index: number;
};

function startShop(t: TestContext, { instance, account, authorization, webhookUrl, index }: Given) {
  const random = randomFrom(seed * 100 + index);
  const load = createLoad(random, authorization, webhookUrl);
  /** Durations of answers other than 503. */
  let times: number[] = [];
  const timed = {
    ...load,
    async send(...request: Parameters<typeof load.send>) {
      const begunAt = performance.now();
      const answer = await load.send(...request);
      if (answer !== null && answer.status !== 503) times.push(performance.now() - begunAt);
      return answer;
    },
  };
  /** Clients in turn: a stopped one does not go on. */
  const all: Clients[] = [];
  let stop = new AbortController();
  let asking = Promise.resolve();

  function start(): void {
    const clients = createClients(timed, { giveUpAfterMs: 30_000 });
    all.push(clients);
    stop = new AbortController();
    asking = clients.keepAsking(instance.url, CLIENTS_OF_EACH, stop.signal);
    // Failures surface when the load is settled.
    asking.catch(() => {});
  }
  t.after(() => stop.abort());
  start();

  const sum = (name: 'answered' | 'unavailable' | 'broken') =>
    all.reduce((count, { figures }) => count + figures[name], 0);

  return {
    account,
    /** Requests that were answered, and those of them with 503 so far. */
    answered: () => sum('answered'),
    putOff: () => sum('unavailable'),
    longestMs: () => Math.max(...all.map(({ figures }) => figures.longestMs)),
    /** Forgets the times of the answers so far. */
    beginTimes(): void {
      times = [];
    },
    /** Times since then, in order. */
    times: (): number[] => times.toSorted((a, b) => a - b),
    start,
    /** Resolves when so many more requests have had an answer. */
    async goesOn(further = 10): Promise<void> {
      const before = sum('answered');
      while (sum('answered') < before + further) await Promise.race([pause(10), asking]);
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
      assert.equal(sum('broken'), 0, 'every request has an answer');
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

/** Holds the service to everything that it has said so far, and goes on. */
export async function checkRound(stage: Stage): Promise<void> {
  await check(stage);
  for (const shop of stage.shops) shop.start();
  for (const shop of stage.shops) await shop.goesOn();
}

/** Ends the load of all; everything adds up, and every feed has all of its events. */
export async function settle(stage: Stage) {
  const { deliveries, twice } = await check(stage);
  const { shops } = stage;
  const sum = (count: (shop: Shop) => number) => shops.reduce((all, shop) => all + count(shop), 0);
  return {
    acknowledged_changes: sum((shop) => shop.answered()),
    put_off: sum((shop) => shop.putOff()),
    longest_answer_ms: Math.round(Math.max(...shops.map((shop) => shop.longestMs()))),
    deliveries,
    deliveries_that_came_twice: twice,
  };
}

async function check({ url, sql, instance, shops, receiver }: Stage) {
  for (const shop of shops) await shop.settle(sql);
  instance.checkAlive();
  await until('events wait for their feed', 20_000, () => sql`SELECT FROM feed_waiting LIMIT 1`);
  await until(
    'deliveries are left',
    DELIVERED_WITHIN_MS,
    () => sql`SELECT FROM delivery WHERE state = 'pending' LIMIT 1`,
  );
  await checkBooks(url);
  return checkArrivals(sql, receiver);
}

async function until(trouble: string, withinMs: number, left: () => PromiseLike<object[]>): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while ((await left()).length > 0) {
    assert.ok(performance.now() < giveUpAt, trouble);
    await pause(50);
  }
}

/** Every webhook has arrived, those of a session in their order; says how many there are, and how many came again. */
async function checkArrivals(sql: Sql, { arrivals }: Receiver) {
  const deliveries = await sql<
    Array<{ event: string }>
  >`SELECT event FROM delivery WHERE state = 'delivered'`;
  assert.deepEqual([...arrivals.keys()].sort(), deliveries.map(({ event }) => event).sort());
  const last = new Map<string, number>();
  let twice = 0;
  for (const [id, [first, ...others]] of arrivals) {
    assert.ok(
      first !== undefined && first.sequence > (last.get(first.session) ?? 0),
      `${id} is out of order`,
    );
    last.set(first.session, first.sequence);
    twice += others.length;
  }
  return { deliveries: deliveries.length, twice };
}
