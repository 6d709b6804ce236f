/**
 * Whole days of shops that sell with the public v3 API, request by request: what their plug-ins send, and the fields of
 * the answers by which they go on. The accounts here have the defaults.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { startService } from '../../support/service.ts';
import { startReceiver } from '../receiver.ts';
import { type Data, pay, succeeded } from '../shop.ts';

const service = await startService({ after });
const { call } = service;
const secret = service.account.webhookSecrets.test;
const json = { 'content-type': 'application/json' };

suite('a shop with a cart', () => {
  const shipping = { line1: '', line2: '', city: '', state: '', country: '', postal_code: '' };
  const billing = {
    line1: '1600 Amphitheatre Pkwy',
    line2: '',
    city: 'Mountain View',
    state: 'US-CA',
    country: 'US',
    postal_code: '94043',
  };
  const phone = { country_code: '1', number: '650 253 0000' };
  const name = 'Grace Hopper';
  const inSevenDays = () => `${new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 19)}Z`;
  const cart = (number: string, hook: string) => ({
    amount: 10_698,
    invoice_currency: 'USD',
    transaction_description: 'Corner Shop : 2 x Mug, blue, 1 x Poster “Déjà vu” & frame',
    txn_source_category: 'cart-plug-in',
    txn_source: '3.0.1',
    webhook_url: `${hook}?api=payment&order=${number}`,
    success_url: `https://shop.example.com/order-received/${number}/?key=order_a1B2c3`,
    cancel_url: 'https://shop.example.com/checkout/',
    shipping_details: { name: ' ', address: shipping },
    billing_details: { name, address: billing, phone },
    customer_details: { email: 'grace@example.com', name, country: 'US', phone },
    same_as_billing_address: false,
    expires_at: inSevenDays(),
    reference_id: number,
    items: [
      {
        name: 'Mug, blue',
        quantity: 2,
        amount: 1999,
        description: '<p>Holds 0.3 l.</p>\r\n<ul>\n\t<li>Blue</li>\n</ul>',
      },
      { name: 'Poster “Déjà vu” & frame', quantity: 1, amount: 5_700, description: '' },
    ],
    remove_payment_methods: ['wire_transfer', 'bank_push_vnd', 'poli_nzd', 'card_cup_sgd'],
  });

  test('opens a session for an order, shows its state, is told of the money, and refunds a part', async (t) => {
    const receiver = await startReceiver(t);
    const number = '4711';
    const body = cart(number, receiver.url);
    const headers = { 'idempotency-key': number };
    const answer = await call('POST', '/v3/checkout', { body, headers });
    const created = succeeded(answer, 201);
    assert.deepEqual([created.reference_id, created.payin], [number, created.id]);
    assert.ok(created.customer.startsWith('cus_') && created.url.startsWith(service.config.CHECKOUT_URL));
    assert.equal(new URL(created.url).pathname.split('/').at(-1), created.token);
    assert.ok(!created.payment_methods.includes('wire_transfer') && created.payment_methods.includes('card'));
    assert.equal(created.billing_details.address.state, 'US-CA');
    assert.deepEqual(created.billing_details.phone, phone);
    assert.deepEqual(created.customer_details.phone, { calling_code: '1', number: phone.number });

    // A second click on the button, within the same second.
    const again = await call('POST', '/v3/checkout', { body, headers });
    assert.equal(again.text, answer.text);

    const state = async () =>
      succeeded(
        await call('GET', `/v3/checkout/${created.payin}`, { headers: { accept: 'application/json' } }),
      );
    const open = await state();
    assert.deepEqual([open.invoice_currency, open.payment_status, open.amount_paid], ['USD', 'unpaid', 0]);
    await pay(service, created.id);
    assert.deepEqual(
      [(await state()).payment_status, (await state()).amount_paid, (await state()).status],
      ['paid', 10_698, 'completed'],
    );

    const refund = {
      payin: created.payin,
      payment_attempt: '',
      amount: 1999,
      reason: 'refund',
      remarks: '',
      source: 'cart-plug-in',
      webhook_url: `${receiver.url}?api=refund&order=${number}`,
      metadata: { reference_id: Number(number) },
    };
    const refunded = succeeded(await call('POST', '/v3/refund', { body: refund }), 201);
    assert.deepEqual([refunded.amount, refunded.metadata], [1999, { reference_id: 4711 }]);

    const told = async (type: string) => {
      for (let count = 1; ; count += 1) {
        const delivery = (await receiver.received(count)).at(-1);
        if (delivery?.event.type === type) return delivery.event;
      }
    };
    const paid = await told('checkout.paid');
    assert.deepEqual([paid.data.payment_status, paid.data.reference_id], ['paid', number]);
    const back = await told('refund.succeeded');
    assert.deepEqual([back.data.status, back.data.payin], ['succeeded', created.payin]);
  });

  test('is told in words why an order cannot be opened, in a form that it can show', async () => {
    const body = { ...cart('4712', 'https://shop.example.com'), invoice_currency: '', amount: 0 };
    const answer = await call('POST', '/v3/checkout', { body, headers: { 'idempotency-key': '4712' } });
    assert.deepEqual([answer.status, answer.json.status], [400, 'error']);
    for (const { code, message } of answer.json.errors) {
      assert.ok(Number.isInteger(code) && message.length > 10 && !message.includes('<'));
    }
    // The refusal has used up nothing: the customer corrects the order.
    const corrected = { ...body, invoice_currency: 'usd', amount: 500 };
    const { invoice_currency } = succeeded(
      await call('POST', '/v3/checkout', { body: corrected, headers: { 'idempotency-key': '4712' } }),
      201,
    );
    assert.equal(invoice_currency, 'USD');
  });

  test('finds out that its keys are wrong, from a document with a status', async () => {
    const authorization = `Basic ${Buffer.from('ak_test_nobody:sk_test_wrong').toString('base64')}`;
    const query = 'amount=1000&customer_country=US&invoice_currency=USD&account_country=US';
    const answer = await call('GET', `/v3/metadata/collect?${query}`, {
      headers: { ...json, authorization },
    });
    assert.deepEqual([answer.status, answer.json.status], [401, 'error']);
  });
});

suite('a shop that sells courses', () => {
  const create = (fields: object) =>
    call('POST', '/v3/checkout', {
      body: {
        customer_details: { name: 'Mary Jackson', country: 'IN', email: 'mary@example.com' },
        invoice_currency: 'INR',
        success_url: 'http://localhost:5173/home?service=65a1&user=7f&price=49.5',
        cancel_url: 'http://localhost:5173/services/logo-design',
        ...fields,
      },
      headers: { ...json, accept: 'application/json' },
    });

  test('writes whole amounts as its language writes floating point', async () => {
    const body = '{"invoice_currency":"USD","amount":4950.0,"transaction_description":"Course"}';
    assert.equal(succeeded(await call('POST', '/v3/checkout', { body }), 201).amount, 4950);
    const exponent = '{"invoice_currency":"USD","amount":1.5e4}';
    assert.equal(succeeded(await call('POST', '/v3/checkout', { body: exponent }), 201).amount, 15_000);
  });

  test('describes an order in several lines, with an end to the millisecond or the microsecond', async () => {
    const end = new Date(Date.now() + 86_400_000).toISOString();
    for (const expires_at of [end, end.replace('Z', '456Z')]) {
      const description = 'Logo design - Basic \n (3 drafts) \n (5 days delivery) \n (2 revisions)';
      const fields = {
        amount: 4950,
        transaction_description: description,
        payment_methods: ['card'],
        expires_at,
      };
      const data = succeeded(await create(fields), 201);
      assert.deepEqual(
        [data.transaction_description, data.expires_at, data.payment_methods],
        [description, end, ['card']],
      );
      assert.equal(data.success_url, 'http://localhost:5173/home?service=65a1&user=7f&price=49.5');
    }
  });

  test('fetches a session with a content type and no body, and the state of its newest attempt', async () => {
    const { id } = succeeded(await create({ amount: 100 }), 201);
    await pay(service, id, { outcome: 'failed' });
    const fetched = succeeded(await call('GET', `/v3/checkout/${id}`, { headers: json }));
    const attempt = fetched.payment_attempts.find(({ id }: Data) => id === fetched.latest_payment_attempt);
    assert.deepEqual([attempt.status, fetched.payment_status], ['failed', 'unpaid']);
    const alone = succeeded(await call('GET', `/v3/payment_attempt/${attempt.id}`, { headers: json }));
    assert.deepEqual(alone, attempt);
  });

  test('is told that an empty list is no request', async () => {
    const { status, json: answer } = await call('POST', '/v3/checkout', { body: '[]' });
    assert.deepEqual([status, answer.status, answer.errors[0].code], [400, 'error', 15502]);
  });
});

suite('a wallet that takes deposits', () => {
  test('asks which methods there are, and opens a session with some of them', async () => {
    const query = 'amount=15000000&invoice_currency=IDR&customer_country=ID';
    const { payment_methods: methods } = succeeded(
      await call('GET', `/v3/metadata/collect?${query}`, {
        headers: { ...json, accept: 'application/json' },
      }),
    );
    const payment_methods = methods.map(({ type }: Data) => type).reverse();
    const body = {
      amount: 15_000_000,
      invoice_currency: 'IDR',
      customer_details: { name: 'Katherine Johnson', email: 'katherine@example.com', country: 'ID' },
      transaction_description: 'Deposit',
      expires_at: `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`,
      payment_methods,
      reference_id: 'transactions_81',
      success_url: 'https://wallet.example.com/transactions/81/success',
      cancel_url: 'https://wallet.example.com/transactions/81/cancel',
      webhook_url: 'https://wallet.example.com/transactions/81/webhook',
    };
    const created = succeeded(await call('POST', '/v3/checkout', { body }), 201);
    const { customer_details, expires_at, ...rest } = body;
    assert.partialDeepStrictEqual(created, { ...rest, customer_details });
    assert.equal(Date.parse(created.expires_at), Date.parse(expires_at));
    assert.deepEqual(succeeded(await call('GET', `/v3/checkout/${created.id}`)), created);
  });
});

suite('a service with subscriptions', () => {
  test('knows its customers by id, and sells to them', async () => {
    const person = { country: 'SG', email: 'dorothy@example.com', name: 'Dorothy Vaughan' };
    const customer = succeeded(await call('POST', '/v3/customer', { body: person }), 201).id;
    const body = {
      amount: 18_900,
      cancel_url: 'https://app.example.com/pricing',
      customer,
      invoice_currency: 'USD',
      items: [{ amount: 18_900, description: 'Lifetime access', name: 'Lifetime', quantity: 1 }],
      metadata: { ftl: 'lifetime', first_promoter: '' },
      reference_id: 'fp_1732310400000',
      remove_payment_methods: [],
      success_url: 'https://app.example.com/payment/success?plan=lifetime&ref=a%20b',
      transaction_description: 'Lifetime access',
    };
    const { id, url, token } = succeeded(await call('POST', '/v3/checkout', { body }), 201);
    assert.ok(url.endsWith(token));
    const paid = await pay(service, id);
    assert.deepEqual(
      [paid.customer, paid.customer_details.email, paid.customer_details.name],
      [customer, person.email, person.name],
    );
    assert.deepEqual(paid.metadata, body.metadata);
  });

  test('shows the message of what was refused', async () => {
    const { status, json: answer } = await call('POST', '/v3/customer', { body: { email: 'no address' } });
    assert.deepEqual([status, typeof answer.message], [400, 'string']);
    assert.match(answer.errors[0].message, /e-mail address/);
  });

  test('believes what its receiver can verify, once, and by the figures in it', async (t) => {
    const receiver = await startReceiver(t);
    const body = { invoice_currency: 'SGD', amount: 2500, reference_id: 'wsu_99', webhook_url: receiver.url };
    const { id } = succeeded(await call('POST', '/v3/checkout', { body }), 201);
    await pay(service, id);
    const deliveries = await receiver.received(5);
    for (const { headers, text, event } of deliveries) {
      const said = createHmac('sha256', secret)
        .update(`${event.id}${text}${event.created_at}`)
        .digest('base64');
      assert.equal(headers.signature, said);
      assert.ok(Math.abs(Date.parse(event.created_at) - Date.now()) < 600_000);
      assert.equal(event.data.reference_id, 'wsu_99');
    }
    assert.equal(new Set(deliveries.map(({ event }) => event.id)).size, deliveries.length);
    const { data } = deliveries.find(({ event }) => event.type === 'checkout.paid')?.event ?? {};
    assert.ok(data.id.startsWith('chk_'));
    assert.deepEqual(
      [data.id, data.amount_paid, data.amount, data.invoice_currency, data.payment_status],
      [id, 2500, 2500, 'SGD', 'paid'],
    );
    const attempts = data.payment_attempts.map(({ status, payment_method_details }: Data) => [
      status,
      payment_method_details.type,
    ]);
    assert.deepEqual(attempts, [['succeeded', 'card']]);
    const attempt = deliveries.find(({ event }) => event.type === 'payment_attempt.succeeded')?.event.data;
    assert.ok(attempt.id.startsWith('pat_'));
    assert.deepEqual([attempt.checkout, attempt.payin, attempt.status], [id, id, 'succeeded']);
  });
});
