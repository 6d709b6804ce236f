/** A request that is repeated with its key happens once, and is answered with the same bytes. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { type Answer, startService } from '../support/service.ts';
import {
  advance,
  assertRefused,
  createSession,
  type Data,
  eventTypes,
  feed,
  now,
  order,
  pay,
  succeeded,
  writesNothing,
} from './shop.ts';

const service = await startService({ after });
const { call } = service;

let keys = 0;
const freshKey = () => `order-${++keys}`;

function repeated(answer: Answer): boolean {
  return answer.headers.get('idempotent-replayed') === 'true';
}

/** All parts of an answer that a client can tell apart. */
function visible({ status, headers, text }: Answer) {
  const names = ['etag', 'location', 'content-type'];
  return [status, ...names.map((name) => headers.get(name)), text];
}

test('100 creates at once with one key make one session, one event and 100 equal answers', async () => {
  const body = { ...order, reference_id: 'at once' };
  const headers = { 'idempotency-key': freshKey() };
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => call('POST', '/v3/checkout', { body, headers })),
  );
  const [first] = answers as [Answer];
  assert.equal(first.status, 201);
  for (const answer of answers) assert.deepEqual(visible(answer), visible(first));
  assert.equal(answers.filter(repeated).length, 99);
  const events = await feed(service);
  assert.deepEqual(
    events
      .filter(({ data }) => data.reference_id === body.reference_id)
      .map(({ type, data }) => [type, data.id]),
    [['checkout.created', first.json.data.id]],
  );
  const { json } = await call('GET', `/v3/checkout?reference_id=${encodeURIComponent(body.reference_id)}`);
  assert.deepEqual(
    json.data.map(({ id }: Data) => id),
    [first.json.data.id],
  );
});

suite('each operation is repeated without effect', async () => {
  const { id } = await createSession(service, { amount: 2500 });
  const { id: other } = await createSession(service);
  const customer = succeeded(await call('POST', '/v3/customer', { body: { name: 'Ada' } }), 201);
  const rows = [
    ['create', 'POST', '/v3/checkout', order],
    ['update', 'PUT', `/v3/checkout/${id}`, { items: order.items }],
    ['pay', 'POST', `/v3/test_helpers/checkout/${id}/pay`, {}],
    [
      'pay without a body',
      'POST',
      `/v3/test_helpers/checkout/${id}/pay`,
      { amount: 1, outcome: 'succeeded' },
    ],
    ['expire', 'POST', `/v3/checkout/${other}/expire`, undefined],
    ['create customer', 'POST', '/v3/customer', { name: 'Grace', email: 'grace@example.com' }],
    ['update customer', 'PUT', `/v3/customer/${customer.id}`, { metadata: { vip: true } }],
    ['erase customer', 'DELETE', `/v3/customer/${customer.id}`, undefined],
    ['advance the clock', 'POST', '/v3/test_helpers/clock/advance', { seconds: 10 }],
  ] as const;
  for (const [what, method, path, body] of rows) {
    test(what, async () => {
      const options = { body, headers: { 'idempotency-key': freshKey() } };
      const first = await call(method, path, options);
      assert.ok(first.status < 300, first.text);
      assert.equal(repeated(first), false);
      const again = await writesNothing(service, () => call(method, path, options));
      assert.equal(repeated(again), true);
      assert.deepEqual(visible(again), visible(first));
    });
  }
});

test('the answer of then is repeated, whatever has happened since', async () => {
  const { id } = await createSession(service);
  const options = {
    body: { metadata: { a: 1 } },
    headers: { 'idempotency-key': freshKey(), 'if-match': '"1"' },
  };
  const first = await call('PUT', `/v3/checkout/${id}`, options);
  await pay(service, id);
  await call('PUT', `/v3/checkout/${id}`, { body: { metadata: { a: 2 } } });
  const again = await call('PUT', `/v3/checkout/${id}`, options);
  assert.deepEqual(visible(again), visible(first));
  assert.equal(again.json.data.status, 'active');
});

test('a create is repeated although its expiry is too near by now', async () => {
  const body = { ...order, expires_at: new Date((await now(service)) + 120_000).toISOString() };
  const options = { body, headers: { 'idempotency-key': freshKey() } };
  const first = await call('POST', '/v3/checkout', options);
  assert.equal(first.status, 201);
  for (const seconds of [100, 3600]) {
    await advance(service, seconds);
    assert.deepEqual(visible(await call('POST', '/v3/checkout', options)), visible(first));
  }
  const fresh = { body, headers: { 'idempotency-key': freshKey() } };
  assert.equal((await call('POST', '/v3/checkout', fresh)).status, 400);
});

test('a key in quotes is the same key', async () => {
  const key = freshKey();
  const first = await call('POST', '/v3/checkout', { body: order, headers: { 'idempotency-key': key } });
  const again = await call('POST', '/v3/checkout', {
    body: order,
    headers: { 'idempotency-key': `"${key}"` },
  });
  assert.equal(repeated(again), true);
  assert.equal(again.text, first.text);
});

test('a key may have 255 characters', async () => {
  const headers = { 'idempotency-key': 'k'.repeat(255) };
  assert.equal(repeated(await call('POST', '/v3/checkout', { body: order, headers })), false);
  assert.equal(repeated(await call('POST', '/v3/checkout', { body: order, headers })), true);
});

