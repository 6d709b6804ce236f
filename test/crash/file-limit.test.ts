/**
 * The disk is full after so many bytes, whatever is being written then: a limit on the size of files stands in for it, as
 * in `disk-full.test.ts`. Then the process is killed, and has to find everything that it acknowledged.
 *
 * OPENTILL_SEED repeats the sizes and the requests of a run.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { evidence } from '../support/evidence.ts';
import { freshDirectory, serve } from '../support/process.ts';
import { scaled } from '../support/scale.ts';
import { seed } from '../support/seed.ts';
import { serveHere } from '../support/service.ts';
import { keptIn, openBooks } from './books.ts';
import { createLoad } from './load.ts';
import { checkLedger, checkSessions, repeatUnanswered } from './memory.ts';
import { randomFrom } from './random.ts';
import { hammer, readiness, until } from './refusals.ts';

const sizes = scaled(2);
const key = 'ak_test_crash:sk_test_crash';
const authorization = `Basic ${Buffer.from(key).toString('base64')}`;

test(`a disk that is full after ${sizes} different sizes`, {
  timeout: 60_000 + sizes * 60_000,
}, async (t) => {
  t.diagnostic(`seed ${seed}`);
  const random = randomFrom(seed);
  const figures = { sizes, acknowledged_changes: 0, refusals: 0, not_ready_ms: 0 };
  for (let n = 0; n < sizes; n++) {
    const path = join(freshDirectory(t), 'full.db');
    const settings = {
      DATABASE_URL: `sqlite:${path}`,
      BOOTSTRAP_API_KEY: key,
      CHECKOUT_URL: 'https://pay.example.com',
      LOG_LEVEL: 'fatal',
    };
    // The schema is there: what does not even hold that does not start.
    await (await serveHere(t, settings)).stop();
    const kib = random.between(600, 3000);
    const what = `${kib} KiB with seed ${seed}`;
    const server = await serve(t, settings, { shell: `trap '' XFSZ; ulimit -f ${kib}` });
    const load = createLoad(random, authorization, '');
    const { stop, refusedAt } = hammer(load, server);
    await until(() => refusedAt() !== null, `${what}: no change is refused`);
    // Small changes go on until nothing fits.
    let since = 0;
    await until(async () => {
      since = performance.now();
      return (await readiness(server)) === 503;
    }, `${what}: still ready`);
    figures.not_ready_ms = Math.max(figures.not_ready_ms, Math.round(since - (refusedAt() ?? 0)));
    figures.refusals += await stop();
    await server.kill('SIGKILL');

    const roomy = await serveHere(t, settings);
    assert.equal(await readiness(roomy), 200);
    const books = openBooks(path);
    await books.check();
    checkLedger(load, keptIn(books), load.unanswered());
    await repeatUnanswered(load, roomy.url);
    checkLedger(load, keptIn(books), []);
    books.close();
    await checkSessions(load, roomy.url);
    figures.acknowledged_changes += load.requests.filter(({ answer }) => (answer?.status ?? 0) < 300).length;
    await roomy.stop();
  }
  evidence(t, 'disk-full', figures);
});
