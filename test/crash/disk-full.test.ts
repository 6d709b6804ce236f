/**
 * The disk is full: stood in for by a limit on the size of files (RLIMIT_FSIZE), at which writes fail as they do on a
 * full disk, and which needs no rights. Nothing may be acknowledged that is not stored, and what was stays.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { freshDirectory, serve } from '../support/process.ts';
import { serveHere } from '../support/service.ts';
import { openBooks } from './books.ts';
import { startReceiver } from './receiver.ts';

/** Enough for a few hundred sessions. */
const LIMIT_KIB = 4096;
const CLIENTS = 16;
/** Time without a change after which it is full for good: longer than it takes to copy the log. */
const FOR_GOOD_MS = 1_000;
const key = 'ak_test_crash:sk_test_crash';
const headers = { authorization: 'Bearer sk_test_crash', 'content-type': 'application/json' };

test('a full disk refuses changes, loses none, and is over when there is room again', {
  timeout: 60_000,
}, async (t) => {
  const path = join(freshDirectory(t), 'full.db');
  const receiver = await startReceiver(t);
  const settings = { DATABASE_URL: `sqlite:${path}`, BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'fatal' };
  const acknowledged = new Map<string, string>();

  async function create(server: { readonly url: string }, reference: string): Promise<number> {
    const response = await fetch(`${server.url}/v3/checkout`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': reference },
      body: JSON.stringify({
        invoice_currency: 'EUR',
        amount: 100,
        reference_id: reference,
        webhook_url: receiver.url,
      }),
    });
    const answer = JSON.parse(await response.text());
    if (response.status === 201) acknowledged.set(reference, answer.data.id);
    else {
      assert.equal(response.status, 503, JSON.stringify(answer));
      assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.deepEqual(
        answer.errors.map(({ code }: { code: number }) => code),
        [101],
      );
    }
    return response.status;
  }
  const readiness = async (server: { readonly url: string }) => (await fetch(`${server.url}/readyz`)).status;

  await (await serveHere(t, settings)).stop();
  const server = await serve(t, settings, { shell: `trap '' XFSZ; ulimit -f ${LIMIT_KIB}` });
  assert.equal(await readiness(server), 200);
  const client = async (_: unknown, index: number) => {
    for (let n = 0; (await create(server, `${index}-${n}`)) === 201; n++) {
      assert.ok(n < 10_000, 'the limit is never reached');
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  assert.ok(acknowledged.size > 20, `${acknowledged.size} changes before the disk was full`);

  // The remaining space may suffice for a small change, and the log makes room when it was copied into the
  // file. But once neither can grow, every change is refused, and the service is not ready.
  let stored = performance.now();
  for (let n = 0; performance.now() - stored < FOR_GOOD_MS; n++) {
    if ((await create(server, `small-${n}`)) === 201) stored = performance.now();
    assert.ok(n < 100_000, 'it is never full');
  }
  assert.equal(await readiness(server), 503);
  const sentBefore = receiver.count();
  for (let round = 0; round < 20; round++) {
    assert.equal(await readiness(server), 503);
    const statuses = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) => create(server, `full-${round}-${index}`)),
    );
    assert.deepEqual(new Set(statuses), new Set([503]));
    assert.equal((await fetch(`${server.url}/livez`)).status, 200);
  }
  for (const [reference, id] of acknowledged) {
    const response = await fetch(`${server.url}/v3/checkout/${id}`, { headers });
    assert.equal(response.status, 200);
    assert.equal(JSON.parse(await response.text()).data.reference_id, reference);
  }
  const list = await fetch(`${server.url}/v3/checkout?reference_id=full-0-0`, { headers });
  assert.deepEqual(JSON.parse(await list.text()).data, []);
  // Receivers must not be sent the same again and again because what came of it cannot be written.
  const again = receiver.count() - sentBefore;
  assert.ok(again <= 2 * acknowledged.size, `${again} deliveries while nothing could be written`);

  assert.deepEqual(await server.kill('SIGTERM'), { code: 0, signal: null });
  const books = openBooks(path);
  await books.check();
  assert.equal(books.one('SELECT count(*) FROM checkout'), acknowledged.size);
  books.close();

  const roomy = await serveHere(t, settings);
  assert.equal(await readiness(roomy), 200);
  for (const [reference, id] of acknowledged) {
    const response = await fetch(`${roomy.url}/v3/checkout/${id}`, { headers });
    assert.equal(JSON.parse(await response.text()).data.reference_id, reference);
  }
  // A refused request can be repeated with its key.
  assert.equal(await create(roomy, 'full-0-0'), 201);
  const events = openBooks(path);
  const ids = events.all('SELECT event FROM delivery').map(({ event }) => String(event));
  events.close();
  assert.equal(ids.length, acknowledged.size);
  await receiver.hasSeen(ids);
});

test('a temporary folder that is full or gone refuses uploads alone, and for the time being', {
  timeout: 60_000,
}, async (t) => {
  const directory = freshDirectory(t);
  const gone = join(directory, 'gone');
  const settings = { BOOTSTRAP_API_KEY: key, LOG_LEVEL: 'fatal' };
  const full = { shell: `trap '' XFSZ; ulimit -f ${LIMIT_KIB}` };
  for (const [name, further, limits] of [
    ['full', {}, full],
    ['gone', { TMPDIR: gone }, {}],
  ] as const) {
    const DATABASE_URL = `sqlite:${join(directory, `${name}.db`)}`;
    const server = await serve(t, { ...settings, ...further, DATABASE_URL }, limits);
    const response = await fetch(`${server.url}/v3/bank_statement`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: Buffer.alloc(2 * LIMIT_KIB * 1024, '<'),
    });
    const answer = await response.text();
    assert.equal(response.status, 503, answer);
    assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.match(answer, /BANK_STATEMENT\.\w+\.UNAVAILABLE/);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  }
});
