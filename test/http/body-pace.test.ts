/** Long bodies of one caller, read at a pace, and what others send meanwhile. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import Fastify from 'fastify';
import { BODY_LIMIT_BYTES } from '../../src/http/body.ts';
import { paceLongBodies } from '../../src/http/body-pace.ts';
import { answerFailures } from '../../src/http/failure.ts';
import { createPace } from '../../src/lib/rate-limit.ts';
import { mockTimers } from '../support/timers.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const PIECE = Buffer.alloc(64 * 1024, 'x');

const PIECES = 4;

/** A service that takes one piece a second of each address. */
async function listen(t: TestContext) {
  let nowMs = 0;
  const timers = mockTimers(t, ['setTimeout']);
  const app = Fastify({ trustProxy: true, bodyLimit: BODY_LIMIT_BYTES });
  t.after(() => {
    const closed = app.close();
    app.server.closeAllConnections();
    return closed;
  });
  paceLongBodies(
    app,
    createPace(PIECE.length, 5_000, () => nowMs),
  );
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => sockets.add(socket));
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  answerFailures(app, '');
  app.post('/', (request) => `${(request.body as Buffer).length}`);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });

  /** Sends a body and resolves with the answer. */
  async function post(
    address: string,
    body: Buffer,
    headers: Record<string, string | number>,
  ): Promise<string> {
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-forwarded-for': address, ...headers },
    });
    sent.end(body);
    const [response] = await once(sent, 'response');
    const text = (await response.toArray()).join('');
    return response.statusCode === 200
      ? text
      : `${response.statusCode} in ${response.headers['retry-after']} s`;
  }
  /** Announces a body, and leaves in front of it. */
  async function leave(address: string, lengthBytes: number): Promise<void> {
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-forwarded-for': address, 'content-length': lengthBytes },
    });
    sent.on('error', () => {});
    const arrived = once(app.server, 'request') as Promise<[IncomingMessage]>;
    sent.flushHeaders();
    const [{ socket }] = await arrived;
    const left = new Promise((resolve) => socket.once('close', resolve));
    sent.destroy();
    await left;
  }

  return {
    post,
    leave,
    /** The most that was read of a connection. */
    readBytes: () => Math.max(...[...sockets].map(({ bytesRead }) => bytesRead)),
    pass(ms: number): void {
      nowMs += ms;
      timers.tick(ms);
    },
  };
}

const CHUNKED = { 'transfer-encoding': 'chunked' };
const long = Buffer.concat(Array<Buffer>(PIECES).fill(PIECE));

for (const [what, headers] of [
  ['in chunks', CHUNKED],
  ['with its length', { 'content-length': long.length }],
] as const)
  test(`a long body ${what} is read at a pace, and those of others are at once`, async (t) => {
    const { post, readBytes, pass } = await listen(t);
    const answers: string[] = [];
    const asked = [post('192.0.2.1', long, headers), post('192.0.2.2', PIECE, CHUNKED)].map(async (answer) =>
      answers.push(await answer),
    );
    while (answers.length === 0) await nextTurn();
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    const first = readBytes();
    assert.ok(first < PIECES * PIECE.length, `${first} bytes are read at once`);
    assert.deepEqual(answers, [`${PIECE.length}`]);
    while (answers.length < 2) {
      pass(1_000);
      await nextTurn();
    }
    await Promise.all(asked);
    assert.deepEqual(answers, [`${PIECE.length}`, `${long.length}`]);
  });

for (const [what, headers, most] of [
  ['in chunks', CHUNKED, 6],
  ['with their length', { 'content-length': 2 * PIECE.length }, 3],
] as const)
  test(`long bodies ${what} that would wait for more than five seconds are refused`, async (t) => {
    const { post, pass } = await listen(t);
    const body = Buffer.concat([PIECE, PIECE]);
    const answers: string[] = [];
    const asked = Array.from({ length: 10 }, async () =>
      answers.push(await post('192.0.2.1', body, headers)),
    );
    while (answers.length < 3) await nextTurn();
    assert.equal(await post('192.0.2.2', PIECE, CHUNKED), `${PIECE.length}`);
    while (answers.length < asked.length) {
      pass(1_000);
      await nextTurn();
    }
    await Promise.all(asked);
    const taken = answers.filter((answer) => answer === `${body.length}`);
    const refused = answers.filter((answer) => /^429 in [67] s$/.test(answer));
    assert.ok(taken.length >= 3 && taken.length <= most, `${taken.length} are taken`);
    assert.equal(taken.length + refused.length, asked.length);
  });

test('a body that is too long is refused without waiting', async (t) => {
  const { post } = await listen(t);
  for (let count = 0; count < 10; count++)
    assert.match(await post('192.0.2.1', PIECE, { 'content-length': 300_000 }), /^413/);
});

test('a body whose client leaves costs what came of it', async (t) => {
  const { post, leave } = await listen(t);
  for (let count = 0; count < 20; count++) await leave('192.0.2.1', 3 * PIECE.length);
  assert.equal(await post('192.0.2.1', PIECE, CHUNKED), `${PIECE.length}`);
});
