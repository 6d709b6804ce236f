/**
 * Two instances behind a proxy, one of which is killed at random moments while many clients write. Whoever repeats a
 * request that had no answer gets one; nothing acknowledged is lost, and nothing happens twice. Whoever follows the feed
 * at either instance sees every event once, in one and the same order.
 *
 * OPENTILL_SEED repeats the moments and the requests of a run.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createFindings } from '../crash/findings.ts';
import { createLoad } from '../crash/load.ts';
import { checkLedger, checkReplay, checkSessions } from '../crash/memory.ts';
import { randomFrom } from '../crash/random.ts';
import { evidence } from '../support/evidence.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { createClients } from './client.ts';
import { authorization, checkBooks, keptIn, openTables, startInstances } from './cluster.ts';
import { followFeed } from './feed-reader.ts';
import { startProxy } from './proxy.ts';

const kills = scaled(1);
const CLIENTS = 16;

test(`of two instances one is killed ${kills} times`, { timeout: 60_000 + kills * 10_000 }, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const database = await migratedDatabase(t);
  const instances = await startInstances(t, database, 2);
  const proxy = await startProxy(
    t,
    instances.map(({ port }) => port),
  );
  const load = createLoad(random, authorization, '');
  const clients = createClients(load, { giveUpAfterMs: 20_000 });
  const readers = instances.map(({ url }) => followFeed(url));
  const stop = new AbortController();
  const findings = createFindings();
  let readyMs = 0;

  const asking = clients.keepAsking(proxy.url, CLIENTS, stop.signal);
  const killing = (async () => {
    for (let round = 1; round <= kills; round++) {
      await pause(random.between(20, 500));
      const victim = random.pick(instances);
      await victim.kill();
      await pause(random.between(0, 200));
      readyMs = Math.max(readyMs, await victim.start());
    }
  })();
  await Promise.race([killing, asking]);
  await killing;
  stop.abort();
  await asking;

  const sql = openTables(t, database);
  await findings.during('half_applied', 'the books', () => checkBooks(database));
  checkLedger(load, await keptIn(sql), [], findings.report);
  for (const { url } of instances) await checkSessions(load, url, load.sessions, findings.report);
  for (let i = 0; i < 50; i++)
    await checkReplay(load, random.pick(instances).url, random.pick(load.requests));

  const events = await sql<Array<{ id: string }>>`SELECT id FROM event`;
  await Promise.all(readers.map((reader) => reader.until(events.length)));
  await Promise.all(readers.map((reader) => reader.stop()));
  const feed = await sql<Array<{ event: string }>>`SELECT event FROM feed ORDER BY position`;
  for (const { ids, mistakes } of readers) {
    assert.deepEqual(mistakes, []);
    assert.deepEqual(
      ids,
      feed.map(({ event }) => event),
    );
  }
  assert.deepEqual(feed.map(({ event }) => event).sort(), events.map(({ id }) => id).sort());

  const acknowledged = load.requests.filter(({ answer }) => (answer?.status ?? 0) < 300).length;
  const { broken, unavailable, replayed, longestMs } = clients.figures;
  evidence(t, 'kill-cluster', {
    kills,
    requests: load.requests.length,
    acknowledged_changes: acknowledged,
    sessions: load.sessions.length,
    events: events.length,
    connections_broken: broken,
    answers_503: unavailable,
    changes_that_had_happened_before_they_were_repeated: replayed,
    request_ms: Math.round(longestMs),
    ready_longest_ms: Math.round(readyMs),
    ...findings.figures,
  });
  findings.assertNone();
  assert.ok(acknowledged >= kills * 20, `only ${acknowledged} changes: too few to say anything`);
});
