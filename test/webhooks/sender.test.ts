/** Deliveries over real sockets. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
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

suite('a request', () => {
  test('has the frozen bytes and says what they are', async (t) => {
    const { url, received } = await receiver(t, ok);
    await sender(t).send(delivery(url), NOW);
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
    await sender(t).send(delivery(url), Date.now());
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

  test('has a signature of each secret that is valid', async (t) => {
    const { url, received } = await receiver(t, ok);
    const newer = `whsec_${Buffer.from('the newer secret of this merchant').toString('base64')}`;
    await sender(t).send(delivery(url, { secrets: [newer, SECRET] }), Date.now());
    const [request] = received;
    assert.ok(request);
    const headers = request.headers as Record<string, string>;
    for (const secret of [newer, SECRET]) {
      assert.deepEqual(new Webhook(secret).verify(request.body, headers), JSON.parse(BODY));
    }
  });

  test('bears the time of the attempt in whole seconds', async (t) => {
    const { url, received } = await receiver(t, ok);
    await sender(t).send(delivery(url), NOW);
    assert.equal(received[0]?.headers['webhook-timestamp'], String(Math.floor(NOW / 1000)));
  });

  test('goes to the path and query of the address, without its fragment', async (t) => {
    const seen: (string | undefined)[] = [];
    const { port } = await receiver(t, (response, request: IncomingMessage) => {
      seen.push(request.url);
      response.end();
    });
    await sender(t).send(delivery(`http://127.0.0.1:${port}/a%20b/ü?q=1&r=#top`), NOW);
    assert.deepEqual(seen, ['/a%20b/%C3%BC?q=1&r=']);
  });
});

suite('a connection', () => {
  test('serves the next delivery too', async (t) => {
    const { url, counts } = await receiver(t, ok);
    const { send } = sender(t);
    for (let n = 0; n < 5; n += 1) await send(delivery(url), NOW);
    assert.equal(counts.connections, 1);
  });

  test('is one of a bounded number to a host', async (t) => {
    const { url, counts, received } = await receiver(t, ok);
    const { send } = sender(t, { maxSocketsPerHost: 3 });
    const results = await Promise.all(Array.from({ length: 30 }, () => send(delivery(url), NOW)));
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
    assert.equal((await send(delivery(url), NOW)).outcome, 'delivered');
    assert.equal((await send(delivery(url), NOW)).outcome, 'delivered');
    assert.equal(connections, 2);
  });

  test('that the receiver closes at once is not tried again: it may have heard', async (t) => {
    let connections = 0;
    const { url } = await rawReceiver(t, (socket) => {
      connections += 1;
      socket.on('data', () => socket.destroy());
    });
    const result = await sender(t).send(delivery(url), NOW);
    assert.deepEqual([result.outcome, result.error], ['failed', 'connection closed']);
    assert.equal(connections, 1);
  });

  test('is refused where nobody listens', async (t) => {
    const { url, server } = await receiver(t, ok);
    server.close();
    await once(server, 'close');
    const result = await sender(t).send(delivery(url), NOW);
    assert.deepEqual(
      [result.outcome, result.httpStatus, result.error],
      ['failed', null, 'connection refused'],
    );
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
    'after more hints than anybody needs': {
      answer: `${'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'.repeat(11)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`,
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
      const result = await sender(t).send(delivery(url), NOW);
      assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', status, error]);
      assert.equal(result.answer, when === 'within the body' ? '123' : '');
    });
  }

  test('may give ten hints before its answer', async (t) => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'.repeat(10);
    const { url } = await rawReceiver(t, (socket) =>
      socket.once('data', () => socket.end(`${hints}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`)),
    );
    assert.equal((await sender(t).send(delivery(url), NOW)).outcome, 'delivered');
  });

  test('over TLS names the host to the receiver', async (t) => {
    const hello = Promise.withResolvers<Buffer>();
    const { port } = await rawReceiver(t, (socket) =>
      socket.once('data', (data: Buffer) => {
        hello.resolve(data);
        socket.destroy();
      }),
    );
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const result = await sender(t, { resolve }).send(delivery(`https://shop.example:${port}/`), NOW);
    assert.ok((await hello.promise).includes('shop.example'));
    assert.equal(result.outcome, 'failed');
  });

  test('over TLS fails with a receiver that speaks plain HTTP', async (t) => {
    const { port } = await receiver(t, ok);
    const result = await sender(t).send(delivery(`https://127.0.0.1:${port}/`), NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', null, 'tls']);
  });
});

suite('a slow receiver', () => {
  // Enough for an honest answer of this machine, even a busy one, to have begun.
  const timeoutMs = 250;

  test('that never answers is left after the time-out', async (t) => {
    const { url, server } = await receiver(t, () => {});
    const closed = new Promise((resolve) => server.on('connection', (socket) => socket.on('close', resolve)));
    const result = await sender(t, { timeoutMs }).send(delivery(url), NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', null, 'timeout']);
    await closed;
  });

  test('that drips its answer is left after the time-out too', async (t) => {
    const { url } = await receiver(t, (response) => {
      const drip = setInterval(() => response.write('.'), 2);
      response.on('close', () => clearInterval(drip));
    });
    const result = await sender(t, { timeoutMs }).send(delivery(url), NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', 200, 'timeout']);
  });

  test('that drips its headers as well', async (t) => {
    const { url } = await rawReceiver(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      const drip = setInterval(() => socket.write('.'), 2);
      socket.on('close', () => clearInterval(drip));
    });
    const result = await sender(t, { timeoutMs }).send(delivery(url), NOW);
    assert.deepEqual([result.outcome, result.httpStatus, result.error], ['failed', null, 'timeout']);
  });

  test('does not hold what waits for its connections beyond the time-out', async (t) => {
    const { url } = await receiver(t, () => {});
    const { send } = sender(t, { timeoutMs, maxSocketsPerHost: 1 });
    const results = await Promise.all([1, 2, 3].map(() => send(delivery(url), NOW)));
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
    for (let n = 0; n < 3; n += 1) errors.push((await send(delivery(url), NOW)).error);
    assert.deepEqual(errors, [null, 'timeout', null]);
    assert.deepEqual([received.length, counts.connections], [3, 2]);
  });

  test('has the same time for its name', async (t) => {
    const resolve = () => new Promise<never>(() => {});
    const result = await sender(t, { timeoutMs, resolve }).send(delivery('http://shop.example/'), NOW);
    assert.equal(result.error, 'timeout');
  });
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
      const result = await sender(t).send(delivery(url), NOW);
      assert.deepEqual([result.outcome, result.error], ['failed', 'bad address']);
    });
  }

  test('fails without a secret, and nobody gets an unsigned body', async (t) => {
    const { url, counts } = await receiver(t, ok);
    const result = await sender(t).send(delivery(url, { secrets: [''] }), NOW);
    assert.deepEqual([result.outcome, result.error], ['failed', 'not sendable']);
    assert.equal(counts.connections, 0);
  });
});

test('close ends what is still being sent', async (t) => {
  const arrived = Promise.withResolvers<void>();
  const { url } = await receiver(t, () => arrived.resolve());
  const { send, close } = sender(t);
  const sending = send(delivery(url), NOW);
  await arrived.promise;
  close();
  assert.deepEqual([(await sending).outcome, (await sending).error], ['failed', 'connection closed']);
});
