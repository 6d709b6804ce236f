/** Fetch, update and expire as a client of the API sees them. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../support/service.ts';
import { assertSession } from './shape.ts';
import { createSession, eventTypes, fetchSession, now, order, pay, succeeded } from './shop.ts';

const service = await startService({ after });
const { call } = service;

suite('fetch', () => {
  test('answers the session with its version', async () => {
    const { id } = await createSession(service);
    const answer = await call('GET', `/v3/checkout/${id}`);
    assert.equal(answer.json.message, 'CHECKOUT.FETCH.SUCCESS');
    assert.equal(answer.headers.get('etag'), '"1"');
    assertSession(succeeded(answer));
  });

  for (const [given, status] of [
    ['"1"', 304],
    ['W/"1"', 304],
    ['"0", "1"', 304],
    ['*', 304],
    ['"2"', 200],
    ['1', 200],
  ] as const) {
    test(`with If-None-Match: ${given} answers ${status}`, async () => {
      const { id } = await createSession(service);
      const answer = await call('GET', `/v3/checkout/${id}`, { headers: { 'if-none-match': given } });
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('etag'), '"1"');
      if (status === 304) assert.equal(answer.text, '');
    });
  }

  test('by HEAD answers the same without a body', async () => {
    const { id } = await createSession(service);
    const whole = await call('GET', `/v3/checkout/${id}`);
    const head = await call('HEAD', `/v3/checkout/${id}`);
    assert.deepEqual([head.status, head.text], [200, '']);
    for (const name of ['etag', 'content-type', 'content-length']) {
      assert.equal(head.headers.get(name), whole.headers.get(name), name);
    }
  });
});

suite('update', () => {
  test('with items sets the amount to their sum and the description to their listing', async () => {
    const { id } = await createSession(service, { amount: 1, transaction_description: 'Draft' });
    const answer = await call('PUT', `/v3/checkout/${id}`, { body: { items: order.items } });
    const data = succeeded(answer);
    assert.equal(answer.json.message, 'CHECKOUT.UPDATE.SUCCESS');
    assert.equal(answer.headers.get('etag'), '"2"');
    assertSession(data);
    assert.deepEqual([data.amount, data.transaction_description], [3200, '2 x Widget, 1 x Gadget']);
    assert.deepEqual(await fetchSession(service, id), data);
    assert.deepEqual(await eventTypes(service, id), ['checkout.created', 'checkout.updated']);
  });

  test('merges metadata: sets, removes with null, keeps the rest', async () => {
    const { id } = await createSession(service, { metadata: { a: 1, b: { c: 1, d: 2 }, gone: true } });
    const body = { metadata: { a: 'x', b: { d: null, e: false }, gone: null } };
    const data = succeeded(await call('PUT', `/v3/checkout/${id}`, { body }));
    assert.deepEqual(data.metadata, { a: 'x', b: { c: 1, e: false } });
    assert.equal(data.amount, 2500);
  });

  for (const [what, body] of [
    ['nothing', {}],
    ['the metadata it has', { metadata: { a: 1 } }],
    ['a patch without keys', { metadata: {} }],
  ] as const) {
    test(`with ${what} changes nothing and emits nothing`, async () => {
      const before = await createSession(service, { metadata: { a: 1 } });
      const answer = await call('PUT', `/v3/checkout/${before.id}`, { body });
      assert.deepEqual(succeeded(answer), before);
      assert.equal(answer.headers.get('etag'), '"1"');
      assert.deepEqual(await eventTypes(service, before.id), ['checkout.created']);
    });
  }

  test('of metadata works in every state', async () => {
    const body = { metadata: { seen: true } };
    const [active, paid, expired] = await Promise.all([1, 2, 3].map(() => createSession(service)));
    await pay(service, paid.id);
    await call('POST', `/v3/checkout/${expired.id}/expire`);
    for (const { id } of [active, paid, expired]) {
      assert.deepEqual(succeeded(await call('PUT', `/v3/checkout/${id}`, { body })).metadata, body.metadata);
    }
  });

  test('gives a draft an amount, and then it can be paid', async () => {
    const { id } = await createSession(service, { amount: 0 });
    const refused = await call('POST', `/v3/test_helpers/checkout/${id}/pay`);
    assert.equal(refused.status, 409);
    await call('PUT', `/v3/checkout/${id}`, { body: { items: order.items } });
    const { status, amount_paid } = await pay(service, id);
    assert.deepEqual([status, amount_paid], ['completed', 3200]);
  });
});

suite('expire', () => {
  test('ends an active session now', async () => {
    const { id } = await createSession(service, {
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const before = await now(service);
    const answer = await call('POST', `/v3/checkout/${id}/expire`);
    const data = succeeded(answer);
    assert.equal(answer.json.message, 'CHECKOUT.EXPIRE.SUCCESS');
    assert.equal(answer.headers.get('etag'), '"2"');
    assertSession(data);
    assert.deepEqual([data.status, data.payment_status, data.amount_paid], ['expired', 'unpaid', 0]);
    const at = Date.parse(data.expires_at);
    assert.ok(at >= before && at <= (await now(service)), data.expires_at);
    assert.deepEqual(await fetchSession(service, id), data);
    assert.deepEqual(await eventTypes(service, id), [
      'checkout.created',
      'checkout.expired',
      'payin.cancelled',
    ]);
  });

  const bodies: ReadonlyArray<readonly [what: string, body: string | undefined, type: string | undefined]> = [
    ['no body', undefined, undefined],
    ['no body and a content type', undefined, 'application/json'],
    ['an empty body', '', 'application/json'],
    ['blanks', ' \n', 'application/json'],
    ['{}', '{}', 'application/json'],
    ['{} as text', '{}', 'text/plain'],
    ['{} as a form', '{}', 'application/x-www-form-urlencoded'],
    ['{} as nothing known', '{ }', 'application/vnd.shop+json; v=2'],
    ['nothing as a form', '', 'multipart/form-data; boundary=x'],
  ];
  for (const [what, body, type] of bodies) {
    test(`takes ${what}`, async () => {
      const { id } = await createSession(service);
      const answer = await call('POST', `/v3/checkout/${id}/expire`, {
        ...(body === undefined ? {} : { body }),
        headers: type === undefined ? {} : { 'content-type': type },
      });
      assert.equal(succeeded(answer).status, 'expired');
    });
  }
});
