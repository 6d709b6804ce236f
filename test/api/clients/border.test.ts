/**
 * Requests as plug-ins and programs for the public v3 API send them, each with what must come back: what one of them
 * needs at the border of the service. The accounts here have the defaults.
 */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../../support/service.ts';
import { createSession, type Data, eventTypes, fetchSession, pay, succeeded } from '../shop.ts';

const service = await startService({ after });
const { call } = service;
const json = { 'content-type': 'application/json' };

suite('a client', () => {
  test('tries its keys with parameters that are unknown here, a content type and no body', async () => {
    const query = 'amount=1000&customer_country=US&invoice_currency=USD&account_country=US';
    const answer = await call('GET', `/v3/metadata/collect?${query}`, { headers: json });
    const { country, payment_methods: methods } = succeeded(answer, 200);
    assert.equal(country, 'US');
    const card = methods.find(({ type }: Data) => type === 'card');
    assert.deepEqual(
      { ...card, name: '', display_name: '' },
      {
        type: 'card',
        name: '',
        display_name: '',
        group: 'card',
        family: 'card',
        currency: 'USD',
        amount: 1000,
        logo: [],
        experience_type: 'inline',
      },
    );
    assert.equal(card.display_name, card.name);
  });

  test('leaves fields empty in every way there is', async () => {
    const body = {
      invoice_currency: 'USD',
      amount: 1000,
      items: [],
      metadata: null,
      success_url: null,
      cancel_url: '',
      customer_details: { name: 'Ada', email: 'ada@example.com', country: 'US', phone: null },
      billing_details: { name: 'Ada', address: null, phone: { calling_code: '', number: null } },
      shipping_details: null,
      remove_payment_methods: ['ovo_idr', 'fpx_ind_myr'],
    };
    const data = succeeded(await call('POST', '/v3/checkout', { body }), 201);
    assert.deepEqual([data.items, data.metadata, data.success_url], [[], {}, '']);
    assert.deepEqual(data.billing_details, { name: 'Ada', phone: {} });
    assert.equal(data.shipping_details, null);
  });

  test('reads the customer, the addresses, the token and the items of a session at its top', async () => {
    const billing_details = { name: 'Ada', address: { line1: '1 Main St', city: 'Ames', country: 'US' } };
    const { id } = await createSession(service, {
      amount: undefined,
      items: [{ name: 'Widget', quantity: 2, amount: 500, description: 'Blue\nLarge' }],
      customer_details: { name: 'Ada', email: 'ada@example.com', country: 'US' },
      billing_details,
      reference_id: 'order-77',
    });
    const data = await pay(service, id);
    assert.match(data.customer, /^cus_/);
    assert.deepEqual(data.billing_details, billing_details);
    assert.ok(data.url.endsWith(`/${data.token}`));
    assert.deepEqual(data.items, [
      { name: 'Widget', description: 'Blue\nLarge', quantity: 2, unit_price: 500, amount: 1000 },
    ]);
    const [attempt] = data.payment_attempts;
    assert.deepEqual(
      [attempt.checkout, attempt.reference_id, attempt.customer],
      [id, 'order-77', data.customer],
    );
    const payin = succeeded(await call('GET', `/v3/payin/${id}`), 200);
    assert.deepEqual(
      [payin.customer, payin.billing_details, payin.items, payin.client_token],
      [data.customer, data.billing_details, data.items, data.token],
    );
    const { json: timeline } = await call('GET', `/v3/checkout/${id}/timeline`);
    const { event } = timeline.data.find(({ type }: Data) => type === 'checkout.paid');
    const told = succeeded(await call('GET', `/v3/event/${event}`), 200);
    assert.deepEqual(told.data, data);
  });

  test('refunds all that is left without an amount, with fields that are empty or have no effect', async () => {
    const { id } = await createSession(service, { reference_id: 'order-78' });
    const { latest_payment_attempt: attempt } = await pay(service, id);
    const body = { payin: id, payment_attempt: '', source: 'woocommerce', currency: 'eur' };
    const part = succeeded(await call('POST', '/v3/refund', { body: { ...body, amount: 700 } }), 201);
    assert.deepEqual([part.amount, part.reference_id, part.payment_attempt], [700, 'order-78', attempt]);
    const metadata = '{"ticket":"T-1"}';
    const rest = succeeded(await call('POST', '/v3/refund', { body: { ...body, metadata } }), 201);
    assert.deepEqual([rest.amount, rest.currency, rest.metadata], [1800, 'EUR', { ticket: 'T-1' }]);
    const none = await call('POST', '/v3/refund', { body });
    assert.deepEqual([none.status, none.json.message], [409, 'REFUND.CREATE.NOT_REFUNDABLE']);
  });

  test('is told when it counts a refund in another currency', async () => {
    const { id } = await createSession(service);
    await pay(service, id);
    const { status, json } = await call('POST', '/v3/refund', { body: { payin: id, currency: 'USD' } });
    assert.equal(status, 400);
    assert.deepEqual(json.errors[0].remarks, '/currency');
    assert.match(json.errors[0].message, /must be EUR/);
  });

  for (const body of ['', '{}', 'null']) {
    test(`expires a session with the body ${JSON.stringify(body)}`, async () => {
      const { id } = await createSession(service);
      const answer = await call('POST', `/v3/checkout/${id}/expire`, { body, headers: json });
      assert.equal(succeeded(answer, 200).status, 'expired');
    });
  }

  test('takes all metadata away and sets as many others, in one patch', async () => {
    const keys = (prefix: string, value: string | null) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${prefix}${n}`, value]));
    const { id } = await createSession(service, { metadata: keys('a', 'x') });
    const metadata = { ...keys('a', null), ...keys('b', 'y') };
    const changed = await call('PUT', `/v3/checkout/${id}`, { body: { metadata } });
    assert.deepEqual(succeeded(changed, 200).metadata, keys('b', 'y'));
  });

  test('makes a payin, confirms it with a method, and sends the payer on', async () => {
    const body = { invoice_currency: 'EUR', amount: 1000, reference_id: 'order-79' };
    const answer = await call('POST', '/v3/payin', { body });
    const payin = succeeded(answer, 201);
    assert.deepEqual([payin.object, payin.status], ['payin', 'requires_payment_method']);
    assert.equal(answer.headers.get('location'), `/v3/payin/${payin.id}`);
    const session = await fetchSession(service, payin.id);
    assert.deepEqual([session.token, session.reference_id], [payin.client_token, 'order-79']);
    const path = `/v3/payin/${payin.id}/confirm`;
    const chosen = (type: string) => ({ body: { payment_method_details: { type, card: {} } } });
    const unknown = await call('POST', path, chosen('cheque'));
    assert.deepEqual([unknown.status, unknown.json.errors[0].remarks], [400, '/payment_method_details/type']);
    const confirmed = succeeded(await call('POST', path, chosen('card')), 200);
    assert.equal(confirmed.payment_attempts[0].payment_method_details.type, 'card');
    assert.equal(confirmed.redirect_url, session.url);
    const again = await call('POST', path, chosen('card'));
    assert.deepEqual([again.status, again.json.message], [409, 'PAYIN.CONFIRM.PAYMENT_IN_PROGRESS']);
  });

  test('cancels a payin', async () => {
    const { id } = await createSession(service);
    assert.equal(succeeded(await call('POST', `/v3/payin/${id}/cancel`), 200).status, 'cancelled');
    assert.equal((await fetchSession(service, id)).status, 'expired');
  });

  test('notes something on an attempt', async () => {
    const { id } = await createSession(service);
    const { latest_payment_attempt: attempt } = await pay(service, id);
    const path = `/v3/payment_attempt/${attempt}`;
    const noted = await call('PUT', path, { body: { metadata: { score: 12, by: 'shop' } } });
    assert.deepEqual(succeeded(noted, 200).metadata, { score: 12, by: 'shop' });
    const again = await call('PUT', path, { body: { metadata: '{"by":null}' } });
    assert.deepEqual(succeeded(again, 200).metadata, { score: 12 });
    assert.deepEqual(succeeded(await call('GET', path), 200), again.json.data);
    assert.deepEqual((await eventTypes(service, id)).slice(-2), ['checkout.updated', 'checkout.updated']);
    const large = await call('PUT', path, { body: { metadata: { a: 'x'.repeat(16_500) } } });
    assert.deepEqual([large.status, large.json.errors[0].code], [400, 15515]);
  });

  test('sends metadata of a customer as text', async () => {
    const body = { name: 'Ada', email: 'ada.text@example.com', metadata: '{"tier":"gold"}' };
    const { metadata } = succeeded(await call('POST', '/v3/customer', { body }), 201);
    assert.deepEqual(metadata, { tier: 'gold' });
  });

  for (const id of ['chk_doesnotexist', 'x', `chk_${'0'.repeat(26)}'--`, '%00', 'pay_123']) {
    test(`asks for ${id}, which nobody has`, async () => {
      const answer = await call('GET', `/v3/checkout/${id}`);
      assert.deepEqual([answer.status, answer.json.message], [404, 'CHECKOUT.FETCH.NOT_FOUND']);
      const refund = await call('GET', `/v3/refund/${id}`);
      assert.deepEqual([refund.status, refund.json.errors[0].code], [404, 105]);
    });
  }
});
