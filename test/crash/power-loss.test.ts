/**
 * The power goes while many clients write: what was not synced is lost, all of it or a part. Everything acknowledged is
 * there, and everything that sessions, lists, the feed and webhooks have told of. A service that does not sync each commit
 * is the control: it has to lose something. It needs a C compiler: `npm run test:all` runs it where there is one.
 *
 * OPENTILL_SEED repeats the moments and the requests of a run.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { evidence } from '../support/evidence.ts';
import { freshDirectory, serve } from '../support/process.ts';
import { isWhole, scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { checkAgainst, keptIn, openBooks } from './books.ts';
import { eitherLog } from './either-log.ts';
import { createFindings } from './findings.ts';
import { checkHeard, listen } from './listeners.ts';
import { createLoad } from './load.ts';
import { createPower } from './power.ts';
import { type Random, randomFrom } from './random.ts';
import { startReceiver } from './receiver.ts';
import { until } from './refusals.ts';

const cycles = scaled(1);
const CONTROLS = isWhole ? 5 : 1;
/** Where nothing is lost: a copy of the log may sync all of it a moment before, which is less rare on a busy machine. */
const MOST_CONTROLS = 10;
/** Answers before the power goes: fewer could lose nothing. */
const ANSWERED = 50;
const CLIENTS = 16;
const key = 'ak_test_crash:sk_test_crash';
const authorization = `Basic ${Buffer.from(key).toString('base64')}`;

function prepared(t: TestContext) {
  const directory = freshDirectory(t);
  const data = join(directory, 'data');
  mkdirSync(data);
  const path = join(data, 'till.db');
  const power = createPower(directory, data);
  const settings = {
    DATABASE_URL: `sqlite:${path}`,
    BOOTSTRAP_API_KEY: key,
    CHECKOUT_URL: 'https://pay.example.com',
    ...power.settings,
  };
  return { path, power, settings };
}

/** All of it, or about a half. */
const chanceOf = (random: Random) => random.pick([1, 0.5]);

test(`nothing acknowledged is lost in ${cycles} losses of power`, {
  timeout: 60_000 + cycles * 30_000,
}, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const { path, power, settings } = prepared(t);
  const receiver = await startReceiver(t);
  const load = createLoad(random, authorization, receiver.url);
  const findings = createFindings();
  let writesLost = 0;
  let told = 0;
  let server = await serve(t, settings);
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const hammering = load.hammer(server.url, CLIENTS);
    const listening = listen(load, server.url);
    await pause(random.between(20, 500));
    await server.kill('SIGKILL');
    await hammering;
    const heard = await listening;
    writesLost += power.lose(random, chanceOf(random));
    const books = openBooks(path);
    told += checkHeard(books, heard, receiver.seen, findings.report);
    books.close();

    server = await serve(t, settings, eitherLog(random));
    const allSessions = cycle === cycles;
    await checkAgainst(load, { path, url: server.url, allSessions }, findings.report);
  }
  const acknowledged = load.requests.filter(({ answer }) => (answer?.status ?? 0) < 300).length;
  evidence(t, 'power-loss', {
    cycles,
    acknowledged_changes: acknowledged,
    told,
    writes_lost: writesLost,
    ...findings.figures,
  });
  findings.assertNone();
});

test('a service that does not sync each commit loses some', { timeout: 240_000 }, async (t) => {
  const random = randomFrom(seed);
  let [controls, lost] = [0, 0];
  for (; controls < CONTROLS || (lost === 0 && controls < MOST_CONTROLS); controls++) {
    const { path, power, settings } = prepared(t);
    const load = createLoad(random, authorization, '');
    const program = join(import.meta.dirname, 'unsynced-service.ts');
    await (await serve(t, settings)).kill('SIGTERM');
    const server = await serve(t, settings, { program });
    const hammering = load.hammer(server.url, CLIENTS);
    const answered = () => load.requests.filter(({ answer }) => answer !== null).length;
    await until(() => answered() >= ANSWERED, 'the service without syncs answers nothing');
    await server.kill('SIGKILL');
    await hammering;
    power.lose(random, 1);
    await (await serve(t, settings)).kill('SIGTERM');
    const books = openBooks(path);
    const kept = new Set(keptIn(books).keys);
    books.close();
    lost += load.requests.filter(({ answer, key }) => (answer?.status ?? 500) < 300 && !kept.has(key)).length;
  }
  assert.ok(lost > 0, 'the control loses nothing: then nothing is shown by who loses nothing');
  evidence(t, 'power-loss', { controls, changes_lost_by_the_control: lost });
});
