/** Creating sessions, and the customers that are made along with them. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../support/service.ts';
import { assertSession } from './shape.ts';
import { createSession, type Data, eventTypes, fetchSession, now, order, succeeded } from './shop.ts';

const service = await startService({ after });
const { call } = service;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

suite('create', () => {
  test('answers 201 with the session, its address and its version', async () => {
    const answer = await call('POST', '/v3/checkout', { body: order });
    const data = succeeded(answer, 201);
    assert.deepEqual(Object.keys(answer.json), ['status', 'message', 'data']);
    assert.equal(answer.json.message, 'CHECKOUT.CREATE.SUCCESS');
    assert.equal(answer.headers.get('location'), `/v3/checkout/${data.id}`);
    assert.equal(answer.headers.get('etag'), '"1"');
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assertSession(data);
    assert.deepEqual(
      {
        ...data,
        id: '',
        url: '',
        token: '',
        created_at: '',
        payin: '',
        payment_methods: [],
        customer: '',
        customer_details: {},
      },
      {
        id: '',
        object: 'checkout',
        invoice_currency: 'EUR',
        amount: 3200,
        amount_paid: 0,
        customer: '',
        customer_details: {},
        billing_details: null,
        shipping_details: null,
        items: [
          { name: 'Widget', description: '', quantity: 2, unit_price: 1250, amount: 2500 },
          { name: 'Gadget', description: '', quantity: 1, unit_price: 700, amount: 700 },
        ],
        success_url: order.success_url,
        cancel_url: order.cancel_url,
        webhook_url: '',
        payment_methods: [],
        transaction_description: '2 x Widget, 1 x Gadget',
        expires_at: null,
        created_at: '',
        url: '',
        token: '',
        status: 'active',
        payment_status: 'unpaid',
        payment_status_description: '',
        payin: '',
        payment_attempts: [],
        latest_payment_attempt: '',
        partially_paid: false,
        paid_in_excess: false,
        transaction_documents: [],
        reference_id: 'order-1001',
        metadata: order.metadata,
      },
    );
    assert.deepEqual(await fetchSession(service, data.id), data);
    assert.deepEqual(await eventTypes(service, data.id), ['checkout.created']);
  });

  test('needs nothing but a currency, and fills in the rest', async () => {
    const data = await createSession(service, { amount: undefined, invoice_currency: 'eur' });
    assertSession(data);
    assert.equal(data.invoice_currency, 'EUR');
    assert.equal(data.amount, 0);
    assert.match(data.reference_id, UUID);
    assert.equal(data.transaction_description, '');
    assert.deepEqual(data.metadata, {});
    assert.ok(data.payment_methods.includes('card'));
    assert.deepEqual(data.customer_details, {
      customer: '',
      name: '',
      email: '',
      country: '',
      phone: null,
      billing_details: null,
      shipping_details: null,
    });
  });

  const contact = {
    label: 'Home',
    name: 'Ada',
    email: 'ada@example.com',
    phone: { calling_code: '44', number: '1' },
    address: {
      line1: '12 St James’s Square',
      line2: '',
      city: 'London',
      state: '',
      country: 'GB',
      postal_code: 'SW1Y',
    },
  };
  const kept = {
    ...contact,
    address: { line1: '12 St James’s Square', city: 'London', country: 'GB', postal_code: 'SW1Y' },
  };
  const items = [{ name: 'Widget', quantity: 2, amount: 100 }];
  const inAnHour = new Date(Date.now() + 3_600_000);
  const empty = {
    success_url: '',
    reference_id: '',
    customer: '',
    billing_details: { name: '' },
    metadata: '',
  };
  const rows: ReadonlyArray<
    readonly [what: string, given: object, expected: (data: Data) => unknown, value: unknown]
  > = [
    ['amount as the name of the unit price', { amount: undefined, items }, ({ amount }) => amount, 200],
    [
      'the same unit price under both names',
      { amount: undefined, items: [{ ...items[0], unit_price: 100 }] },
      ({ amount }) => amount,
      200,
    ],
    ['an amount beside items as the total', { items, amount: 250 }, ({ amount }) => amount, 250],
    [
      'a description instead of the listing',
      { items, transaction_description: 'Order 7\nThank you' },
      (data) => data.transaction_description,
      'Order 7\nThank you',
    ],
    [
      'metadata as a string',
      { metadata: '{"order_id":"7","deep":{"gift":true}}' },
      ({ metadata }) => metadata,
      { order_id: '7', deep: { gift: true } },
    ],
    [
      'empty strings inside of metadata',
      { metadata: { note: '', deep: { note: '' } } },
      ({ metadata }) => metadata,
      { note: '', deep: { note: '' } },
    ],
    [
      'billing_details on top',
      { billing_details: contact },
      (data) => data.customer_details.billing_details,
      kept,
    ],
    [
      'billing_details of the customer',
      { customer_details: { billing_details: contact } },
      (data) => data.customer_details.billing_details,
      kept,
    ],
    [
      'shipping_details on top',
      { shipping_details: contact },
      (data) => data.customer_details.shipping_details,
      kept,
    ],
    [
      'country_code of a phone',
      { customer_details: { name: 'P', phone: { country_code: '49', number: '301' } } },
      (data) => data.customer_details.phone,
      { calling_code: '49', number: '301' },
    ],
    [
      'fields that are without effect',
      { txn_source: 'shop', txn_source_category: 'plugin', same_as_billing_address: true },
      ({ status }) => status,
      'active',
    ],
    [
      'an empty string as an absent field',
      empty,
      (data) => [data.success_url, UUID.test(data.reference_id), data.customer_details.customer],
      ['', true, ''],
    ],
    ['null as no expiry', { expires_at: null }, (data) => data.expires_at, null],
    [
      'an expiry with an offset',
      { expires_at: inAnHour.toISOString().replace('Z', '+00:00') },
      (data) => data.expires_at,
      inAnHour.toISOString(),
    ],
    [
      'payment methods in the given order',
      { payment_methods: ['wire_transfer', 'card'] },
      (data) => data.payment_methods,
      ['wire_transfer', 'card'],
    ],
    [
      'payment methods, whatever is removed',
      { payment_methods: ['wire_transfer', 'card'], remove_payment_methods: ['card'] },
      (data) => data.payment_methods,
      ['wire_transfer', 'card'],
    ],
    [
      'all methods less the removed ones',
      { remove_payment_methods: ['card', 'ovo_idr'] },
      (data) => data.payment_methods.includes('card'),
      false,
    ],
    ['an empty list of items as none', { items: [] }, ({ amount, items }) => [amount, items], [2500, []]],
    [
      'null as an absent field',
      {
        success_url: null,
        metadata: null,
        billing_details: null,
        customer_details: { phone: null, name: null },
      },
      (data) => [data.success_url, data.metadata, data.billing_details, data.customer_details.phone],
      ['', {}, null, null],
    ],
    [
      'items with long descriptions of several lines',
      { amount: undefined, items: [{ ...items[0], description: `one\n\ttwo${'x'.repeat(4000)}` }] },
      (data) => data.items,
      [
        {
          name: 'Widget',
          description: `one\n\ttwo${'x'.repeat(4000)}`,
          quantity: 2,
          unit_price: 100,
          amount: 200,
        },
      ],
    ],
    [
      'a currency without minor units',
      { invoice_currency: 'JPY', amount: 2500 },
      (data) => [data.amount, data.invoice_currency],
      [2500, 'JPY'],
    ],
    ['the largest amount', { amount: 999_999_999_999_999 }, ({ amount }) => amount, 999_999_999_999_999],
    [
      'a country in small letters',
      { customer_details: { country: 'gb' } },
      (data) => data.customer_details.country,
      'GB',
    ],
    [
      'text of all scripts',
      { customer_details: { name: 'Zoë 東京 🧾' } },
      (data) => data.customer_details.name,
      'Zoë 東京 🧾',
    ],
  ];
  for (const [what, given, of, expected] of rows) {
    test(`accepts ${what}`, async () => {
      const data = await createSession(service, given);
      assertSession(data);
      assert.deepEqual(of(data), expected);
      assert.deepEqual(await fetchSession(service, data.id), data);
    });
  }

  test('accepts an integer that is written with a fraction of zero', async () => {
    const body =
      '{"invoice_currency":"EUR","amount":1000.0,"items":[{"name":"W","quantity":1e0,"unit_price":10}]}';
    const answer = await call('POST', '/v3/checkout', { body });
    assert.equal(succeeded(answer, 201).amount, 1000);
    assert.match(answer.text, /"amount":1000,/);
  });

  test('accepts expiries from 60 seconds to 180 days ahead', async () => {
    const base = await now(service);
    for (const ahead of [61_000, 180 * 86_400_000 - 1000]) {
      const expires_at = new Date(base + ahead).toISOString();
      assert.equal((await createSession(service, { expires_at })).expires_at, expires_at);
    }
  });
});

suite('a customer', () => {
  test('is made from details, and found again by the e-mail address in any case', async () => {
    const details = { name: 'Grace Hopper', email: 'grace@example.com', country: 'US' };
    const first = await createSession(service, { customer_details: details });
    const { customer } = first.customer_details;
    assert.match(customer, /^cus_[0-9a-z]{20,}$/);
    const record = succeeded(await call('GET', `/v3/customer/${customer}`));
    assert.deepEqual([record.name, record.email, record.country], Object.values(details));
    const second = await createSession(service, { customer_details: { email: 'Grace@Example.COM' } });
    assert.equal(second.customer_details.customer, customer);
    assert.equal(second.customer_details.name, 'Grace Hopper');
    const { json } = await call('GET', '/v3/customer?email=GRACE@example.com');
    assert.deepEqual(
      json.data.map(({ id }: Data) => id),
      [customer],
    );
  });

  for (const place of ['customer', 'customer_details'] as const) {
    test(`is named by its id in ${place}`, async () => {
      const body = {
        name: 'Alan',
        email: `alan-${place}@example.com`,
        phone: { country_code: '44', number: '7' },
      };
      const { id } = succeeded(await call('POST', '/v3/customer', { body }), 201);
      const given = place === 'customer' ? { customer: id } : { customer_details: { customer: id } };
      const { customer_details } = await createSession(service, given);
      assert.deepEqual(
        [customer_details.customer, customer_details.name, customer_details.email, customer_details.phone],
        [id, 'Alan', body.email, { calling_code: '44', number: '7' }],
      );
    });
  }

  test('of many creates at once with one new address is one', async () => {
    const customer_details = { email: 'crowd@example.com' };
    const made = await Promise.all(
      Array.from({ length: 20 }, () => createSession(service, { customer_details })),
    );
    assert.equal(new Set(made.map((data) => data.customer_details.customer)).size, 1);
  });
});
