/**
 * A server on SQLite stands still in the middle of its work, as one whose machine is suspended. A second one that would
 * take its place is refused, a backup can be made (or says that it has to wait for the server), and when it goes on nothing is
 * lost.
 *
 * OPENTILL_SEED repeats the moments and the requests of a run.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { evidence } from '../support/evidence.ts';
import { freshDirectory, run, runToEnd, serve } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { keptIn, openBooks } from './books.ts';
import { createLoad } from './load.ts';
import { checkLedger, checkSessions, repeatUnanswered } from './memory.ts';
import { randomFrom } from './random.ts';
import { hammer } from './refusals.ts';

/** Refusal of a backup, should the server have been stopped between two steps in the index of the log. */
const standsStill =
  /^opentill: [^\n]+ another process [^\n]+ stands still in the middle of its work[^\n]*\n$/;
const stops = scaled(1);
const key = 'ak_test_crash:sk_test_crash';
const authorization = `Basic ${Buffer.from(key).toString('base64')}`;

test(`a server stands still ${stops} times while another one would start`, {
  timeout: 60_000 + stops * 30_000,
}, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const directory = freshDirectory(t);
  const path = join(directory, 'till.db');
  const settings = {
    DATABASE_URL: `sqlite:${path}`,
    BOOTSTRAP_API_KEY: key,
    CHECKOUT_URL: 'https://pay.example.com',
    LOG_LEVEL: 'fatal',
  };
  const load = createLoad(random, authorization, '');
  let refusals = 0;
  let refusedBackups = 0;
  let server = await serve(t, settings);
  for (let round = 1; round <= stops; round++) {
    const { stop } = hammer(load, server);
    await pause(random.between(50, 500));
    server.child.kill('SIGSTOP');
    const backup = join(directory, `${round}.backup`);
    const [second, copying] = [
      run(t, ['serve'], { ...settings, PORT: '0' }),
      run(t, ['db', 'backup', backup], settings),
    ];
    const [refused, copied] = await Promise.all([second.ended, copying.ended]);
    assert.deepEqual(refused, { code: 1, signal: null });
    assert.match(second.output.stderr, /^opentill: another process is serving the database [^\n]+\n$/);
    const isRefused = standsStill.test(copying.output.stderr);
    assert.deepEqual(copied, { code: isRefused ? 1 : 0, signal: null }, copying.output.stderr);
    server.child.kill('SIGCONT');
    if (isRefused) {
      refusedBackups += 1;
      const { code, stderr } = await runToEnd(t, ['db', 'backup', backup], settings);
      assert.equal(code, 0, stderr);
    }
    await pause(random.between(0, 200));
    refusals += await stop();
    checkLedgerOf();
    // The changes of its log are there without the log.
    await server.kill('SIGKILL');
    server = await serve(t, settings);
    checkLedgerOf();
    await repeatUnanswered(load, server.url);
    const books = openBooks(path);
    await books.check();
    books.close();
  }
  assert.ok(refusedBackups <= Math.max(1, stops / 20), `${refusedBackups} backups of ${stops} were refused`);
  await checkSessions(load, server.url);
  const acknowledged = load.requests.filter(({ answer }) => (answer?.status ?? 0) < 300).length;
  evidence(t, 'stopped', {
    stops,
    acknowledged_changes: acknowledged,
    second_servers_refused: stops,
    backups_refused: refusedBackups,
    refusals,
  });

  function checkLedgerOf(): void {
    const books = openBooks(path);
    checkLedger(load, keptIn(books), load.unanswered());
    books.close();
  }
});
