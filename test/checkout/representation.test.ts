/** The public representation, field by field: clients, webhooks and the cache depend on its bytes. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  paymentUrl,
  representAttempt,
  representCheckout,
  representPayin,
  timestamp,
} from '../../src/checkout/representation.ts';
import type { Checkout, Payment } from '../../src/checkout/session.ts';
import {
  attempt,
  checkout,
  completed,
  EXPIRES,
  expiredByMerchant,
  expiredByTime,
  NOW,
  payment,
  T,
} from './build.ts';

const URL = 'https://pay.example';
const CREATED = '2030-01-15T12:00:00.000Z';

/** A session with something in every field. */
const full = checkout({
  id: 'chk_full',
  token: 'tok_full',
  currency: 'USD',
  amount: 1000,
  description: '2 x Widget',
  items: [{ name: 'Widget', quantity: 2, unitPrice: 500 }],
  referenceId: 'order-7',
  metadata: { order: 'A-7', nested: { gift: true } },
  payer: {
    customer: 'cus_1',
    name: 'Ada',
    email: 'ada@example.org',
    country: 'GB',
    phone: { callingCode: '44', number: '20' },
    billingDetails: { city: 'London' },
    shippingDetails: { city: 'Bath' },
  },
  expiresAt: EXPIRES,
  lifecycle: completed,
  attempts: [attempt('failed', { reason: 'Declined.' }), attempt('succeeded', { name: 'b' })],
  payments: [payment(1000, { attempt: 'pat_b' })],
});

const presentedPayer = {
  customer: 'cus_1',
  name: 'Ada',
  email: 'ada@example.org',
  country: 'GB',
  phone: { calling_code: '44', number: '20' },
  billing_details: { city: 'London' },
  shipping_details: { city: 'Bath' },
};

const presentedItems = [{ name: 'Widget', description: '', quantity: 2, unit_price: 500, amount: 1000 }];

const presentedAttempts = [
  {
    id: 'pat_a',
    object: 'payment_attempt',
    created_at: CREATED,
    amount: 1000,
    charge_currency: 'USD',
    payin: 'chk_full',
    checkout: 'chk_full',
    reference_id: 'order-7',
    customer: 'cus_1',
    status: 'failed',
    status_description: 'Declined.',
    payment_method_details: { type: 'card', rail: 'sandbox', reference: 'ref_a' },
    refunded: false,
    metadata: {},
  },
  {
    id: 'pat_b',
    object: 'payment_attempt',
    created_at: CREATED,
    amount: 1000,
    charge_currency: 'USD',
    payin: 'chk_full',
    checkout: 'chk_full',
    reference_id: 'order-7',
    customer: 'cus_1',
    status: 'succeeded',
    status_description: '',
    payment_method_details: { type: 'card', rail: 'sandbox', reference: 'ref_b' },
    refunded: false,
    metadata: {},
  },
];

const receipts = [{ type: 'receipt', url: 'https://pay.example/transaction/tok_full/receipt.pdf' }];

/** Compares as text, so that the order of the keys counts. */
function sameText(actual: unknown, expected: unknown): void {
  assert.equal(JSON.stringify(actual, null, 1), JSON.stringify(expected, null, 1));
}

