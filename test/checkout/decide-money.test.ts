/**
 * Effects of money on a session: in full, in part, in excess, of unknown amount, and in every combination.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  after,
  attempt,
  checkout,
  completed,
  expiredByTime,
  NOW,
  paid,
  payment,
  report,
  table,
} from './build.ts';

const processing = checkout({ attempts: [attempt('processing')] });
const partPaid = checkout({
  attempts: [attempt('succeeded', { name: 'earlier' }), attempt('processing', { amount: 600 })],
  payments: [payment(400)],
});

suite('money for an active session', () => {
  table([
    {
      name: 'all of it completes the session',
      given: processing,
      when: paid(1000),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'one unit less does not',
      given: processing,
      when: paid(999),
      gives: {
        is: 'active unpaid partial',
        paid: 999,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'payin.requires_payment_method'],
      },
    },
    {
      name: 'one unit more completes it in excess',
      given: processing,
      when: paid(1001),
      gives: {
        is: 'completed paid excess',
        paid: 1001,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'the rest after a part completes it',
      given: partPaid,
      when: paid(600),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded', 'succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'another part leaves it open',
      given: partPaid,
      when: paid(500),
      gives: {
        is: 'active unpaid partial',
        paid: 900,
        attempts: ['succeeded', 'succeeded'],
        events: ['payment_attempt.succeeded', 'payin.requires_payment_method'],
      },
    },
    {
      name: 'more than the rest completes it in excess',
      given: partPaid,
      when: paid(601),
      gives: {
        is: 'completed paid excess',
        paid: 1001,
        attempts: ['succeeded', 'succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'what the attempt was for, where the rail does not say how much',
      given: partPaid,
      when: paid(null),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded', 'succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'what the attempt was for, where the rail does not say how much, though less is due by now',
      given: checkout({ attempts: [attempt('processing')], payments: [payment(400)] }),
      when: paid(null),
      gives: {
        is: 'completed paid excess',
        paid: 1400,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'what the attempt was for, where the rail does not say how much, though more is due by now',
      given: checkout({ attempts: [attempt('processing', { amount: 300 })] }),
      when: paid(null),
      gives: {
        is: 'active unpaid partial',
        paid: 300,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'payin.requires_payment_method'],
      },
    },
    {
      name: 'whatever is due, where neither the attempt nor the amount is known',
      given: partPaid,
      when: paid(null, { reference: 'ref_other' }),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded', 'processing', 'succeeded'],
        events: ['payment_attempt.created', 'payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'without having been seen in progress',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: paid(1000),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'while another attempt waits: that is cancelled',
      given: checkout({ attempts: [attempt('processing'), attempt('requires_action', { name: 'b' })] }),
      when: paid(1000),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded', 'cancelled'],
        events: [
          'payment_attempt.succeeded',
          'payment_attempt.cancelled',
          'checkout.paid',
          'payin.succeeded',
        ],
      },
    },
    {
      name: 'a part, while another attempt waits: that may go on',
      given: checkout({ attempts: [attempt('processing'), attempt('requires_action', { name: 'b' })] }),
      when: paid(400),
      gives: {
        is: 'active unpaid partial',
        paid: 400,
        attempts: ['succeeded', 'requires_action'],
        events: ['payment_attempt.succeeded', 'payin.requires_action'],
      },
    },
    {
      name: 'while another is in progress: that may still bring its own',
      given: checkout({ attempts: [attempt('processing'), attempt('unknown', { name: 'b' })] }),
      when: paid(1000),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded', 'unknown'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'a first instalment of an attempt that goes on',
      given: processing,
      when: report('processing', { payment: { reference: 'pay_1', amount: 400 } }),
      gives: {
        is: 'active unpaid partial',
        paid: 400,
        attempts: ['processing'],
        events: ['checkout.updated'],
      },
    },
    {
      name: 'after a success that had brought none',
      given: checkout({ attempts: [attempt('succeeded')] }),
      when: paid(1000),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded'],
        events: ['checkout.updated', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'a success that brings none completes nothing',
      given: processing,
      when: report('succeeded'),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'payin.requires_payment_method'],
      },
    },
  ]);

  test('completes at the time of the payment that covers it', () => {
    const done = after(processing, paid(1000, { now: NOW + 5 }));
    assert.deepEqual(done.lifecycle, { state: 'completed', at: NOW + 5 });
  });

  test('is booked as a line that says where it came from', () => {
    assert.deepEqual(after(processing, paid(1000)).payments, [
      { rail: 'sandbox', reference: 'pay_1', attempt: 'pat_a', amount: 1000, bookedAt: NOW, late: false },
    ]);
  });

  test('a failure proven wrong keeps no reason', () => {
    const failed = checkout({ attempts: [attempt('failed', { reason: 'Declined.' })] });
    assert.equal(after(failed, paid(1000)).attempts[0]?.reason, '');
  });
});

suite('money for a completed session', () => {
  const done = checkout({
    lifecycle: completed,
    attempts: [attempt('succeeded', { name: 'earlier' }), attempt('cancelled')],
    payments: [payment(1000)],
  });
  table([
    {
      name: 'on an attempt that was cancelled when it completed, is in excess, and late',
      given: done,
      when: paid(1),
      gives: {
        is: 'completed paid excess late',
        paid: 1001,
        attempts: ['succeeded', 'succeeded'],
        events: ['payment_attempt.succeeded'],
      },
    },
    {
      name: 'on the attempt that had completed it, is in excess',
      given: done,
      when: paid(50, { reference: 'ref_earlier' }),
      gives: {
        is: 'completed paid excess',
        paid: 1050,
        attempts: ['succeeded', 'cancelled'],
        events: ['checkout.updated'],
      },
    },
    {
      name: 'of an unknown attempt is in excess',
      given: done,
      when: paid(50, { reference: 'ref_other' }),
      gives: {
        is: 'completed paid excess',
        paid: 1050,
        attempts: ['succeeded', 'cancelled', 'succeeded'],
        events: ['payment_attempt.created', 'payment_attempt.succeeded'],
      },
    },
    {
      name: 'on the attempt that had completed it, of an unknown amount, is what the attempt was for once more',
      given: done,
      when: paid(null, { reference: 'ref_earlier' }),
      gives: {
        is: 'completed paid excess',
        paid: 2000,
        attempts: ['succeeded', 'cancelled'],
        events: ['checkout.updated'],
      },
    },
    {
      name: 'on the attempt that had completed it, of an unknown amount, is no news where the payment is none',
      given: done,
      when: paid(null, { reference: 'ref_earlier', payment: { reference: 'pay_earlier', amount: null } }),
      gives: 'unchanged',
    },
    {
      name: 'on an attempt that still was in progress, of an unknown amount, is what the attempt was for',
      given: checkout({ ...done, attempts: [...done.attempts, attempt('processing', { name: 'b' })] }),
      when: paid(null, { reference: 'ref_b' }),
      gives: {
        is: 'completed paid excess',
        paid: 2000,
        attempts: ['succeeded', 'cancelled', 'succeeded'],
        events: ['payment_attempt.succeeded'],
      },
    },
    {
      name: 'of an unknown attempt and an unknown amount is none: nothing is due',
      given: done,
      when: paid(null, { reference: 'ref_other' }),
      gives: { refused: 'not_payable' },
    },
  ]);
});

suite('money beyond what can be counted', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const rich = checkout({
    lifecycle: completed,
    attempts: [attempt('succeeded', { name: 'earlier' }), attempt('processing', { amount: 600 })],
    payments: [payment(most - 600)],
  });
  table([
    {
      name: 'up to the last unit is booked',
      given: rich,
      when: paid(600),
      gives: {
        is: 'completed paid excess',
        paid: most,
        attempts: ['succeeded', 'succeeded'],
        events: ['payment_attempt.succeeded'],
      },
    },
    { name: 'one unit more is refused', given: rich, when: paid(601), gives: { refused: 'not_payable' } },
    {
      name: 'is refused where the amount is that of the attempt',
      given: checkout({ ...rich, payments: [payment(most - 599)] }),
      when: paid(null),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'is refused for an attempt that nobody knows',
      given: rich,
      when: paid(601, { reference: 'ref_other' }),
      gives: { refused: 'not_payable' },
    },
  ]);
});

suite('money for a draft', () => {
  const draft = checkout({ amount: 0 });
  table([
    {
      name: 'of any amount is refused',
      given: draft,
      when: paid(1),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'of an unknown amount is none',
      given: draft,
      when: paid(null),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'zero is no payment that would be booked whatever the state',
      given: checkout({ lifecycle: expiredByTime }),
      when: paid(0),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'zero is no payment',
      given: processing,
      when: paid(0),
      gives: {
        is: 'active unpaid',
        paid: 0,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'payin.requires_payment_method'],
      },
    },
  ]);
});
