/** Connections whose clients are slow, broken or do not read, with tiny limits. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { suite, type TestContext, test } from 'node:test';
import { type ConnectionOptions, guardConnections } from '../../src/http/connections.ts';
import { createPieces } from '../../src/http/pieces.ts';

const MB = 2 ** 20;
/** A connection that is not ended stays. */
const BOUNDED = { timeout: 20_000 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

async function listen(
  t: TestContext,
  options: ConnectionOptions,
  handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end('ok'),
) {
  const guard = guardConnections({ lookMs: 10, ...options });
  const refuse = (_: IncomingMessage, response: ServerResponse) => response.writeHead(429).end('refused');
  const server = guard.createGuardedServer({ handle, refuse });
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const tell = (status: string) => guard.endAfter(socket as Socket, () => `HTTP/1.1 ${status}\r\n\r\n`);
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') guard.whenLate(socket as Socket, () => tell('408 Late'));
    else tell('400 Bad');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  /** A client that keeps its side open and reads nothing until it is told to. */
  async function client(bytes: string, localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }
  const connectionCount = () =>
    new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
  const changes = new EventEmitter();
  server.on('connection', (socket) => {
    changes.emit('change');
    socket.once('close', () => setImmediate(() => changes.emit('change')));
  });
  async function untilConnections(count: number): Promise<void> {
    for (;;) {
      const changed = once(changes, 'change');
      if ((await connectionCount()) === count) return;
      await changed;
    }
  }
  return { guard, server, client, untilConnections };
}

suite('a connection ends', () => {
  for (const [what, bytes] of [
    ['that sends nothing', ''],
    ['that does not come to the end of a head', 'GET / HTTP/1.1\r\nHost:'],
    ['whose body is not whole', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
    ['whose bytes are no request, although the client stays', 'nonsense\r\n\r\n'],
  ] as const)
    test(what, async (t) => {
      const limits = { headMs: 50, requestMs: 100, lingerMs: 50 };
      const { client, untilConnections } = await listen(t, limits, (request, response) => {
        request.resume().once('end', () => response.end());
      });
      await client(bytes);
      await untilConnections(0);
    });

  test('whose client does not read an answer that is ready', async (t) => {
    const { client, untilConnections } = await listen(t, { answerMs: 50 }, (_, response) =>
      response.end(Buffer.alloc(32 * MB)),
    );
    await client(REQUEST);
    await untilConnections(0);
  });

  test('whose client does not read an answer that is sent in pieces', BOUNDED, async (t) => {
    const pieces = createPieces();
    const { client, untilConnections } = await listen(t, { answerMs: 50 }, (_, response) => {
      Readable.from(pieces.inTurns(response, 'a', [Buffer.alloc(32 * MB)])).pipe(response);
    });
    await client(REQUEST);
    await untilConnections(0);
  });

  test('behind the answers, where more requests wait than may', async (t) => {
    const open: ServerResponse[] = [];
    const { client, server, untilConnections } = await listen(t, { maxWaiting: 2 }, (_, response) => {
      open.push(response);
    });
    let parsed = 0;
    server.on('request', () => parsed++);
    const socket = await client(REQUEST.repeat(300));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      // What is sent later is not read, either, and costs the client no answer.
      socket.write(REQUEST);
    });
    const ended = once(socket, 'end');
    for (let count = 0; count < 3; count++) {
      while (open.length === 0) await new Promise((resolve) => setImmediate(resolve));
      open.pop()?.end(`done ${count}`);
    }
    await ended;
    assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+|done \d|refused/g), [
      ...['200', 'done 0', '200', 'done 1', '200', 'done 2'],
      ...['429', 'refused'],
    ]);
    assert.equal(parsed, 4, 'what comes behind a refusal costs nothing');
    await untilConnections(0);
  });

  test('that has requests waiting where all of them together have too many', async (t) => {
    const open: ServerResponse[] = [];
    const { client, untilConnections } = await listen(t, { maxWaitingInAll: 4 }, (_, response) => {
      open.push(response);
    });
    const begun = async (count: number) => {
      while (open.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let round = 0; round < 2; round++) {
      const first = await client(REQUEST.repeat(3));
      await begun(1);
      const second = await client(REQUEST.repeat(3));
      await begun(2);
      await client(REQUEST.repeat(2));
      await begun(3);
      open.pop()?.end();
      await untilConnections(2);
      // Requests that were answered, or lost with their connection, wait no more.
      first.resetAndDestroy();
      await untilConnections(1);
      let text = '';
      second.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      while (text.split('done').length <= 3) {
        for (const response of open.splice(0)) response.end('done');
        await new Promise((resolve) => setImmediate(resolve));
      }
      second.resetAndDestroy();
      await untilConnections(0);
    }
  });
});

