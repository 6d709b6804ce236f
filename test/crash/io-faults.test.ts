/**
 * The disk fails at write 1, 2, 3 …: it is full, has errors, writes less than it should, is slow, or does not sync. The
 * service, the backup and the check meet it. What was acknowledged is there, nothing is damaged, and who cannot write
 * says so. It needs a C compiler: `npm run test:all` runs it where there is one.
 *
 * OPENTILL_SEED repeats the requests of a run.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { evidence } from '../support/evidence.ts';
import { freshDirectory, run, serve } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { checkAgainst, openBooks } from './books.ts';
import { eitherLog } from './either-log.ts';
import { createFindings } from './findings.ts';
import { createShim, type Fault, type Shim } from './io-shim.ts';
import { createLoad } from './load.ts';
import { randomFrom } from './random.ts';
import { hammer, isNotReady, LONGEST_MS, readiness, until } from './refusals.ts';

const rounds = scaled(0.5);
const key = 'ak_test_crash:sk_test_crash';
const authorization = `Basic ${Buffer.from(key).toString('base64')}`;

/** Faults that the rounds meet in turn. */
const ofWrites: readonly Fault[] = ['full', 'error', 'sync', 'short', 'slow'];
/** Faults after which everything goes well in the end. */
const passing: ReadonlySet<Fault> = new Set(['short', 'slow']);

test(`a service whose disk fails at write 1 to ${rounds}`, {
  timeout: 60_000 + rounds * 60_000,
}, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const directory = freshDirectory(t);
  const path = join(directory, 'data/till.db');
  mkdirSync(join(directory, 'data'));
  const shim = createShim(directory, join(directory, 'data'));
  t.after(shim.close);
  const settings = {
    DATABASE_URL: `sqlite:${path}`,
    BOOTSTRAP_API_KEY: key,
    CHECKOUT_URL: 'https://pay.example.com',
    LOG_LEVEL: 'error',
    ...shim.settings,
  };
  const load = createLoad(random, authorization, '');
  const figures = {
    faults: 0,
    refusals: 0,
    not_ready_ms: 0,
    ready_again_ms: 0,
    stops_while_it_fails: 0,
    ends: 0,
  };

  const findings = createFindings();
  let server = await serve(t, settings);
  for (let round = 1; round <= rounds; round++) {
    const fault = ofWrites[round % ofWrites.length] as Fault;
    const what = `round ${round} of seed ${seed}, ${fault}`;
    const { stop, refusedAt } = hammer(load, server);
    let hasEnded = false;
    void server.ended.then(() => {
      hasEnded = true;
    });
    shim.arm(fault, round);
    await until(() => shim.fired() > 0, `${what}: nothing meets the fault`);
    if (passing.has(fault)) {
      await pause(300);
      assert.equal(refusedAt(), null, `${what}: changes are refused`);
    } else {
      await until(() => refusedAt() !== null || hasEnded, `${what}: no change is refused`);
      const since = refusedAt() ?? performance.now();
      await until(async () => hasEnded || (await isNotReady(server)), `${what}: still ready`);
      figures.not_ready_ms = Math.max(figures.not_ready_ms, Math.round(performance.now() - since));
    }
    figures.faults += shim.fired();
    const stopsWhileItFails = round % 4 === 1;
    if (hasEnded) {
      // The log's state on the disk is known to a start alone, which refuses while the disk cannot be
      // trusted.
      await assert.rejects(serve(t, settings), /^Error: the server ended \({"code":1,/, what);
    } else if (stopsWhileItFails) {
      // The log is copied into the file as it stops, or is not.
      figures.stops_while_it_fails++;
    } else {
      shim.disarm();
      const from = performance.now();
      // The sync may be reported later than a write that fails at the same time.
      const isReady = () =>
        readiness(server).then(
          (status) => status === 200,
          () => hasEnded,
        );
      await until(isReady, `${what}: not ready again`);
      figures.ready_again_ms = Math.max(figures.ready_again_ms, Math.round(performance.now() - from));
    }
    if (hasEnded) {
      figures.ends++;
      assert.match(server.output.stderr, /could not be synced to the disk/, what);
    }
    figures.refusals += await stop();
    const ended = await server.kill(stopsWhileItFails || round % 4 === 3 ? 'SIGTERM' : 'SIGKILL');
    if (round % 2 === 1) assert.equal(ended.signal, null, `${what}: does not stop`);
    shim.disarm();

    server = await serve(t, settings, eitherLog(random));
    const allSessions = round === rounds;
    await checkAgainst(load, { path, url: server.url, allSessions }, findings.report);
  }
  const acknowledged = load.requests.filter(({ answer }) => (answer?.status ?? 0) < 300).length;
  evidence(t, 'io-faults', { rounds, acknowledged_changes: acknowledged, ...figures, ...findings.figures });
  findings.assertNone();
});

test(`a backup and a check whose disk fails at operation 1 to ${rounds}, beside a service`, {
  timeout: 60_000 + rounds * 60_000,
}, async (t) => {
  const directory = freshDirectory(t);
  const data = join(directory, 'data');
  mkdirSync(data);
  const path = join(data, 'till.db');
  const copy = join(data, 'till.backup');
  const shim = createShim(directory, data);
  t.after(shim.close);
  const settings = { DATABASE_URL: `sqlite:${path}`, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'fatal' };
  const server = await serve(t, settings);
  const load = createLoad(randomFrom(seed), authorization, '');
  const { stop } = hammer(load, server, 400);
  await stop();

  const figures = { backups_that_failed: 0, backups: 0, checks_that_failed: 0, checks: 0 };
  for (let round = 1; round <= rounds; round++) {
    const fault = ofWrites[round % ofWrites.length] as Fault;
    const what = `round ${round}, ${fault}`;
    rmSync(copy, { force: true });
    figures.backups++;
    if (await fails(shim, fault, round, ['db', 'backup', copy])) {
      figures.backups_that_failed++;
      assert.ok(!existsSync(copy), `${what}: half a backup is left`);
    } else {
      const books = openBooks(copy);
      await books.check();
      assert.equal(books.one('SELECT count(*) FROM checkout'), load.sessions.length, what);
      books.close();
    }
    figures.checks++;
    if (await fails(shim, 'read', round, ['db', 'check'])) figures.checks_that_failed++;
  }
  assert.equal(await readiness(server), 200);
  evidence(t, 'io-faults', figures);

  async function fails(shim: Shim, fault: Fault, from: number, args: readonly string[]): Promise<boolean> {
    shim.arm(fault, from);
    const command = run(t, args, { ...settings, ...shim.settings });
    const timer = setTimeout(() => command.child.kill('SIGKILL'), LONGEST_MS);
    const { code, signal } = await command.ended;
    clearTimeout(timer);
    const met = shim.fired() > 0;
    shim.disarm();
    const what = `${args.join(' ')}, ${fault} from ${from}: ${JSON.stringify(command.output)}`;
    assert.equal(signal, null, what);
    if (code === 0) {
      assert.ok(!met || passing.has(fault) || args[1] === 'backup', `${what}: it says that all is well`);
      return false;
    }
    assert.ok(met, what);
    assert.match(command.output.stderr, /^opentill: [^\n]+$/m, what);
    assert.doesNotMatch(command.output.stderr, /^ {4}at /m, what);
    return true;
  }
});