test('a key with another body is refused', async () => {
  const headers = { 'idempotency-key': freshKey() };
  const first = await call('POST', '/v3/checkout', { body: order, headers });
  for (const body of [
    { ...order, amount: 1 },
    { ...order, reference_id: 'other' },
  ]) {
    const answer = await writesNothing(service, () => call('POST', '/v3/checkout', { body, headers }));
    assertRefused(answer, { status: 422, message: 'CHECKOUT.CREATE.KEY_REUSED', errors: [[19031]] });
  }
  assert.equal((await call('POST', '/v3/checkout', { body: order, headers })).text, first.text);
});

test('expiries with no body, an empty one and {} are the same request', async () => {
  const { id } = await createSession(service);
  const headers = { 'idempotency-key': freshKey() };
  const first = await call('POST', `/v3/checkout/${id}/expire`, { headers });
  for (const body of ['', '{}', ' { } ']) {
    const again = await call('POST', `/v3/checkout/${id}/expire`, { body, headers });
    assert.deepEqual([repeated(again), again.text], [true, first.text]);
  }
});

test('paying with no body, an empty one and {} are the same request', async () => {
  const { id } = await createSession(service);
  const path = `/v3/test_helpers/checkout/${id}/pay`;
  const headers = { 'idempotency-key': freshKey() };
  const first = await call('POST', path, { headers });
  assert.equal(first.status, 200, first.text);
  for (const body of ['', '{}', ' { } ']) {
    const again = await call('POST', path, { body, headers });
    assert.deepEqual([repeated(again), again.text], [true, first.text]);
  }
  assert.equal((await call('POST', path, { body: { amount: 1 }, headers })).status, 422);
});

test('a path is the same however it is written', async () => {
  const headers = { 'idempotency-key': freshKey() };
  const first = await call('POST', '/v3/checkout', { body: order, headers });
  const again = await call('POST', '/v3/%63heckout?', { body: order, headers });
  assert.deepEqual([repeated(again), again.text], [true, first.text]);
  const { id } = first.json.data;
  const expired = await call('POST', `/v3/checkout/${id}/expire`, { headers });
  const escaped = await call('POST', `/v3/checkout/${id.replace('chk', '%63hk')}/expire`, { headers });
  assert.deepEqual([repeated(expired), repeated(escaped), escaped.text], [false, true, expired.text]);
});

test('a key means nothing for another path, method, mode or account', async () => {
  const headers = { 'idempotency-key': freshKey() };
  const [one, two] = [await createSession(service), await createSession(service)];
  const live = await service.createKey({ mode: 'live' });
  const neighbour = await service.service.store.accounts.create(
    { name: 'Neighbour', webhookSecrets: service.account.webhookSecrets, testClockOffsetMs: 0 },
    Date.now(),
  );
  const other = await service.createKey({ account: neighbour.number });
  const body = { metadata: { a: 1 } };
  const answers = [
    await call('PUT', `/v3/checkout/${one.id}`, { body, headers }),
    await call('PUT', `/v3/checkout/${two.id}`, { body, headers }),
    await call('POST', '/v3/checkout', { body: order, headers }),
    await call('POST', '/v3/checkout', {
      body: order,
      headers: { ...headers, authorization: live.authorization },
    }),
    await call('POST', '/v3/checkout', {
      body: order,
      headers: { ...headers, authorization: other.authorization },
    }),
    await call('POST', '/v3/customer', { body: { name: 'Ada' }, headers }),
  ];
  assert.deepEqual(
    answers.map((answer) => [answer.status, repeated(answer)]),
    [
      [200, false],
      [200, false],
      [201, false],
      [201, false],
      [201, false],
      [201, false],
    ],
  );
  assert.equal(new Set(answers.map(({ json }) => json.data.id)).size, 6);
});

test('a key works for another API key of the same account', async () => {
  const headers = { 'idempotency-key': freshKey() };
  const { authorization } = await service.createKey();
  const first = await call('POST', '/v3/checkout', { body: order, headers });
  const again = await call('POST', '/v3/checkout', { body: order, headers: { ...headers, authorization } });
  assert.deepEqual([repeated(again), again.text], [true, first.text]);
});

test('a refusal is not kept: the same request may succeed later', async () => {
  const { id } = await createSession(service);
  const payment_id = 'slow-1';
  await pay(service, id, { outcome: 'processing', payment_id });
  const options = { body: { items: order.items }, headers: { 'idempotency-key': freshKey() } };
  for (const _ of [1, 2]) {
    const refused = await writesNothing(service, () => call('PUT', `/v3/checkout/${id}`, options));
    assert.equal(refused.status, 409);
  }
  await pay(service, id, { outcome: 'failed', payment_id });
  const first = await call('PUT', `/v3/checkout/${id}`, options);
  assert.deepEqual([first.status, repeated(first)], [200, false]);
  assert.equal(repeated(await call('PUT', `/v3/checkout/${id}`, options)), true);
  const bad = { body: { invoice_currency: 'EUX' }, headers: options.headers };
  assert.equal((await call('POST', '/v3/checkout', bad)).status, 400);
  assert.equal((await call('POST', '/v3/checkout', { ...bad, body: order })).status, 201);
});

test('a success that changed nothing is kept too', async () => {
  const { id } = await createSession(service);
  const options = { body: {}, headers: { 'idempotency-key': freshKey() } };
  const first = await call('PUT', `/v3/checkout/${id}`, options);
  await call('PUT', `/v3/checkout/${id}`, { body: { metadata: { a: 1 } } });
  assert.equal((await call('PUT', `/v3/checkout/${id}`, options)).text, first.text);
  assert.deepEqual(await eventTypes(service, id), ['checkout.created', 'checkout.updated']);
});