suite('a session', () => {
  test('with something in every field', () => {
    sameText(representCheckout(full, URL), {
      id: 'chk_full',
      object: 'checkout',
      invoice_currency: 'USD',
      amount: 1000,
      amount_paid: 1000,
      customer: 'cus_1',
      customer_details: presentedPayer,
      billing_details: { city: 'London' },
      shipping_details: { city: 'Bath' },
      items: presentedItems,
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/basket',
      webhook_url: 'https://shop.example/hook',
      payment_methods: ['card', 'bank_transfer'],
      transaction_description: '2 x Widget',
      expires_at: '2030-01-15T13:00:00.000Z',
      created_at: CREATED,
      url: 'https://pay.example/transaction/tok_full',
      token: 'tok_full',
      status: 'completed',
      payment_status: 'paid',
      payment_status_description: '',
      payin: 'chk_full',
      payment_attempts: presentedAttempts,
      latest_payment_attempt: 'pat_b',
      partially_paid: false,
      paid_in_excess: false,
      transaction_documents: receipts,
      reference_id: 'order-7',
      metadata: { order: 'A-7', nested: { gift: true } },
    });
  });

  test('with nothing to say in most fields', () => {
    const bare = checkout({
      amount: 0,
      description: '',
      successUrl: '',
      cancelUrl: '',
      webhookUrl: '',
      methods: [],
      metadata: {},
    });
    sameText(representCheckout(bare, URL), {
      id: 'chk_1',
      object: 'checkout',
      invoice_currency: 'USD',
      amount: 0,
      amount_paid: 0,
      customer: '',
      customer_details: {
        customer: '',
        name: '',
        email: '',
        country: '',
        phone: null,
        billing_details: null,
        shipping_details: null,
      },
      billing_details: null,
      shipping_details: null,
      items: [],
      success_url: '',
      cancel_url: '',
      webhook_url: '',
      payment_methods: [],
      transaction_description: '',
      expires_at: null,
      created_at: CREATED,
      url: 'https://pay.example/transaction/token1',
      token: 'token1',
      status: 'active',
      payment_status: 'unpaid',
      payment_status_description: '',
      payin: 'chk_1',
      payment_attempts: [],
      latest_payment_attempt: '',
      partially_paid: false,
      paid_in_excess: false,
      transaction_documents: [],
      reference_id: 'order-1',
      metadata: {},
    });
  });

  /** Every field of a session with its JSON type; `?` may be null. */
  const types: Record<keyof ReturnType<typeof representCheckout>, string> = {
    id: 'string',
    object: 'string',
    invoice_currency: 'string',
    amount: 'integer',
    amount_paid: 'integer',
    customer: 'string',
    customer_details: 'object',
    billing_details: 'object?',
    shipping_details: 'object?',
    items: 'array',
    success_url: 'string',
    cancel_url: 'string',
    webhook_url: 'string',
    payment_methods: 'array',
    transaction_description: 'string',
    expires_at: 'string?',
    created_at: 'string',
    url: 'string',
    token: 'string',
    status: 'string',
    payment_status: 'string',
    payment_status_description: 'string',
    payin: 'string',
    payment_attempts: 'array',
    latest_payment_attempt: 'string',
    partially_paid: 'boolean',
    paid_in_excess: 'boolean',
    transaction_documents: 'array',
    reference_id: 'string',
    metadata: 'object',
  };
  const states: Record<string, Checkout> = {
    full,
    draft: checkout({ amount: 0 }),
    'partly paid': checkout({ payments: [payment(1)] }),
    'expired by time': checkout({ lifecycle: expiredByTime, expiresAt: EXPIRES }),
    'expired by its merchant and paid late': checkout({
      lifecycle: expiredByMerchant,
      payments: [payment(1000, { late: true })],
    }),
  };
  for (const [name, session] of Object.entries(states)) {
    test(`has the same fields of the same types in every state: ${name}`, () => {
      const data = representCheckout(session, URL);
      assert.deepEqual(Object.keys(data), Object.keys(types));
      for (const [field, type] of Object.entries(types)) {
        const value: unknown = Reflect.get(data, field);
        if (value === null && type.endsWith('?')) continue;
        assert.equal(jsonTypeOf(value), type.replace('?', ''), field);
      }
    });
  }
});

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

suite('what the payment status means', () => {
  const on = (amount: number, late = false): Payment =>
    payment(amount, { late, reference: `pay_${amount}_${late}` });
  const rows: readonly { name: string; given: Partial<Checkout>; text: string }[] = [
    { name: 'nothing paid', given: {}, text: '' },
    { name: 'all paid', given: { lifecycle: completed, payments: [on(1000)] }, text: '' },
    { name: 'expired', given: { lifecycle: expiredByTime }, text: '' },
    { name: 'a part', given: { payments: [on(250)] }, text: '2.50 of 10.00 USD is paid.' },
    { name: 'two parts', given: { payments: [on(250), on(251)] }, text: '5.01 of 10.00 USD is paid.' },
    {
      name: 'too much',
      given: { lifecycle: completed, payments: [on(1250)] },
      text: 'Paid 2.50 USD in excess.',
    },
    {
      name: 'late',
      given: { lifecycle: expiredByTime, payments: [on(1000, true)] },
      text: 'Money arrived late, after the session had expired or the attempt had ended.',
    },
    {
      name: 'a part, late',
      given: { lifecycle: expiredByMerchant, payments: [on(250, true)] },
      text: '2.50 of 10.00 USD is paid. Money arrived late, after the session had expired or the attempt had ended.',
    },
    {
      name: 'too much, late',
      given: { lifecycle: expiredByTime, payments: [on(400), on(700, true)] },
      text: 'Paid 1.00 USD in excess. Money arrived late, after the session had expired or the attempt had ended.',
    },
    {
      name: 'a part that was in time, of a session that has expired',
      given: { lifecycle: expiredByTime, payments: [on(400)] },
      text: '4.00 of 10.00 USD is paid.',
    },
    {
      name: 'a part, in a currency without decimals',
      given: { currency: 'JPY', payments: [on(250)] },
      text: '250 of 1000 JPY is paid.',
    },
    {
      name: 'too much, in a currency with three decimals',
      given: { currency: 'KWD', lifecycle: completed, payments: [on(1001)] },
      text: 'Paid 0.001 KWD in excess.',
    },
  ];
  for (const { name, given, text } of rows) {
    test(`${name}: ${text || 'nothing to say'}`, () => {
      const session = checkout(given);
      assert.equal(representCheckout(session, URL).payment_status_description, text);
      assert.equal(representPayin(session, URL).status_description, text);
    });
  }
});