// Elsewhere there is no second address.
test('others may wait where one client has as many requests waiting as he may', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const open: ServerResponse[] = [];
  const { client } = await listen(t, { maxWaitingOfClient: 3 }, (_, response) => {
    open.push(response);
  });
  const begun = async (count: number) => {
    while (open.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  const statusesOf = async (socket: Socket, count: number) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    while ((text.match(/HTTP/g)?.length ?? 0) < count) {
      for (const response of open.splice(0)) response.end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return text.match(/(?<=HTTP\/1\.1 )\d+/g);
  };
  const first = await client(REQUEST.repeat(4));
  await begun(1);
  const second = await client(REQUEST.repeat(2));
  await begun(2);
  const other = await client(REQUEST.repeat(2), '127.0.0.2');
  await begun(3);
  assert.deepEqual(await statusesOf(second, 2), ['200', '429']);
  assert.deepEqual(await statusesOf(other, 2), ['200', '200']);
  assert.deepEqual(await statusesOf(first, 4), Array(4).fill('200'));
  const third = await client(REQUEST.repeat(4));
  await begun(1);
  assert.deepEqual(await statusesOf(third, 4), Array(4).fill('200'), 'what was answered waits no more');
});

test('requests of a connection are answered one after the other, in their order', async (t) => {
  const open: ServerResponse[] = [];
  const begun: string[] = [];
  const { client } = await listen(t, {}, (request, response) => {
    begun.push(request.url ?? '');
    open.push(response);
  });
  const socket = await client(REQUEST.replace('/', '/1') + REQUEST.replace('/', '/2'));
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  while (open.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(begun, ['/1']);
  open[0]?.end('first');
  while (open.length === 1) await new Promise((resolve) => setImmediate(resolve));
  open[1]?.end('second');
  while (!text.endsWith('second')) await once(socket, 'data');
  assert.deepEqual(begun, ['/1', '/2']);
  assert.match(text, /first[\s\S]*second$/);
});

test('a client that does not read has no further request begun', async (t) => {
  let begun = 0;
  const { client } = await listen(t, { maxWaiting: 9 }, (_, response) => {
    begun++;
    response.end(Buffer.alloc(8 * MB));
  });
  const socket = await client(REQUEST.repeat(10));
  while (begun === 0) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(begun, 1);
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  while (bytes < 10 * 8 * MB) await once(socket, 'data');
  assert.equal(begun, 10);
});

test('unread bytes are bounded in all: the connections with most of them end', async (t) => {
  const sizes = [8, 32, 16].map((size) => size * MB);
  const { client, untilConnections } = await listen(t, { maxUnreadBytes: 12 * MB }, (request, response) =>
    response.end(Buffer.alloc(sizes[Number(request.url?.slice(1))] ?? 0)),
  );
  for (const index of [0, 1, 2]) await client(REQUEST.replace('/', `/${index}`));
  await untilConnections(1);
});

test('unread bytes count what is still to be sent in pieces', BOUNDED, async (t) => {
  const pieces = createPieces();
  const sizes = [8, 32, 16].map((size) => size * MB);
  const { client, untilConnections } = await listen(t, { maxUnreadBytes: 12 * MB }, (request, response) => {
    const bytes = Buffer.alloc(sizes[Number(request.url?.slice(1))] ?? 0);
    Readable.from(pieces.inTurns(response, 'a', [bytes])).pipe(response);
  });
  for (const index of [0, 1, 2]) await client(REQUEST.replace('/', `/${index}`));
  await untilConnections(1);
});

suite('nothing more of a long body is read once its request is refused', BOUNDED, () => {
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  for (const [what, head, fill] of [
    ['with its length', 'Content-Length: 100000000', 'x'.repeat(0x10000)],
    ['that would be read otherwise', 'Content-Length: 250000', 'x'.repeat(0x10000)],
    ['in chunks', 'Transfer-Encoding: chunked', chunk],
    ['whose connection ends with the answer', 'Content-Length: 100000000\r\nConnection: close', chunk],
  ] as const)
    for (const [when, refusedAt] of [
      ['at its head', 0],
      ['when as much of it waits as may be', 0],
      ['when its first bytes are there', 1],
      ['after some of it', 150_000],
    ] as const)
      test(`${what}, ${when}`, async (t) => {
        let socketOfServer: Socket | undefined;
        let readUntilRefused = 0;
        const { client, untilConnections } = await listen(t, { lingerMs: 200 }, (request, response) => {
          socketOfServer = request.socket;
          let bodyBytes = 0;
          function refuse(): void {
            if (response.writableEnded || bodyBytes < refusedAt) return;
            readUntilRefused = request.socket.bytesRead;
            response.writeHead(401).end('refused');
          }
          if (refusedAt > 0)
            request.on('data', (piece: Buffer) => {
              bodyBytes += piece.length;
              refuse();
            });
          function refuseWhenFull(): void {
            if (request.readableLength < request.readableHighWaterMark) setImmediate(refuseWhenFull);
            else refuse();
          }
          if (when.startsWith('when as much')) refuseWhenFull();
          else refuse();
        });
        const socket = await client(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
        const writing = setInterval(() => socket.writableNeedDrain || socket.write(fill.repeat(100)), 1);
        t.after(() => clearInterval(writing));
        let answer = '';
        socket.on('data', (piece) => {
          answer += piece;
        });
        await once(socket, 'end');
        assert.match(answer, /401 Unauthorized.*refused/s);
        await untilConnections(0);
        assert.ok(readUntilRefused > 0);
        assert.equal(socketOfServer?.bytesRead, readUntilRefused);
      });

  test('and a body that ends stays with its connection', async (t) => {
    const { client } = await listen(t, {}, (request, response) => {
      if (request.url === '/') response.writeHead(401).end('refused');
      else response.end('served');
    });
    const socket = await client('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n{');
    let answers = '';
    socket.on('data', (piece) => {
      answers += piece;
      if (answers.endsWith('refused\r\n0\r\n\r\n'))
        socket.write('  GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    });
    await once(socket, 'end');
    assert.match(answers, /401.*refused.*200.*served/s);
  });
});

suite('a client is told why its request ends', () => {
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  async function until(holds: () => boolean): Promise<void> {
    const end = performance.now() + 5_000;
    for (; !holds(); await nextTurn()) assert.ok(performance.now() < end, 'it does not come to that');
  }

  /** Text that a client reads until its connection has ended. */
  function reading(socket: Socket) {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    const ended = once(socket, 'end');
    return { text: () => text, all: () => ended.then(() => text) };
  }

  test('behind the answers to those before it', async (t) => {
    const open: ServerResponse[] = [];
    const { client } = await listen(t, { headMs: 30 }, (_, response) => void open.push(response));
    const socket = await client(`${REQUEST}${REQUEST}GET / HTTP/1.1\r\nHost:`);
    const { all } = reading(socket);
    for (let turn = 0; turn < 2; turn++) {
      await until(() => open.length > turn);
      const late = performance.now() + 100;
      await until(() => performance.now() > late);
      open[turn]?.end(`answer ${turn}`);
    }
    assert.match(await all(), /200 OK[\s\S]*answer 0[\s\S]*200 OK[\s\S]*answer 1[\s\S]*408 Late/);
  });

  for (const [what, bytes, rest] of [
    ['a head', 'POST / HTTP/1.1\r\nHost: x\r\n', 'Content-Length: 2\r\n\r\n{}'],
    ['a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{', '}'],
  ] as const)
    test(`and the rest of ${what} that comes afterwards does nothing`, async (t) => {
      let done = 0;
      const limits = { headMs: 30, requestMs: 30, lingerMs: 200 };
      const { client, untilConnections } = await listen(t, limits, (request, response) => {
        request.resume().once('end', () => {
          done++;
          response.end();
        });
      });
      const socket = await client(bytes);
      const { all } = reading(socket);
      await until(() => socket.bytesRead > 0);
      socket.write(rest);
      assert.match(await all(), /^HTTP\/1.1 408 Late\r\n\r\n$/);
      await untilConnections(0);
      assert.equal(done, 0);
    });

  test('unless all of it is there when a process that stood still goes on', async (t) => {
    const { client } = await listen(t, { headMs: 400, requestMs: 400 }, (request, response) => {
      request.resume().once('end', () => setImmediate(() => response.end(`served ${request.method}`)));
    });
    for (const [first, rest, served] of [
      ['PUT / HTTP/1.1\r\nHost', ': x\r\n\r\n', 'served PUT'],
      ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{', '}', 'served POST'],
    ] as const) {
      const socket = await client(first);
      const { text, all } = reading(socket);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
      socket.write(rest);
      standStill(600);
      await until(() => text().includes(served));
      // The connection goes on as if nothing had been.
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      assert.match(await all(), new RegExp(`200 OK[\\s\\S]*${served}[\\s\\S]*200 OK[\\s\\S]*served GET$`));
    }
  });
});

/** Blocks the whole process for this time. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

suite('a stop', () => {
  test('ends what has not begun, and waits for the rest', async (t) => {
    const open: ServerResponse[] = [];
    const { guard, client, untilConnections } = await listen(
      t,
      { headDrainMs: 20, drainMs: 60_000 },
      (_, response) => void open.push(response),
    );
    for (const bytes of ['', 'GET / HT']) await client(bytes);
    const waiting = await client(REQUEST);
    await untilConnections(3);
    while (open.length === 0) await new Promise((resolve) => setImmediate(resolve));
    guard.drain();
    await untilConnections(1);
    open[0]?.end('answer');
    const ended = once(waiting, 'end').then(() => assert.fail('the request that has begun was ended'));
    const [answer] = await Promise.race([once(waiting, 'data'), ended]);
    assert.match(String(answer), /^HTTP\/1\.1 200 .*answer/s);
    await untilConnections(0);
  });

  test('waits for a bounded time', async (t) => {
    const { guard, client, untilConnections } = await listen(t, { drainMs: 20 }, () => {});
    await client(REQUEST);
    await untilConnections(1);
    guard.drain();
    await untilConnections(0);
  });
});
