/** Deliveries over real sockets. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { SendResult } from '../../src/webhooks/deliver.ts';
import { BODY, delivery, receiver, SECRET, sender } from './build.ts';

const NOW = Date.parse('2030-01-31T12:00:05.900Z');
const ok = (response: ServerResponse) => response.end('ok');

/** A server below HTTP: the test writes whatever it likes. */
async function rawReceiver(t: TestContext, onSocket: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    onSocket(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/` };
}

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
      const result = await sender(t).send(delivery(url), SECRET, NOW);
      assert.deepEqual(result, { outcome, httpStatus: status, error, retryAfterMs });
    });
  }

  test('that redirects is not followed', async (t) => {
    const other = await receiver(t, ok);
    const { url } = await receiver(t, (response) => response.writeHead(302, { location: other.url }).end());
    const result = await sender(t).send(delivery(url), SECRET, NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', 302, 'redirect']);
    assert.equal(other.counts.connections, 0);
  });

  test('is not hurried by news before it', async (t) => {
    const { url } = await receiver(t, (response) => {
      response.writeProcessing();
      response.end();
    });
    assert.equal((await sender(t).send(delivery(url), SECRET, NOW)).outcome, 'delivered');
  });
});

suite('a request', () => {
  test('has the frozen bytes and says what they are', async (t) => {
    const { url, received } = await receiver(t, ok);
    await sender(t).send(delivery(url), SECRET, NOW);
    const [request] = received;
    assert.ok(request);
    assert.deepEqual(request.body, Buffer.from(BODY));
    assert.equal(request.method, 'POST');
    assert.equal(request.headers['content-type'], 'application/json');
    assert.equal(request.headers['content-length'], String(Buffer.byteLength(BODY)));
    assert.equal(request.headers['user-agent'], 'opentill/1.2.3');
    assert.equal(request.headers['transfer-encoding'], undefined);
  });

  test('has signatures that the receiver can verify', async (t) => {
    const { url, received } = await receiver(t, ok);
    await sender(t).send(delivery(url), SECRET, Date.now());
    const [request] = received;
    assert.ok(request);
    const headers = request.headers as Record<string, string>;
    assert.deepEqual(new Webhook(SECRET).verify(request.body, headers), JSON.parse(BODY));
    const older = createHmac('sha256', SECRET)
      .update('evt_1')
      .update(request.body)
      .update('2030-01-31T12:00:00.123Z');
    assert.equal(headers.signature, older.digest('base64'));
  });

  test('bears the time of the attempt in whole seconds', async (t) => {
    const { url, received } = await receiver(t, ok);
    await sender(t).send(delivery(url), SECRET, NOW);
    assert.equal(received[0]?.headers['webhook-timestamp'], String(Math.floor(NOW / 1000)));
  });

  test('goes to the path and query of the address, without its fragment', async (t) => {
    const seen: (string | undefined)[] = [];
    const { port } = await receiver(t, (response, request: IncomingMessage) => {
      seen.push(request.url);
      response.end();
    });
    await sender(t).send(delivery(`http://127.0.0.1:${port}/a%20b/ü?q=1&r=#top`), SECRET, NOW);
    assert.deepEqual(seen, ['/a%20b/%C3%BC?q=1&r=']);
  });
});

