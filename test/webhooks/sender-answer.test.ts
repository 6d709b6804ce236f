/** Answers of receivers: how they are judged, and what is kept of them. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { suite, test } from 'node:test';
import type { SendResult } from '../../src/webhooks/sender.ts';
import { delivery, receiver, sender } from './build.ts';

const NOW = Date.parse('2030-01-31T12:00:05.900Z');
const ok = (response: ServerResponse) => response.end('ok');

suite('an answer', () => {
  const gmt = (ms: number) => new Date(ms).toUTCString();
  const rows: readonly [
    status: number,
    headers: Record<string, string>,
    outcome: SendResult['outcome'],
    error: string | null,
    retryAfterMs?: number,
  ][] = [
    [200, {}, 'delivered', null],
    [201, {}, 'delivered', null],
    [204, {}, 'delivered', null],
    [299, { 'retry-after': '60' }, 'delivered', null],
    [301, { location: 'http://127.0.0.1/' }, 'failed', 'redirect'],
    [304, {}, 'failed', 'redirect'],
    [400, {}, 'failed', 'status 400'],
    [404, {}, 'failed', 'status 404'],
    [410, {}, 'gone', 'status 410'],
    [429, { 'retry-after': '120' }, 'failed', 'status 429', 120_000],
    [500, {}, 'failed', 'status 500'],
    [503, { 'retry-after': gmt(NOW + 60_000) }, 'failed', 'status 503', 59_100],
    [503, { 'retry-after': 'soon' }, 'failed', 'status 503'],
  ];
  for (const [status, headers, outcome, error, retryAfterMs = null] of rows) {
    test(`of ${status} ${JSON.stringify(headers)} is ${outcome}`, async (t) => {
      const { url } = await receiver(t, (response) => response.writeHead(status, headers).end());
      const { durationMs, ...result } = await sender(t).send(delivery(url), NOW);
      assert.deepEqual(result, { outcome, httpStatus: status, error, retryAfterMs, answer: '' });
      assert.ok(Number.isInteger(durationMs) && durationMs >= 0);
    });
  }

  test('that redirects is not followed', async (t) => {
    const other = await receiver(t, ok);
    const { url } = await receiver(t, (response) => response.writeHead(302, { location: other.url }).end());
    const result = await sender(t).send(delivery(url), NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', 302, 'redirect']);
    assert.equal(other.counts.connections, 0);
  });

  test('is not hurried by news before it', async (t) => {
    const { url } = await receiver(t, (response) => {
      response.writeProcessing();
      response.end();
    });
    assert.equal((await sender(t).send(delivery(url), NOW)).outcome, 'delivered');
  });
});

suite('a long answer', () => {
  const LIMIT = 65_536;

  test('of 10 MB is cut, and its status counts', async (t) => {
    const { url, counts } = await receiver(t, (response) => response.end(Buffer.alloc(10_000_000)));
    const { send } = sender(t);
    assert.equal((await send(delivery(url), NOW)).outcome, 'delivered');
    assert.equal((await send(delivery(url), NOW)).outcome, 'delivered');
    assert.equal(counts.connections, 2, 'a connection that was cut serves nobody');
  });

  test('without an end is cut too', async (t) => {
    const cut = Promise.withResolvers<void>();
    const { url } = await receiver(t, (response) => {
      response.on('close', cut.resolve);
      response.writeHead(500);
      const more = () => {
        if (!response.destroyed) response.write(Buffer.alloc(16_384), () => setImmediate(more));
      };
      more();
    });
    const result = await sender(t).send(delivery(url), NOW);
    assert.deepEqual([result.outcome, result.error], ['failed', 'status 500']);
    await cut.promise;
  });

  for (const [bytes, connections] of [
    [LIMIT, 1],
    [LIMIT + 1, 2],
  ] as const) {
    test(`of ${bytes} bytes leads to ${connections} connections for two deliveries`, async (t) => {
      const { url, counts } = await receiver(t, (response) => response.end(Buffer.alloc(bytes)));
      const { send } = sender(t);
      for (let n = 0; n < 2; n += 1) await send(delivery(url), NOW);
      assert.equal(counts.connections, connections);
    });
  }
});

suite('what is kept of an answer', () => {
  const KEPT = 1_024;
  const rows: Record<string, { body: string | Buffer; kept: string }> = {
    'that is short: all of it': { body: '{"ok":true}', kept: '{"ok":true}' },
    'in other letters: them': { body: 'Zoë 東京 🧾\n\t.', kept: 'Zoë 東京 🧾\n\t.' },
    'of exactly so many bytes: all of it': { body: 'a'.repeat(KEPT), kept: 'a'.repeat(KEPT) },
    'of one more: not that': { body: `${'a'.repeat(KEPT)}b`, kept: 'a'.repeat(KEPT) },
    'whose last character is cut through: not that': {
      body: `${'a'.repeat(KEPT - 3)}🧾 and more`,
      kept: 'a'.repeat(KEPT - 3),
    },
    'that ends within a character: a mark for it': {
      body: Buffer.from('a🧾').subarray(0, 3),
      kept: 'a\uFFFD',
    },
    'that is no text: marks': { body: Buffer.from([0x61, 0xff, 0xc3, 0x28]), kept: 'a\uFFFD\uFFFD(' },
    'with control characters: marks for them': {
      body: 'a\0b\x1b[2Jc\x7fd\u0085e\r\n',
      kept: 'a\uFFFDb\uFFFD[2Jc\uFFFDd\uFFFDe\uFFFD\n',
    },
  };
  for (const [what, { body, kept }] of Object.entries(rows)) {
    for (const status of [200, 302, 404, 410, 500]) {
      test(`${what} (${status})`, async (t) => {
        const { url } = await receiver(t, (response) => response.writeHead(status).end(body));
        assert.equal((await sender(t).send(delivery(url), NOW)).answer, kept);
      });
    }
  }

  test('that comes in pieces is its beginning', async (t) => {
    const { url } = await receiver(t, (response) => {
      const bytes = Buffer.from('é'.repeat(KEPT));
      const next = (at: number) => {
        if (at >= bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 333), () => setImmediate(next, at + 333));
      };
      next(0);
    });
    assert.equal((await sender(t).send(delivery(url), NOW)).answer, 'é'.repeat(KEPT / 2));
  });

  test('that is longer than what is read is its beginning', async (t) => {
    const { url } = await receiver(t, (response) => response.end('x'.repeat(1_000_000)));
    assert.equal((await sender(t).send(delivery(url), NOW)).answer, 'x'.repeat(KEPT));
  });

  test('that never ends is what came until the time-out, and the time is told', async (t) => {
    const { url } = await receiver(t, (response) => response.write('wait'));
    const result = await sender(t, { timeoutMs: 250 }).send(delivery(url), NOW);
    assert.deepEqual([result.error, result.answer], ['timeout', 'wait']);
    // A timer may fire within the millisecond before.
    assert.ok(result.durationMs >= 249, String(result.durationMs));
  });
});