suite('what the status of an attempt means', () => {
  const to = (amount: number, reference = 'pay_1') => payment(amount, { attempt: 'pat_a', reference });
  const rows = [
    { name: 'waiting', tried: attempt('requires_action'), payments: [], text: '' },
    { name: 'failed', tried: attempt('failed', { reason: 'No funds.' }), payments: [], text: 'No funds.' },
    { name: 'succeeded as asked', tried: attempt('succeeded'), payments: [to(1000)], text: '' },
    {
      name: 'succeeded in parts',
      tried: attempt('succeeded'),
      payments: [to(300), to(700, 'pay_2')],
      text: '',
    },
    {
      name: 'succeeded with less',
      tried: attempt('succeeded'),
      payments: [to(300)],
      text: 'Received 3.00 of 10.00 USD.',
    },
    {
      name: 'succeeded with more',
      tried: attempt('succeeded'),
      payments: [to(1300)],
      text: 'Received 13.00 of 10.00 USD.',
    },
    {
      name: 'succeeded beside another',
      tried: attempt('succeeded', { amount: 300 }),
      payments: [payment(700), to(300)],
      text: '',
    },
  ];
  for (const { name, tried, payments, text } of rows) {
    test(`${name}: ${text || 'nothing to say'}`, () => {
      const session = checkout({ attempts: [tried], payments });
      assert.equal(representAttempt(session, tried).status_description, text);
    });
  }
});

suite('a payin', () => {
  test('is the session, seen from its money', () => {
    sameText(representPayin(full, URL), {
      id: 'chk_full',
      object: 'payin',
      checkout: 'chk_full',
      created_at: CREATED,
      status: 'succeeded',
      status_description: '',
      invoice_currency: 'USD',
      amount: 1000,
      amount_paid: 1000,
      partially_paid: false,
      paid_in_excess: false,
      amount_refunded: 0,
      refunds: [],
      reversals: [],
      customer: 'cus_1',
      customer_details: presentedPayer,
      billing_details: { city: 'London' },
      shipping_details: { city: 'Bath' },
      items: presentedItems,
      client_token: 'tok_full',
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/basket',
      webhook_url: 'https://shop.example/hook',
      transaction_description: '2 x Widget',
      payment_attempts: presentedAttempts,
      latest_payment_attempt: 'pat_b',
      transaction_documents: receipts,
      reference_id: 'order-7',
      metadata: { order: 'A-7', nested: { gift: true } },
    });
  });
});

suite('addresses, documents and times', () => {
  test("the payer's page is under the address for payers", () => {
    assert.equal(paymentUrl(full, 'https://pay.example'), 'https://pay.example/transaction/tok_full');
    assert.equal(paymentUrl(full, 'http://[::1]:3000/till'), 'http://[::1]:3000/till/transaction/tok_full');
  });

  test('one receipt, as soon as there is money and only then', () => {
    const documents = (payments: Payment[]) =>
      representCheckout(checkout({ payments }), URL).transaction_documents;
    const receipt = [{ type: 'receipt', url: 'https://pay.example/transaction/token1/receipt.pdf' }];
    assert.deepEqual(documents([]), []);
    assert.deepEqual(documents([payment(1)]), receipt);
    assert.deepEqual(documents([payment(1), payment(999, { reference: 'pay_2' })]), receipt);
  });

  test('an invoice for as long as a transfer of exactly what is due is waited for', () => {
    const standing = attempt('requires_action', { traits: { standing: true } });
    const documents = (given: Partial<Checkout>) =>
      representCheckout(checkout({ attempts: [standing], ...given }), URL).transaction_documents;
    const invoice = { type: 'invoice', url: 'https://pay.example/transaction/token1/invoice.pdf' };
    const receipt = { type: 'receipt', url: 'https://pay.example/transaction/token1/receipt.pdf' };
    assert.deepEqual(documents({}), [invoice]);
    assert.deepEqual(documents({ attempts: [{ ...standing, traits: {} }] }), []);
    assert.deepEqual(documents({ attempts: [{ ...standing, status: 'cancelled' }] }), []);
    assert.deepEqual(documents({ payments: [payment(400)] }), [receipt]);
    const rest = { ...standing, id: 'pat_b', amount: 600 } as const;
    assert.deepEqual(documents({ payments: [payment(400)], attempts: [standing, rest] }), [receipt, invoice]);
  });

  test('times are UTC with milliseconds', () => {
    assert.equal(timestamp(0), '1970-01-01T00:00:00.000Z');
    assert.equal(timestamp(T + 7), '2030-01-15T12:00:00.007Z');
  });

  test('an attempt has its own time', () => {
    const tried = attempt('processing', { createdAt: NOW });
    assert.equal(
      representAttempt(checkout({ attempts: [tried] }), tried).created_at,
      '2030-01-15T12:01:00.000Z',
    );
  });
});

test('the latest attempt is the last of however many', () => {
  const names = ['a', 'b', 'c'];
  for (const [count] of names.entries()) {
    const attempts = names.slice(0, count + 1).map((name) => attempt('failed', { name }));
    assert.equal(
      representCheckout(checkout({ attempts }), URL).latest_payment_attempt,
      `pat_${names[count]}`,
    );
  }
});
