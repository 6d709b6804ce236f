/** Bytes that leave the service: representations, and those frozen in an event. */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Customer } from '../../src/checkout/customer.ts';
import type { CheckoutEvent } from '../../src/checkout/events.ts';
import {
  representAttempt,
  representCheckout,
  representCustomer,
  representPayin,
  representRefund,
} from '../../src/checkout/representation.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { attempt, checkout, payment, T } from './build.ts';
import { refund, reversal } from './build-refunds.ts';

const URL = 'https://pay.example';
const serializer = createSerializer(URL);
const paid = attempt('succeeded');
const back = refund(300);
const dispute = reversal(200);
const session = checkout({
  attempts: [paid],
  payments: [payment(1000, { attempt: paid.id })],
  refunds: [back],
  reversals: [dispute],
});

suite('the bytes', () => {
  test('are the representation as compact JSON', () => {
    const customer: Customer = {
      id: 'cus_1',
      tenant: session.tenant,
      createdAt: T,
      name: 'Ada',
      email: 'ada@example.org',
      country: 'DE',
      phone: null,
      billing: [],
      shipping: [],
      referenceId: '',
      metadata: {},
    };
    for (const [bytes, expected] of [
      [serializer.checkout(session), representCheckout(session, URL)],
      [serializer.payin(session), representPayin(session, URL)],
      [serializer.attempt(session, paid), representAttempt(session, paid)],
      [serializer.refund(session, back), representRefund(session, back)],
      [serializer.customer(customer), representCustomer(customer)],
    ] as const) {
      assert.equal(bytes, JSON.stringify(expected));
    }
  });

  test('of a session are those of its version, however often they are asked for', () => {
    const later = { ...session, version: session.version + 1, metadata: { order: 'B-2' } };
    const first = serializer.checkout(session);
    assert.equal(serializer.checkout(later), JSON.stringify(representCheckout(later, URL)));
    assert.equal(serializer.checkout(session), first);
    assert.equal(createSerializer('https://other.example').checkout(session).includes(URL), false);
  });

  test('of a session are made once', () => {
    let reads = 0;
    const watched = Object.defineProperty({ ...session }, 'successUrl', {
      get: () => `https://shop.example/${++reads}`,
    });
    assert.equal(serializer.checkout(watched), serializer.checkout(watched));
    assert.equal(reads, 1);
  });
});

test('an event holds what it is about: an attempt, a refund, a reversal, the payin, or the session', () => {
  const dataOf = (event: CheckoutEvent) => JSON.parse(serializer.eventData(session, event)).object;
  for (const [event, object] of [
    [{ type: 'payment_attempt.succeeded', attempt: paid }, 'payment_attempt'],
    [{ type: 'refund.pending', refund: back }, 'refund'],
    [{ type: 'reversal.open', reversal: dispute }, 'reversal'],
    [{ type: 'payin.succeeded' }, 'payin'],
    [{ type: 'checkout.paid' }, 'checkout'],
  ] as const) {
    assert.equal(dataOf(event), object, event.type);
  }
});
