/** Long bodies of one caller, read at a pace, and what others send meanwhile. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import Fastify from 'fastify';
import { paceLongBodies } from '../../src/http/body-pace.ts';
import { createPace } from '../../src/lib/rate-limit.ts';
import { mockTimers } from '../support/timers.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const PIECE = Buffer.alloc(64 * 1024, 'x');

/** A service that takes one piece a second of each address. */
async function listen(t: TestContext) {
  let nowMs = 0;
  const timers = mockTimers(t, ['setTimeout']);
  const app = Fastify({ trustProxy: true });
  t.after(() => {
    const closed = app.close();
    app.server.closeAllConnections();
    return closed;
  });
  paceLongBodies(
    app,
    createPace(PIECE.length, () => nowMs),
  );
  let readBytes = 0;
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('preParsing', (_request, _reply, payload, done) => {
    payload.on('data', (piece: Buffer) => {
      readBytes += piece.length;
    });
    done();
  });
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
    return (await response.toArray()).join('');
  }
  return {
    post,
    readBytes: () => readBytes,
    pass(ms: number): void {
      nowMs += ms;
      timers.tick(ms);
    },
  };
}

for (const [what, headers] of [
  ['in chunks', { 'transfer-encoding': 'chunked' }],
  ['with its length', { 'content-length': 4 * PIECE.length }],
] as const)
  test(`a long body ${what} is read at a pace, and those of others are at once`, async (t) => {
    const { post, readBytes, pass } = await listen(t);
    const long = Buffer.concat([PIECE, PIECE, PIECE, PIECE]);
    const answers: string[] = [];
    const asked = [
      post('192.0.2.1', long, headers),
      post('192.0.2.2', PIECE, { 'transfer-encoding': 'chunked' }),
    ].map(async (answer) => answers.push(await answer));
    for (let turn = 0; turn < 200; turn++) await nextTurn();
    const first = readBytes() - PIECE.length;
    assert.ok(first < long.length, `${first} bytes are read at once`);
    assert.deepEqual(answers, [`${PIECE.length}`]);
    while (answers.length < 2) {
      pass(1_000);
      await nextTurn();
    }
    await Promise.all(asked);
    assert.deepEqual(answers, [`${PIECE.length}`, `${long.length}`]);
  });
