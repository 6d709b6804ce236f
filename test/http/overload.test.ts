/** Changes that would wait for too long: refused before anything is done for them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../../src/http/auth.ts';
import { createOverload } from '../../src/http/overload.ts';

const caller: Principal = {
  tenant: { account: 1, mode: 'test' },
  keyId: 'ak_test_a',
  permissions: ['write'],
  operations: [],
  compatibility: 'strict',
};
const key = { authorization: 'Bearer sk_test_a' };

async function listen(t: TestContext, options: Parameters<typeof createOverload>[1] = { tickMs: 5 }) {
  let isLong = true;
  let refused = 0;
  const served: string[] = [];
  const overload = createOverload(
    {
      auth: {
        recall: ({ headers }) => (headers.authorization === key.authorization ? caller : undefined),
        verify: () => Promise.reject(new Error('no key is looked up')),
      },
      backlog: { isLong: () => isLong, isTooLongFor: () => isLong },
      requestId: ({ headers }: IncomingMessage) => String(headers['x-request-id'] ?? 'req_1'),
      publicUrl: 'https://pay.example.com',
      onRefused: () => refused++,
    },
    options,
  );
  const server = createServer((request, response) => {
    if (overload.refuses(request, response, 0)) return;
    served.push(`${request.method} ${request.url}`);
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    overload.close();
    server.close().closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const call = (method: string, path: string, headers: Record<string, string> = key) =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
  return {
    call,
    served,
    overload,
    refused: () => refused,
    relax: () => {
      isLong = false;
    },
  };
}

test('a change that would wait for too long is answered with 503 and when to repeat it', async (t) => {
  const { call, served, refused, relax } = await listen(t);
  const answer = await call('POST', '/v3/checkout', { ...key, 'x-request-id': 'mine' });
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('retry-after'), '1');
  assert.equal(answer.headers.get('x-request-id'), 'mine');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.deepEqual(await answer.json(), {
    status: 'error',
    message: 'API.REQUEST.UNAVAILABLE',
    errors: [{ code: 101, message: 'The service is temporarily unavailable.', remarks: '' }],
    request_id: 'mine',
  });
  const problem = await call('PUT', '/v3/checkout/chk_1', { ...key, accept: 'application/problem+json' });
  assert.equal(problem.status, 503);
  assert.equal(problem.headers.get('content-type'), 'application/problem+json; charset=utf-8');
  assert.equal(JSON.parse(await problem.text()).type, 'https://pay.example.com/docs/errors#unavailable');
  assert.equal(refused(), 2);
  assert.deepEqual(served, []);
  relax();
  assert.equal((await call('POST', '/v3/checkout')).status, 200);
});

test('reads, payers, providers and callers who are not known yet are never refused', async (t) => {
  const { call, served, refused } = await listen(t);
  const requests = [
    ['GET', '/v3/checkout'],
    ['HEAD', '/v3/checkout'],
    ['POST', '/transaction/1t0/pay'],
    ['POST', '/notices/stripe'],
    ['GET', '/readyz'],
  ] as const;
  for (const [method, path] of requests) assert.equal((await call(method, path)).status, 200);
  assert.equal((await call('POST', '/v3/checkout', {})).status, 200);
  assert.equal(served.length, requests.length + 1);
  assert.equal(refused(), 0);
});

test('a stop answers those that were held back, and refuses nobody any more', {
  timeout: 10_000,
}, async (t) => {
  const { call, overload, served, refused } = await listen(t, { tickMs: 3_600_000 });
  const held = [call('POST', '/v3/checkout'), call('DELETE', '/v3/checkout/chk_1')];
  while (refused() < held.length) await nextTurn();
  overload.close();
  for (const answer of await Promise.all(held)) assert.equal(answer.status, 503);
  assert.equal((await call('POST', '/v3/checkout')).status, 200);
  assert.equal(served.length, 1);
});

test('a bounded number of refusals is sent each second, and no refusal waits for ever', {
  timeout: 10_000,
}, async (t) => {
  const { call, refused } = await listen(t, { tickMs: 1, mostPerMs: 0, mostMs: 50 });
  const begunAt = performance.now();
  const held = [call('POST', '/v3/checkout'), call('PUT', '/v3/checkout/chk_1')];
  while (refused() < held.length) await nextTurn();
  for (const answer of await Promise.all(held)) assert.equal(answer.status, 503);
  assert.ok(performance.now() - begunAt >= 50);
});
