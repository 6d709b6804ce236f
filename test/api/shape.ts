/** The one shape in which a session leaves the service. */
import assert from 'node:assert/strict';
import type { representCheckout } from '../../src/checkout/representation.ts';
import type { Data } from './shop.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Every field of a session, in the order of the answer, with the kind of its value. */
const fields: Record<keyof ReturnType<typeof representCheckout>, (value: unknown) => boolean> = {
  id: (value) => /^chk_[0-9a-z]{20,}$/.test(String(value)),
  object: (value) => value === 'checkout',
  invoice_currency: (value) => /^[A-Z]{3}$/.test(String(value)),
  amount: Number.isSafeInteger,
  amount_paid: Number.isSafeInteger,
  customer: isText,
  customer_details: (value) => typeof value === 'object' && value !== null,
  billing_details: isContact,
  shipping_details: isContact,
  items: Array.isArray,
  success_url: isText,
  cancel_url: isText,
  webhook_url: isText,
  payment_methods: (value) => Array.isArray(value) && value.every(isText),
  transaction_description: isText,
  expires_at: (value) => value === null || TIME.test(String(value)),
  created_at: (value) => TIME.test(String(value)),
  url: (value) => /^http:\/\/[^/]+\/transaction\/[0-9a-z]{30,}$/.test(String(value)),
  token: (value) => /^[0-9a-z]{30,}$/.test(String(value)),
  status: (value) => ['active', 'completed', 'expired'].includes(String(value)),
  payment_status: (value) => ['unpaid', 'paid', 'expired'].includes(String(value)),
  payment_status_description: isText,
  payin: isText,
  payment_attempts: Array.isArray,
  latest_payment_attempt: isText,
  partially_paid: isFlag,
  paid_in_excess: isFlag,
  transaction_documents: Array.isArray,
  reference_id: isText,
  metadata: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isContact(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}

export function assertSession(data: Data): void {
  assert.deepEqual(Object.keys(data), Object.keys(fields));
  for (const [name, fits] of Object.entries(fields)) {
    assert.ok(fits(data[name]), `${name}: ${JSON.stringify(data[name])}`);
  }
  const { customer_details: details } = data;
  assert.deepEqual(Object.keys(details), [
    'customer',
    'name',
    'email',
    'country',
    'phone',
    'billing_details',
    'shipping_details',
  ]);
  assert.equal(data.payin, data.id);
  assert.ok(data.url.endsWith(`/transaction/${data.token}`));
  assert.equal(data.customer, details.customer);
}
