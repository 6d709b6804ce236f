/** Requests of the service to itself: what comes back of them. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify from 'fastify';
import { dispatch, type OwnRequest } from '../../src/http/dispatch.ts';

const PIECES = 50;
/** Pieces that a stream has given. */
let given = 0;

const app = Fastify();
app.get('/nothing', (_request, reply) => reply.code(204).header('etag', '"1"').send());
app.get('/stream', (_request, reply) => reply.send(Readable.from(['one', Buffer.from('two')])));
app.get('/broken', (_request, reply) => {
  const broken = new Readable({ read() {} });
  broken.push('a beginning');
  setImmediate(() => broken.destroy(new Error('no more')));
  return reply.send(broken);
});
app.get('/from', ({ ip, protocol, headers }) => ({ ip, protocol, by: headers['x-request-id'] }));
app.post('/echo', ({ body, headers }) => ({ body, length: headers['content-length'] }));
await app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  scope.put('/length', async ({ body }) => {
    let length = 0;
    let atFirst = PIECES;
    for await (const piece of body as Readable) {
      if (length === 0) {
        for (let turn = 0; turn < 5; turn++) await nextTurn();
        atFirst = given;
      }
      length += piece.length;
    }
    return { length, isHeldBack: atFirst < PIECES / 2 };
  });
  scope.put('/unread', (_request, reply) => reply.code(413).send({ error: 'too long' }));
});
await app.ready();

const headers = { 'content-type': 'text/csv' };

async function ask(request: OwnRequest) {
  const { status, headers, pieces } = await dispatch(app, request);
  return { status, headers, text: Buffer.concat(pieces).toString() };
}
const json = async (request: OwnRequest) => JSON.parse((await ask(request)).text);

suite('a request of the service to itself', () => {
  test('has the status, headers and body of the answer', async () => {
    const { status, headers, text } = await ask({ method: 'GET', url: '/nothing' });
    assert.deepEqual([status, headers.etag, text], [204, '"1"', '']);
    assert.equal((await ask({ method: 'GET', url: '/stream' })).text, 'onetwo');
  });

  test('comes from this machine, with the headers that it was given', async () => {
    const answer = await json({ method: 'GET', url: '/from', headers: { 'x-request-id': 'req_1' } });
    assert.deepEqual(answer, { ip: '127.0.0.1', protocol: 'http', by: 'req_1' });
  });

  test('sends an object as JSON, and bytes as they are', async () => {
    const body = { name: 'ü' };
    assert.deepEqual(await json({ method: 'POST', url: '/echo', body }), { body, length: '13' });
    const headers = { 'content-type': 'text/plain' };
    const bytes = Buffer.from('plain');
    const answer = await json({ method: 'POST', url: '/echo', body: bytes, headers });
    assert.deepEqual(answer, { body: 'plain', length: '5' });
  });

  test('sends a stream no faster than it is read, and to its end', async () => {
    const piece = Buffer.alloc(100_000);
    const content = new Readable({
      read() {
        this.push(given++ < PIECES ? piece : null);
      },
    });
    const answer = await json({ method: 'PUT', url: '/length', body: content, headers });
    assert.deepEqual(answer, { length: PIECES * piece.length, isHeldBack: true });
  });

  test('is answered before its stream has ended, where nobody reads that', async () => {
    const content = new Readable({ read() {} });
    content.push('a beginning');
    assert.equal((await ask({ method: 'PUT', url: '/unread', body: content, headers })).status, 413);
  });

  test('gets the error of a stream that breaks off while it is read', async () => {
    const content = new Readable({ read() {} });
    content.push('a beginning');
    setImmediate(() => content.destroy(new Error('the browser has left')));
    const { status, text } = await ask({ method: 'PUT', url: '/length', body: content, headers });
    assert.deepEqual([status, JSON.parse(text).message], [500, 'the browser has left']);
  });

  test('gets one of a stream that was given up before, with an error or without', async () => {
    for (const error of [new Error('the browser has left'), undefined]) {
      const content = new Readable({ read() {} });
      await new Promise((resolve) =>
        content
          .once('error', () => {})
          .once('close', resolve)
          .destroy(error),
      );
      const { status } = await ask({ method: 'PUT', url: '/length', body: content, headers });
      assert.equal(status, 500);
    }
  });

  test('outlives a stream that breaks off behind its answer', async () => {
    const content = new Readable({ read() {} });
    await ask({ method: 'PUT', url: '/unread', body: content, headers });
    await new Promise((resolve) => content.once('close', resolve).destroy(new Error('the browser has left')));
    await nextTurn();
    assert.equal((await ask({ method: 'GET', url: '/nothing' })).status, 204);
  });

  test('fails where its answer breaks off', async () => {
    await assert.rejects(ask({ method: 'GET', url: '/broken' }), /broke off/);
    assert.equal((await ask({ method: 'GET', url: '/nothing' })).status, 204);
  });
});
