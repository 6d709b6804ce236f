/**
 * The process is killed at random moments while many clients write. What was acknowledged must be there, what was not
 * can be asked again with the same key and happens once, and nothing may have happened by half.
 *
 * OPENTILL_SEED repeats the moments and the requests of a run.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { evidence } from '../support/evidence.ts';
import { freshDirectory, run, type Server, serve } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { keptIn, openBooks } from './books.ts';
import { eitherLog } from './either-log.ts';
import { createFindings } from './findings.ts';
import { createLoad } from './load.ts';
import { checkLedger, checkReplay, checkSessions, repeatUnanswered } from './memory.ts';
import { randomFrom } from './random.ts';
import { startReceiver } from './receiver.ts';

const all = scaled(4, 2);
/** Kills of one database: each is looked through as a whole after every one of them. */
const KILLS_OF_ONE = 25;
const CLIENTS = 32;
const key = 'ak_test_crash:sk_test_crash';
const authorization = `Basic ${Buffer.from(key).toString('base64')}`;

for (let first = 0; first < all; first += KILLS_OF_ONE) {
  const kills = Math.min(KILLS_OF_ONE, all - first);
  const timeout = 60_000 + kills * 10_000;
  test(`nothing acknowledged is lost in ${kills} kills, from number ${first} on`, { timeout }, (t) =>
    campaign(t, kills, seed + first),
  );
}

async function campaign(t: TestContext, kills: number, ownSeed: number): Promise<void> {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(ownSeed);
  const path = join(freshDirectory(t), 'crash.db');
  const receiver = await startReceiver(t);
  const endpoint = await startReceiver(t);
  // Addresses in answers must not change with the port.
  const settings = {
    DATABASE_URL: `sqlite:${path}`,
    BOOTSTRAP_API_KEY: key,
    CHECKOUT_URL: 'https://pay.example.com',
  };
  const load = createLoad(random, authorization, receiver.url);
  const findings = createFindings();
  const readyMs: number[] = [];
  let committedUnseen = 0;
  let events = { last: 0, digest: '' };

  let server = await serve(t, settings, eitherLog(random));
  const freshMs = [server.readyMs];
  await register(server, endpoint.url);
  for (let round = 1; round <= kills; round++) {
    const hammering = load.hammer(server.url, CLIENTS);
    await pause(random.between(20, 500));
    await server.kill('SIGKILL');
    await hammering;
    // A crash while the last one is being repaired is a crash too.
    if (round % 3 === 0) await killWhileStarting(t, settings, random.between(50, 900));

    server = await serve(t, settings, eitherLog(random));
    readyMs.push(server.readyMs);
    if (round % 4 === 0) freshMs.push(await startOnNothing(t, settings, `${path}.${round}`));
    const touched = new Set(load.requests.slice(-1000).flatMap(({ session }) => session ?? []));
    const books = openBooks(path);
    await findings.during('half_applied', `kill ${round}`, books.check);
    checkLedger(load, keptIn(books), load.unanswered(), findings.report);
    // Events that receivers may have seen must not change.
    if (events.last > 0) assert.equal(books.digestOfEvents(events.last), events.digest);
    committedUnseen += await repeatUnanswered(load, server.url);
    checkLedger(load, keptIn(books), [], findings.report);
    const last = Number(books.one('SELECT max(position) FROM event') ?? 0);
    events = { last, digest: books.digestOfEvents(last) };
    books.close();
    const looked = round === kills ? load.sessions : [...touched];
    await checkSessions(load, server.url, looked, findings.report);
    for (let i = 0; i < 10; i++) await checkReplay(load, server.url, random.pick(load.requests));
  }

  const hooked = new Set(load.sessions.filter(({ webhookUrl }) => webhookUrl !== '').map(({ id }) => id));
  const everything = await allEvents(server);
  const expected = everything.filter(({ checkout }) => hooked.has(checkout));
  await receiver.hasSeen(expected.map(({ id }) => id));
  await endpoint.hasSeen(everything.map(({ id }) => id));
  assert.deepEqual(await server.kill('SIGTERM'), { code: 0, signal: null });
  const books = openBooks(path);
  await books.check();
  assert.deepEqual(books.all(`SELECT id FROM delivery WHERE state <> 'delivered' LIMIT 5`), []);
  books.close();

  const sent = receiver.count() + endpoint.count();
  const [ready, fresh] = [median(readyMs), median(freshMs)];
  const acknowledged = load.requests.filter(({ answer }) => (answer?.status ?? 0) < 300).length;
  evidence(t, 'kill', {
    kills,
    acknowledged_changes: acknowledged,
    changes_committed_without_answer: committedUnseen,
    sessions: load.sessions.length,
    events: events.last,
    deliveries: sent,
    deliveries_that_came_twice: sent - expected.length - everything.length,
    ready_median_ms: Math.round(ready),
    ready_longest_ms: Math.round(Math.max(...readyMs)),
    ready_with_new_database_median_ms: Math.round(fresh),
    ...findings.figures,
  });
  findings.assertNone();
  assert.ok(acknowledged >= kills * 20, `only ${acknowledged} changes: too few to say anything`);
  // The limit follows the machine: a busy one starts slowly, but a crash must not make a start slower.
  assert.ok(ready <= Math.max(2000, 3 * fresh), `ready only after ${ready} ms`);
}

async function register(server: Server, url: string): Promise<void> {
  const { status } = await fetch(`${server.url}/v3/webhook_endpoint`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  assert.equal(status, 201);
}

async function killWhileStarting(t: TestContext, settings: Record<string, string>, afterMs: number) {
  const starting = run(t, ['serve'], { ...settings, PORT: '0', LOG_LEVEL: 'warn' });
  await pause(afterMs);
  await starting.kill('SIGKILL');
}

async function startOnNothing(
  t: TestContext,
  settings: Record<string, string>,
  path: string,
): Promise<number> {
  const server = await serve(t, { ...settings, DATABASE_URL: `sqlite:${path}` });
  await server.kill('SIGKILL');
  return server.readyMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

async function allEvents(server: Server): Promise<Array<{ id: string; checkout: string }>> {
  const events: Array<{ id: string; checkout: string }> = [];
  for (let after = '0', more = true; more; ) {
    const response = await fetch(`${server.url}/v3/event?limit=100&after=${after}`, {
      headers: { authorization },
    });
    const page = (await response.json()) as { data: []; has_more: boolean; next_cursor: string };
    for (const { id, data } of page.data as Array<{ id: string; data: { id: string; payin?: string } }>) {
      events.push({ id, checkout: data.payin ?? data.id });
    }
    after = page.next_cursor;
    more = page.has_more;
  }
  return events;
}
