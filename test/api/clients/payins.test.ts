/** Payins as clients of the public v3 API make, confirm, cancel and refund them, and what they read of the answers. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../../support/service.ts';
import { configure } from '../bank.ts';
import { startReceiver } from '../receiver.ts';
import { type Data, pay, succeeded, until } from '../shop.ts';

const service = await startService({ after });
const { call } = service;
const json = { 'content-type': 'application/json' };

const person = {
  name: 'Annie Easley',
  email: 'annie@example.com',
  country: 'IN',
  phone: { calling_code: '91', number: '9000000000' },
};

const created = async (fields: object = {}): Promise<Data> => {
  const body = { invoice_currency: 'INR', amount: 10_000, transaction_description: '1 X Good', ...fields };
  return succeeded(await call('POST', '/v3/payin', { body, headers: { accept: 'application/json' } }), 201);
};

suite('a client', () => {
  test('makes a payin from the required fields alone', async () => {
    const payin = await created();
    assert.deepEqual(
      [payin.object, payin.status, payin.amount, payin.invoice_currency, payin.amount_paid],
      ['payin', 'requires_payment_method', 10_000, 'INR', 0],
    );
    assert.ok(payin.client_token.length >= 22);
    assert.deepEqual([payin.payment_attempts, payin.latest_payment_attempt], [[], '']);
    assert.deepEqual(
      [payin.billing_details, payin.shipping_details, payin.transaction_documents],
      [null, null, []],
    );
    assert.deepEqual(
      [payin.partially_paid, payin.paid_in_excess, payin.status_description],
      [false, false, ''],
    );
  });

  test('makes one with everything, and finds it in the answer', async () => {
    const address = {
      line1: '1 MG Road',
      line2: 'Flat 4',
      city: 'Bengaluru',
      state: 'KA',
      country: 'IN',
      postal_code: '560001',
    };
    const details = { name: person.name, address, phone: person.phone, label: 'Home' };
    const fields = {
      customer_details: person,
      success_url: 'https://shop.example.com/done',
      cancel_url: 'https://shop.example.com/back',
      webhook_url: 'https://shop.example.com/hook',
      shipping_details: details,
      billing_details: details,
      metadata: { cart: 7 },
      reference_id: 'mystore_order_00001',
    };
    const payin = await created(fields);
    const { customer_details, ...rest } = fields;
    assert.partialDeepStrictEqual(payin, { ...rest, customer_details });
    assert.deepEqual(succeeded(await call('GET', `/v3/payin/${payin.id}`)), payin);
    const { customer } = payin;
    const stored = succeeded(await call('GET', `/v3/customer/${customer}`));
    assert.deepEqual([stored.name, stored.phone], [person.name, person.phone]);
  });

  test('confirms one with fields of the method beside its name, and sends the payer on', async () => {
    const payin = await created({ customer_details: person });
    const body = { payment_method_details: { type: 'upi_inr', upi_inr: { payer_vpa: 'test@bank' } } };
    const confirmed = succeeded(await call('POST', `/v3/payin/${payin.id}/confirm`, { body }));
    assert.equal(confirmed.latest_payment_attempt, confirmed.payment_attempts[0].id);
    assert.ok(confirmed.redirect_url.startsWith('http'));
    // The sandbox is asked by the worker, and then it has the money.
    await call('POST', '/v3/test_helpers/clock/advance', { body: { seconds: 60 } });
    const paid = await until(async () => {
      const now = succeeded(await call('GET', `/v3/payin/${payin.id}`));
      return now.status === 'succeeded' && now;
    });
    assert.deepEqual([paid.amount_paid, paid.payment_attempts[0].status], [10_000, 'succeeded']);
  });

  for (const body of ['', '{}', 'null']) {
    test(`cancels one with the body ${JSON.stringify(body)}`, async () => {
      const { id } = await created();
      const cancelled = await call('POST', `/v3/payin/${id}/cancel`, { body, headers: json });
      assert.equal(succeeded(cancelled).status, 'cancelled');
    });
  }

  test('cannot cancel one that is paid, and is told so in words', async () => {
    const { id } = await created();
    await pay(service, id);
    const { status, json: answer } = await call('POST', `/v3/payin/${id}/cancel`);
    assert.deepEqual([status, answer.status, answer.message], [409, 'error', 'PAYIN.CANCEL.NOT_EXPIRABLE']);
    assert.match(answer.errors[0].message, /completed/);
  });

  const refunds: ReadonlyArray<readonly [what: string, fields: object, amount: number]> = [
    [
      'whole, without an amount',
      { reason: 'Customer Return', webhook_url: 'https://shop.example.com/r' },
      10_000,
    ],
    [
      'whole, with its amount and currency',
      { amount: 10_000, currency: 'INR', reason: 'Customer Return' },
      10_000,
    ],
    ['in part', { amount: 1000, currency: 'INR', remarks: 'damaged\nin transit' }, 1000],
    ['of its only attempt', { payment_attempt: 'the attempt', amount: 1 }, 1],
  ];
  for (const [what, fields, amount] of refunds) {
    test(`refunds one ${what}`, async () => {
      const { id: payin } = await created();
      const { latest_payment_attempt } = await pay(service, payin);
      const named = 'payment_attempt' in fields ? { payment_attempt: latest_payment_attempt } : {};
      const refund = succeeded(
        await call('POST', '/v3/refund', { body: { payin, ...fields, ...named } }),
        201,
      );
      assert.deepEqual(
        [refund.object, refund.payin, refund.amount, refund.currency],
        ['refund', payin, amount, 'INR'],
      );
      assert.ok(['pending', 'succeeded'].includes(refund.status));
      const fetched = await until(async () => {
        const now = succeeded(await call('GET', `/v3/refund/${refund.id}`));
        return now.status === 'succeeded' && now;
      });
      assert.equal(fetched.id, refund.id);
      const { payment_attempts, amount_refunded } = succeeded(await call('GET', `/v3/payin/${payin}`));
      assert.deepEqual([amount_refunded, payment_attempts[0].refunded], [amount, amount === 10_000]);
    });
  }

  test('hears of a payin at the address that it gave, and of its refund at another', async (t) => {
    const [shop, desk] = [await startReceiver(t), await startReceiver(t)];
    const { id: payin } = await created({ webhook_url: shop.url });
    await pay(service, payin);
    const paid = (await shop.received(5)).map(({ event }) => event);
    const { data } = paid.find(({ type }) => type === 'payin.succeeded');
    assert.deepEqual(
      [data.id, data.object, data.status, data.amount_paid],
      [payin, 'payin', 'succeeded', 10_000],
    );
    succeeded(await call('POST', '/v3/refund', { body: { payin, webhook_url: desk.url } }), 201);
    const back = (await desk.received(2)).map(({ event }) => [event.type, event.data.amount]);
    assert.deepEqual(back, [
      ['refund.pending', 10_000],
      ['refund.succeeded', 10_000],
    ]);
  });
});

suite('a client of an account with the ways of v3', async () => {
  const loose = await startService({ after });
  await configure(loose, { compatibility: 'v3' });

  test('sends what has no effect here, and goes on with what it is answered', async () => {
    const body = {
      invoice_currency: 'USD',
      amount: 1999.9999999999998,
      customer_details: person,
      transaction_description: 'Test',
      statement_descriptor: 'SHOP',
      session_id: 'dev_123',
      transaction_documents: {},
      on_behalf_of: 'ent_123',
      customer_fee_percentage: 0,
    };
    const answer = await loose.call('POST', '/v3/payin', { body });
    const payin = succeeded(answer, 200);
    assert.deepEqual([payin.amount, payin.status], [2000, 'requires_payment_method']);
    const ignored = answer.headers.get('ignored-fields')?.match(/\w+/g)?.sort();
    assert.deepEqual(ignored, [
      'customer_fee_percentage',
      'on_behalf_of',
      'session_id',
      'statement_descriptor',
      'transaction_documents',
    ]);
    const confirm = {
      customer_details: { customer: payin.customer },
      success_url: 'https://shop.example.com/done',
      cancel_url: 'https://shop.example.com/back',
      session_id: 'dev_123',
      items: [{ name: 'Antivirus', description: 'Firewall', amount: 2000, quantity: 1 }],
      payment_method_details: { type: 'card', card: { three_d_secure: true } },
    };
    const confirmed = succeeded(
      await loose.call('POST', `/v3/payin/${payin.id}/confirm`, { body: confirm }),
      200,
    );
    assert.equal(confirmed.payment_attempts[0].amount, 2000);
    assert.deepEqual(confirmed.items, [], 'what a payer pays for does not change when a method is chosen');
  });

  test('is refused what would change the price', async () => {
    const body = { invoice_currency: 'USD', amount: 2000, customer_fee_percentage: 5 };
    const answer = await loose.call('POST', '/v3/payin', { body });
    assert.deepEqual([answer.status, answer.json.errors[0].remarks], [400, '/customer_fee_percentage']);
  });

  test('knows its customer by the e-mail address, with new contacts', async () => {
    const { call: ask } = loose;
    const home = { name: person.name, address: { line1: '1 MG Road', country: 'IN' }, label: 'Home' };
    const first = succeeded(
      await ask('POST', '/v3/customer', { body: { ...person, email: 'one@example.com' } }),
      201,
    );
    const body = { ...person, email: 'One@example.com', billing: [home] };
    const again = succeeded(await ask('POST', '/v3/customer', { body }), 200);
    assert.deepEqual([again.id, again.billing[0].address.line1], [first.id, '1 MG Road']);
    assert.deepEqual(succeeded(await ask('GET', `/v3/customer/${first.id}`)), again);
  });
});