suite('a connection', () => {
  test('serves the next delivery too', async (t) => {
    const { url, counts } = await receiver(t, ok);
    const { send } = sender(t);
    for (let n = 0; n < 5; n += 1) await send(delivery(url), SECRET, NOW);
    assert.equal(counts.connections, 1);
  });

  test('is one of a bounded number to a host', async (t) => {
    const { url, counts, received } = await receiver(t, ok);
    const { send } = sender(t, { maxSocketsPerHost: 3 });
    const results = await Promise.all(Array.from({ length: 30 }, () => send(delivery(url), SECRET, NOW)));
    assert.ok(results.every(({ outcome }) => outcome === 'delivered'));
    assert.equal(received.length, 30);
    assert.equal(counts.connections, 3);
  });

  test('that the receiver closed while it was idle is replaced', async (t) => {
    const answers = ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', null];
    let connections = 0;
    const { url } = await rawReceiver(t, (socket) => {
      connections += 1;
      let requests = 0;
      socket.on('data', (data) => {
        if (!data.includes('POST')) return;
        const answer = answers[requests++ % 2];
        if (answer) socket.write(answer);
        else socket.destroy();
      });
    });
    const { send } = sender(t);
    assert.equal((await send(delivery(url), SECRET, NOW)).outcome, 'delivered');
    assert.equal((await send(delivery(url), SECRET, NOW)).outcome, 'delivered');
    assert.equal(connections, 2);
  });

  test('is refused where nobody listens', async (t) => {
    const { url, server } = await receiver(t, ok);
    server.close();
    await once(server, 'close');
    const result = await sender(t).send(delivery(url), SECRET, NOW);
    assert.deepEqual(result, {
      outcome: 'failed',
      httpStatus: null,
      error: 'connection refused',
      retryAfterMs: null,
    });
  });

  const broken: Record<string, { answer: string; status: number | null; error: string }> = {
    'before an answer': { answer: '', status: null, error: 'connection closed' },
    'within the headers': {
      answer: 'HTTP/1.1 200 OK\r\ncontent-le',
      status: null,
      error: 'connection closed',
    },
    'within the body': {
      answer: 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n123',
      status: 200,
      error: 'connection closed',
    },
    'after something else than HTTP': { answer: 'SSH-2.0-OpenSSH\r\n', status: null, error: 'bad answer' },
    'after far too many headers': {
      answer: `HTTP/1.1 200 OK\r\n${'x-filler: abcdefghijklmnop\r\n'.repeat(4000)}\r\n`,
      status: null,
      error: 'bad answer',
    },
    'after an upgrade that nobody asked for': {
      answer: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: tea\r\nconnection: upgrade\r\n\r\n',
      status: 101,
      error: 'bad answer',
    },
  };
  for (const [when, { answer, status, error }] of Object.entries(broken)) {
    test(`that ends ${when} is a failure`, async (t) => {
      const { url } = await rawReceiver(t, (socket) => socket.once('data', () => socket.end(answer)));
      const result = await sender(t).send(delivery(url), SECRET, NOW);
      assert.deepEqual(result, { outcome: 'failed', httpStatus: status, error, retryAfterMs: null });
    });
  }

  test('over TLS names the host to the receiver', async (t) => {
    const hello = Promise.withResolvers<Buffer>();
    const { port } = await rawReceiver(t, (socket) =>
      socket.once('data', (data: Buffer) => {
        hello.resolve(data);
        socket.destroy();
      }),
    );
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const result = await sender(t, { resolve }).send(delivery(`https://shop.example:${port}/`), SECRET, NOW);
    assert.ok((await hello.promise).includes('shop.example'));
    assert.equal(result.outcome, 'failed');
  });

  test('over TLS fails with a receiver that speaks plain HTTP', async (t) => {
    const { port } = await receiver(t, ok);
    const result = await sender(t).send(delivery(`https://127.0.0.1:${port}/`), SECRET, NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', null, 'tls']);
  });
});

suite('a slow receiver', () => {
  // Enough for an honest answer of this machine, even a busy one, to have begun.
  const timeoutMs = 250;

  test('that never answers is left after the time-out', async (t) => {
    const { url, server } = await receiver(t, () => {});
    const closed = new Promise((resolve) => server.on('connection', (socket) => socket.on('close', resolve)));
    const result = await sender(t, { timeoutMs }).send(delivery(url), SECRET, NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', null, 'timeout']);
    await closed;
  });

  test('that drips its answer is left after the time-out too', async (t) => {
    const { url } = await receiver(t, (response) => {
      const drip = setInterval(() => response.write('.'), 2);
      response.on('close', () => clearInterval(drip));
    });
    const result = await sender(t, { timeoutMs }).send(delivery(url), SECRET, NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', 200, 'timeout']);
  });

  test('that drips its headers as well', async (t) => {
    const { url } = await rawReceiver(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      const drip = setInterval(() => socket.write('.'), 2);
      socket.on('close', () => clearInterval(drip));
    });
    const result = await sender(t, { timeoutMs }).send(delivery(url), SECRET, NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', null, 'timeout']);
  });

  test('does not hold what waits for its connections beyond the time-out', async (t) => {
    const { url } = await receiver(t, () => {});
    const { send } = sender(t, { timeoutMs, maxSocketsPerHost: 1 });
    const results = await Promise.all([1, 2, 3].map(() => send(delivery(url), SECRET, NOW)));
    assert.deepEqual(
      results.map(({ error }) => error),
      ['timeout', 'timeout', 'timeout'],
    );
  });

  test('that falls silent on a connection which served before is not sent to again', async (t) => {
    const { url, counts, received } = await receiver(t, (response, _request, count) => {
      if (count !== 2) response.end();
    });
    const { send } = sender(t, { timeoutMs });
    const errors = [];
    for (let n = 0; n < 3; n += 1) errors.push((await send(delivery(url), SECRET, NOW)).error);
    assert.deepEqual(errors, [null, 'timeout', null]);
    assert.deepEqual([received.length, counts.connections], [3, 2]);
  });

  test('has the same time for its name', async (t) => {
    const resolve = () => new Promise<never>(() => {});
    const result = await sender(t, { timeoutMs, resolve }).send(
      delivery('http://shop.example/'),
      SECRET,
      NOW,
    );
    assert.equal(result.error, 'timeout');
  });
});

suite('a long answer', () => {
  const LIMIT = 65_536;

  test('of 10 MB is cut, and its status counts', async (t) => {
    const { url, counts } = await receiver(t, (response) => response.end(Buffer.alloc(10_000_000)));
    const { send } = sender(t);
    assert.equal((await send(delivery(url), SECRET, NOW)).outcome, 'delivered');
    assert.equal((await send(delivery(url), SECRET, NOW)).outcome, 'delivered');
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
    const result = await sender(t).send(delivery(url), SECRET, NOW);
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
      for (let n = 0; n < 2; n += 1) await send(delivery(url), SECRET, NOW);
      assert.equal(counts.connections, connections);
    });
  }
});

suite('what cannot be sent', () => {
  for (const url of [
    '',
    'shop.example/hook',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ]) {
    test(`fails for the address ${JSON.stringify(url)}`, async (t) => {
      const result = await sender(t).send(delivery(url), SECRET, NOW);
      assert.deepEqual([result.outcome, result.error], ['failed', 'bad address']);
    });
  }

  test('fails without a secret, and nobody gets an unsigned body', async (t) => {
    const { url, counts } = await receiver(t, ok);
    const result = await sender(t).send(delivery(url), '', NOW);
    assert.deepEqual([result.outcome, result.error], ['failed', 'not sendable']);
    assert.equal(counts.connections, 0);
  });
});

test('close ends what is still being sent', async (t) => {
  const arrived = Promise.withResolvers<void>();
  const { url } = await receiver(t, () => arrived.resolve());
  const { send, close } = sender(t);
  const sending = send(delivery(url), SECRET, NOW);
  await arrived.promise;
  close();
  assert.deepEqual([(await sending).outcome, (await sending).error], ['failed', 'connection closed']);
});
