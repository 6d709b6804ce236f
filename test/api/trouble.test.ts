/** Failures on our side: what clients are told, what logs hold, and what stays out of both. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { pino } from 'pino';
import { startService } from '../support/service.ts';
import { advance, assertRefused, createSession, fetchSession, order, pay } from './shop.ts';

suite('a database that somebody else holds', async () => {
  const service = await startService({ after });
  const { call } = service;
  const { id } = await createSession(service);

  test('is a 503 for those who write, and those who read go on', async () => {
    const release = await service.database.lock();
    const headers = { 'idempotency-key': 'later' };
    const create = call('POST', '/v3/checkout', { body: order, headers });
    assert.equal((await fetchSession(service, id)).status, 'active');
    assert.equal((await call('GET', '/livez')).status, 200);
    const answer = await create;
    assertRefused(answer, { status: 503, message: 'CHECKOUT.CREATE.UNAVAILABLE', errors: [[101]] });
    assert.equal(answer.headers.get('retry-after'), '1');
    const ready = await call('GET', '/readyz');
    for (const _ of [1, 2, 3, 4]) assert.equal((await fetchSession(service, id)).status, 'active');
    await release();
    assert.equal(ready.status, 503);
    assert.equal(ready.headers.get('retry-after'), '1');
    assert.doesNotMatch(ready.text, /sqlite|postgres|\.db/i);
    assert.equal((await call('GET', '/readyz')).status, 200);
    assert.equal((await call('POST', '/v3/checkout', { body: order, headers })).status, 201);
  });
});

suite('logs at their most talkative', async () => {
  let log = '';
  const logger = pino(
    { level: 'trace' },
    {
      write: (line: string) => {
        log += line;
      },
    },
  );
  const service = await startService({ after }, { logger });
  const { call } = service;
  const canary = {
    name: 'Zebulon Canary',
    email: 'zebulon@canary.example.com',
    country: 'IS',
    phone: { calling_code: '354', number: '5550177' },
  };
  const fields = {
    customer_details: canary,
    billing_details: { name: 'Canary Ltd', address: { line1: '7 Canary Wharf' } },
    metadata: { note: 'canary-note' },
    reference_id: 'canary-reference',
    webhook_url: 'http://127.0.0.1:9/canary-hook?token=canary-token',
    success_url: 'https://shop.example.com/canary-thanks',
  };

  test('hold no secret and nothing of a person, whatever happens', async () => {
    const session = await createSession(service, fields, { 'idempotency-key': 'canary-key' });
    const token = session.url.split('/').pop();
    await fetch(session.url);
    await fetch(`${session.url}x`);
    await pay(service, session.id, { payment_id: 'canary-payment' });
    await call('GET', `/v3/checkout?q=${canary.email}&metadata[note]=canary-note`);
    await call('GET', `/v3/customer?email=${canary.email}`);
    await call('POST', '/v3/checkout', { body: { ...fields, invoice_currency: 'EUX', 'canary-field': 1 } });
    await call('POST', '/v3/checkout', { body: '{"customer_details":{"name":"Zebulon Canary"' });
    await call('GET', `/v3/checkout/${canary.email}`);
    await call('GET', `/canary-path/${canary.email}?secret=canary-query`);
    await call('GET', '/v3/checkout', { headers: { authorization: 'Bearer sk_test_canary' } });
    await call('GET', '/v3/checkout', { headers: { authorization: 'canary' } });
    await advance(service, 86_400);

    await service.database.query('ALTER TABLE audit RENAME TO audit_canary_gone');
    const failures = [
      await call('POST', '/v3/checkout', { body: { invoice_currency: 'EUR', ...fields } }),
      await call('POST', '/v3/customer', { body: { ...canary, email: 'other@canary.example.com' } }),
      await call('POST', `/v3/test_helpers/checkout/${session.id}/pay`, { body: { amount: 1 } }),
    ];
    await service.database.query('ALTER TABLE audit_canary_gone RENAME TO audit');
    const operations = ['CHECKOUT.CREATE', 'CUSTOMER.CREATE', 'TEST_HELPER.PAY'];
    for (const [index, answer] of failures.entries()) {
      assertRefused(answer, { status: 500, message: `${operations[index]}.INTERNAL`, errors: [[101]] });
      assert.doesNotMatch(answer.text, /audit|sqlite|postgres|table|relation|\.ts/i);
      assert.ok(log.includes(answer.json.request_id), 'the id of the request finds its line');
    }
    assert.equal((await call('POST', '/v3/checkout', { body: order })).status, 201, 'it goes on');
    await service.stop();

    const { key, account } = service;
    const secrets = [key.secret, key.authorization, key.authorization.split(' ')[1], token];
    for (const secret of [...secrets, ...Object.values(account.webhookSecrets)]) {
      assert.equal(log.includes(secret ?? ''), false, secret);
    }
    assert.doesNotMatch(log.replaceAll('audit_canary_gone', ''), /zebulon|canary|5550177/i);
    for (const line of log.trim().split('\n')) assert.equal(typeof JSON.parse(line), 'object');
  });
});
