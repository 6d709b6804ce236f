/**
 * Processor time of the engine for an operation of the API, and for a second of a service that has nothing to do: on one
 * server, and with a coordinator and two workers on the same machine, over few shards and over many. What tenants need
 * follows from it.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { distribute } from '../../src/cli/commands/db/distribute.ts';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import { authorization, type Instance, openTables, startInstance } from '../cluster/cluster.ts';
import { joinNodes, workers } from '../support/citus.ts';
import { evidence, type Figures } from '../support/evidence.ts';
import { addressOf, freshDatabase, sharedPostgres } from '../support/postgres.ts';
import { scaled } from '../support/scale.ts';
import { firstProcessOf } from './nodes.ts';

/** Accounts beside the one that the start makes. */
const ACCOUNTS = [1, 50, 1000, 100_000] as const;
const SHARDS = [4, 32] as const;
/** A day of a tenant, and how much more there is at the peak; a session is created, changed and fetched so often. */
const DAY = { sessions: 200, peak: 3, updates: 3, fetches: 10 };
const IDLE_MS = scaled(1) * 3_000;
const OPERATIONS = scaled(1) * 100;
/** One client, so that each command is a commit of its own. */
const CLIENTS = 1;
const MS_PER_TICK = 10;

/** Processor time so far of all processes of these servers, also of those that have ended, in milliseconds. */
function cpuMsOf(servers: readonly number[]): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(pid);
    const [, parent = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Processor time of a server includes its children that have ended.
    const counted = servers.includes(Number(pid)) ? 4 : servers.includes(Number(parent)) ? 2 : 0;
    for (const time of fields.slice(9, 9 + counted)) ticks += Number(time);
  }
  return ticks * MS_PER_TICK;
}

/** Empty for a process that has just ended. */
function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}

async function addAccounts(t: TestContext, url: string, upTo: number): Promise<void> {
  const sql = openTables(t, url);
  const [{ count }] = await sql<[{ count: number }]>`SELECT count(*) FROM account`;
  const numbers = `generate_series(${1_000_000 + Number(count)}, ${1_000_000 + upTo - 1}) AS number`;
  await sql.unsafe(`INSERT INTO account (number, name, created_at, webhook_secret_test, webhook_secret_live)
    SELECT number, 'Shop', 1, '', '' FROM ${numbers}`);
  for (const [table, more] of [
    ['feed_end', ', 0'],
    ['delivery_claim', ''],
  ])
    for (const live of [true, false])
      await sql.unsafe(`INSERT INTO ${table} SELECT number, ${live}${more} FROM ${numbers}`);
  await sql`UPDATE directory SET version = version + 1`;
  await sql.end();
}

/** Sends what `request` makes, from several clients; fails unless each succeeds. Returns the milliseconds it took. */
async function ask({ url }: Instance, request: (index: number) => readonly [string, string, object?]) {
  const begunAt = performance.now();
  const ids: string[] = [];
  let next = 0;
  async function client(): Promise<void> {
    while (next < OPERATIONS) {
      const [method, path, body] = request(next++);
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await fetch(url + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      assert.ok(response.ok, `${response.status}`);
      ids.push(((await response.json()) as { data: { id: string } }).data.id);
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { ids, tookMs: performance.now() - begunAt };
}

async function costs(t: TestContext, url: string, nodes: readonly string[]): Promise<Figures> {
  const servers = await Promise.all(nodes.map((node) => firstProcessOf(t, node)));
  const figures: Record<string, number> = {};
  const perSecond = async () => {
    const before = cpuMsOf(servers);
    await pause(IDLE_MS);
    return (cpuMsOf(servers) - before) / (IDLE_MS / 1000);
  };
  const without = await perSecond();
  const instance = await startInstance(t, url);
  for (const count of ACCOUNTS) {
    await addAccounts(t, url, count);
    // Every instance reads all accounts within half a second.
    await pause(2_000);
    figures[idleOf(count)] = Math.max(0, (await perSecond()) - without);
  }
  const idle = await perSecond();

  let sessions: string[] = [];
  async function measure(name: string, request: (index: number) => readonly [string, string, object?]) {
    // The first make connections and plans.
    const first = await ask(instance, request);
    if (sessions.length === 0) sessions = first.ids;
    const before = cpuMsOf(servers);
    const { tookMs } = await ask(instance, request);
    const spent = cpuMsOf(servers) - before - (idle * tookMs) / 1000;
    figures[`${name}_us`] = Math.round((1000 * spent) / OPERATIONS);
  }
  await measure('create', (index) => [
    'POST',
    '/v3/checkout',
    { invoice_currency: 'EUR', amount: 100 + index },
  ]);
  const one = (index: number) => `/v3/checkout/${sessions[index % sessions.length]}`;
  await measure('update', (index) => ['PUT', one(index), { metadata: { [`n${index % 7}`]: Math.random() } }]);
  await measure('fetch', (index) => ['GET', one(index)]);
  await instance.kill();
  return figures;
}

const named = (prefix: string, figures: Figures): Figures =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [`${prefix}_${name}`, Math.round(value)]),
  );

/** A database of its own over all nodes. */
async function overShards(t: TestContext, shards: number): Promise<string> {
  const url = await freshDatabase(t);
  const name = new URL(url).pathname.slice(1);
  await joinNodes([url, ...workers().map((worker) => addressOf(worker, name))], shards);
  await distribute(url, () => {});
  return url;
}

/** Cores that so many tenants need at their peak, and those that an instance keeps busy while nobody asks anything. */
function coresFor(accounts: number, figures: Figures): readonly [work: string, idle: string] {
  const { create_us = 0, update_us = 0, fetch_us = 0 } = figures;
  const sessionUs = create_us + DAY.updates * update_us + DAY.fetches * fetch_us;
  const cores = (sessionsASecond(accounts) * sessionUs) / 1_000_000;
  return [cores.toPrecision(2), ((figures[idleOf(accounts)] ?? 0) / 1000).toPrecision(2)];
}

const sessionsASecond = (accounts: number): number => (accounts * DAY.sessions * DAY.peak) / 86_400;
const idleOf = (accounts: number): string => `idle_second_with_${accounts}_accounts_ms`;

test('the cost of an operation, and of an idle second', { timeout: 2_400_000 }, async (t) => {
  const { url } = await sharedPostgres();
  const plain = await freshDatabase(t);
  await prepareDatabase(plain);
  const engines = new Map([['one server', await costs(t, plain, [url])]]);
  for (const shards of SHARDS)
    engines.set(`${shards} shards`, await costs(t, await overShards(t, shards), [url, ...workers()]));
  const all = [...engines];
  evidence(
    t,
    'citus-cost',
    Object.assign({}, ...all.map(([name, figures]) => named(name.replace(' ', '_'), figures))),
    {
      head: [
        'Tenants',
        'Sessions a second',
        ...all.flatMap(([name]) => [`Cores, ${name}`, `Idle cores, ${name}`]),
      ],
      rows: ACCOUNTS.map((accounts) => [
        accounts,
        sessionsASecond(accounts).toPrecision(2),
        ...all.flatMap(([, figures]) => coresFor(accounts, figures)),
      ]),
    },
  );
});
