/** Failures in the log: what is the service's own stands there with its stack, a limit that holds in one line. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { fastify, LogController } from 'fastify';
import { bodyStream } from '../../src/http/body-stream.ts';
import { RequestError } from '../../src/http/errors.ts';
import { answerFailures } from '../../src/http/failure.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** An app that fails as the service does, and its log. */
function createApp(t: TestContext) {
  const lines: string[] = [];
  const stream = new Writable({
    write: (line, _encoding, done) => {
      lines.push(String(line));
      done();
      stream.emit('line');
    },
  });
  const app = fastify({
    logger: { stream },
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => 'req_1',
  });
  t.after(() => app.close());
  answerFailures(app, 'https://pay.example');
  return { app, lines, stream };
}

/** The status and the lines of the log for requests that each throw this. */
async function failed(t: TestContext, errors: readonly Error[]) {
  const { app, lines } = createApp(t);
  const left = [...errors];
  app.get('/', async () => {
    throw left.shift();
  });
  const statuses: number[] = [];
  for (const _ of errors) statuses.push((await app.inject('/')).statusCode);
  const logged = lines.map((line) => {
    const { level, msg, request_id, why, left_out, err } = JSON.parse(line);
    return { level, msg, request_id, why, left_out, stack: err?.stack?.split('\n')[0] };
  });
  return { statuses, logged };
}

test('a limit that is reached is a warning of one line, which names it', async (t) => {
  const refusal = () =>
    new RequestError('unavailable', [], { 'retry-after': '5' }, 'The upload has stalled.');
  const { statuses, logged } = await failed(t, [refusal(), refusal()]);
  assert.deepEqual(statuses, [503, 503]);
  assert.deepEqual(logged, [
    {
      level: 40,
      msg: 'request refused for now',
      request_id: 'req_1',
      why: 'The upload has stalled.',
      left_out: undefined,
      stack: undefined,
    },
  ]);
});

test('a failure of the service or its database is an error with its stack', async (t) => {
  const { statuses, logged } = await failed(t, [new StoreUnavailable('gone'), new TypeError('a bug')]);
  assert.deepEqual(statuses, [503, 500]);
  assert.deepEqual(
    logged.map(({ level, msg, stack }) => [level, msg, stack]),
    [
      [50, 'request failed', 'StoreUnavailable: gone'],
      [50, 'request failed', 'TypeError: a bug'],
    ],
  );
});

test('credentials that are refused are one line a minute for each reason', async (t) => {
  const line = { level: 40, msg: 'credentials refused', request_id: 'req_1' };
  const tenant = { account: 1, mode: 'test' } as const;
  const caller = {
    keyId: 'key_1',
    tenant,
    permissions: [],
    operations: [],
    compatibility: 'strict',
  } as const;
  let elapsedMs = 0;
  t.mock.method(performance, 'now', () => elapsedMs);
  const { app, lines } = createApp(t);
  const refusals = ['wrong_credentials', 'wrong_credentials', 'scope_missing', 'no_credentials'] as const;
  const left = [...refusals, 'wrong_credentials' as const].map((reason) => new RequestError(reason));
  app.decorateRequest('principal', null);
  app.get('/', async (request) => {
    const failure = left.shift();
    if (failure?.reason === 'scope_missing') request.principal = caller;
    throw failure;
  });
  for (const _ of refusals) await app.inject('/');
  elapsedMs = 60_000;
  await app.inject('/');
  const logged = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    logged.map(({ time, pid, hostname, reqId, ...line }) => line),
    [
      { ...line, why: 'The credentials are wrong, or the key is revoked.' },
      { ...line, key_id: 'key_1', why: 'The API key may not call this operation.' },
      { ...line, left_out: 1, why: 'The credentials are wrong, or the key is revoked.' },
    ],
  );
});

test('a mistake of a client is not in the log', async (t) => {
  const { statuses, logged } = await failed(t, [new RequestError('not_found')]);
  assert.deepEqual([statuses, logged], [[404], []]);
});

for (const [what, length] of [
  ['in the middle of its request', 200_000],
  ['while the end of its body waits to be read', 100_000],
] as const)
  test(`a client that leaves ${what} is no failure of the service`, async (t) => {
    const { app, lines, stream } = createApp(t);
    let request: IncomingMessage | undefined;
    app.addHook('preParsing', ({ raw }, _reply, _payload, done) => {
      request = raw;
      done(
        null,
        bodyStream(raw, () => {}),
      );
    });
    app.post('/', async () => 'whole');
    await app.listen({ port: 0, host: '127.0.0.1' });
    // The first line says where the service listens.
    lines.length = 0;
    const { port } = app.server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    client.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${' '.repeat(100_000)}`,
    );
    while (request === undefined || request.socket.bytesRead < 100_000) await nextTurn();
    const logged = once(stream, 'line');
    client.destroy();
    await logged;
    await app.close();
    assert.deepEqual(
      lines.map((each) => JSON.parse(each)).map(({ level, msg, request_id }) => ({ level, msg, request_id })),
      [{ level: 30, msg: 'the client left before its request was complete', request_id: 'req_1' }],
    );
  });
