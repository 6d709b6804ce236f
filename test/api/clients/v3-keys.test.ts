/** Keys that a client of other v3 services sends again with another body: no two sessions to pay, and no old price. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../../support/service.ts';
import { configure } from '../bank.ts';
import { assertRefused, eventTypes, fetchSession, pay, succeeded } from '../shop.ts';

const service = await startService({ after });
await configure(service, { compatibility: 'v3' });
const { call } = service;
const strict = await startService({ after });

let orders = 0;
const key = () => ({ 'idempotency-key': `order-${++orders}` });

suite('another body under a known key', () => {
  const create = (headers: Record<string, string>, fields: object) =>
    call('POST', '/v3/checkout', { headers, body: { invoice_currency: 'USD', amount: 1000, ...fields } });

  test('gets the first answer where it asks for the same', async () => {
    const headers = key();
    const inAnHour = Date.now() + 3_600_000;
    const expires_at = (ms: number) => new Date(inAnHour + ms).toISOString();
    const first = await create(headers, { expires_at: expires_at(0) });
    const second = await create(headers, { expires_at: expires_at(1000), metadata: { try: 2 } });
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
  });

  test('takes the place of a session that nobody has paid', async () => {
    const headers = key();
    const first = succeeded(await create(headers, {}), 201);
    const second = succeeded(await create(headers, { amount: 1200 }), 201);
    assert.notEqual(second.id, first.id);
    assert.equal(second.amount, 1200);
    assert.equal((await fetchSession(service, first.id)).status, 'expired');
    assert.ok((await eventTypes(service, first.id)).includes('checkout.expired'));
    const third = succeeded(await create(headers, { amount: 1200 }), 201);
    assert.equal(third.id, second.id);
    const back = succeeded(await create(headers, {}), 201);
    assert.ok(![first.id, second.id].includes(back.id), 'the first price is asked for anew');
    assert.equal((await fetchSession(service, second.id)).status, 'expired');
  });

  test('takes the place of one that has expired', async () => {
    const headers = key();
    const first = succeeded(await create(headers, {}), 201);
    await call('POST', `/v3/checkout/${first.id}/expire`);
    const second = succeeded(await create(headers, { amount: 1200 }), 201);
    assert.equal(second.status, 'active');
    assert.equal(second.amount, 1200);
  });

  for (const [what, prepare] of [
    ['paid', (id: string) => pay(service, id)],
    ['paid in part', (id: string) => pay(service, id, { amount: 1 })],
    ['being paid', (id: string) => pay(service, id, { outcome: 'processing' })],
  ] as const) {
    test(`gets the first answer where that session is ${what}`, async () => {
      const headers = key();
      const first = await create(headers, {});
      await prepare(succeeded(first, 201).id);
      const second = await create(headers, { amount: 1200 });
      assert.equal(second.text, first.text);
    });
  }

  test('is refused for its own mistakes', async () => {
    const headers = key();
    const first = succeeded(await create(headers, {}), 201);
    const customer = 'cus_01k9zq4tn30000x5r7m2c9w1he';
    const answer = await create(headers, { amount: 1200, customer });
    assertRefused(answer, {
      status: 400,
      message: 'CHECKOUT.CREATE.FIELD_INVALID',
      errors: [[15502, '/customer']],
    });
    assert.equal((await fetchSession(service, first.id)).status, 'active');
  });

  test('never leaves two that can be paid, however many come at once', async () => {
    for (let round = 0; round < 5; round++) {
      const headers = key();
      const reference_id = `race-${round}`;
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) => create(headers, { reference_id, amount: 1000 + (n % 4) })),
      );
      for (const answer of answers) assert.ok([201, 409, 422].includes(answer.status), answer.text);
      const { data: sessions } = (
        await call('GET', `/v3/checkout?reference_id=${reference_id}&status=active`)
      ).json;
      assert.equal(sessions.length, 1);
    }
  });

  test('is refused in strict', async () => {
    const headers = key();
    await strict.call('POST', '/v3/checkout', { headers, body: { invoice_currency: 'USD', amount: 1000 } });
    const body = { invoice_currency: 'USD', amount: 1200 };
    assert.equal((await strict.call('POST', '/v3/checkout', { headers, body })).status, 422);
  });
});
