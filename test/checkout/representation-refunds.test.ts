/** The representation of refunds and reversals: their own fields, and their place in sessions and payins. */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AttemptId } from '../../src/checkout/ids.ts';
import {
  representAttempt,
  representCheckout,
  representPayin,
  representRefund,
  representReversal,
} from '../../src/checkout/representation.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { amountRefunded } from '../../src/checkout/statuses.ts';
import { attempt, checkout, completed, expiredByTime, payment } from './build.ts';
import { refund, reversal } from './build-refunds.ts';

const URL = 'https://pay.example';
const CREATED = '2030-01-15T12:00:00.000Z';

/** Compares as text, so that the order of the keys counts. */
function sameText(actual: unknown, expected: unknown): void {
  assert.equal(JSON.stringify(actual, null, 1), JSON.stringify(expected, null, 1));
}

const given = refund(300, {
  reason: 'Broken.',
  remarks: 'Two of five.',
  reference: 're_1',
  paymentFile: 'bfl_a',
  bankEntries: ['ntc_a', 'ntc_b'],
  metadata: { ticket: 7 },
  webhookUrl: 'https://shop.example/refunds',
  status: 'failed',
  failure: 'The account is closed.',
});
const taken = reversal(400, { kind: 'return', reference: 'ret_1', reason: 'AC04', status: 'lost' });

const presentedRefund = {
  id: 'rfd_a',
  object: 'refund',
  created_at: CREATED,
  amount: 300,
  currency: 'USD',
  payin: 'chk_1',
  payment_attempt: 'pat_a',
  reference_id: 'order-1',
  status: 'failed',
  status_description: 'The account is closed.',
  reason: 'Broken.',
  remarks: 'Two of five.',
  reference: 're_1',
  payment_file: 'bfl_a',
  bank_entries: ['ntc_a', 'ntc_b'],
  webhook_url: 'https://shop.example/refunds',
  metadata: { ticket: 7 },
};
const presentedReversal = {
  object: 'reversal',
  kind: 'return',
  reference: 'ret_1',
  created_at: CREATED,
  amount: 400,
  currency: 'USD',
  payin: 'chk_1',
  payment_attempt: 'pat_a',
  status: 'lost',
  reason: 'AC04',
};

const paidUp = (parts: Partial<Checkout> = {}) =>
  checkout({
    lifecycle: completed,
    attempts: [attempt('succeeded')],
    payments: [payment(1000, { attempt: 'pat_a' })],
    ...parts,
  });

test('a refund with something in every field', () => {
  sameText(representRefund(checkout(), given), presentedRefund);
});

test('a refund with nothing to say in most fields', () => {
  sameText(representRefund(checkout({ currency: 'JPY' }), refund(1)), {
    ...presentedRefund,
    amount: 1,
    currency: 'JPY',
    status: 'pending',
    status_description: '',
    reason: '',
    remarks: '',
    reference: '',
    payment_file: '',
    bank_entries: [],
    webhook_url: '',
    metadata: {},
  });
});

test('a reversal', () => sameText(representReversal(checkout(), taken), presentedReversal));

suite('a payin', () => {
  test('lists its refunds and reversals, in the order in which they became known', () => {
    const second = refund(1, { id: 'rfd_b' });
    const session = paidUp({ refunds: [given, second], reversals: [taken] });
    const { refunds, reversals } = representPayin(session, URL);
    sameText(refunds, [presentedRefund, representRefund(session, second)]);
    sameText(reversals, [presentedReversal]);
  });

  test('counts as refunded what a rail has confirmed', () => {
    const rows = [
      { refunds: [], sum: 0 },
      { refunds: [refund(300)], sum: 0 },
      { refunds: [refund(300, { status: 'failed' })], sum: 0 },
      { refunds: [refund(300, { status: 'succeeded' })], sum: 300 },
      {
        refunds: [refund(300, { status: 'succeeded' }), refund(200, { status: 'succeeded' }), refund(500)],
        sum: 500,
      },
    ] as const;
    for (const { refunds, sum } of rows) {
      assert.equal(amountRefunded(paidUp({ refunds })), sum);
      assert.equal(representPayin(paidUp({ refunds }), URL).amount_refunded, sum);
    }
  });

  test('stays paid whatever goes back', () => {
    const session = paidUp({
      refunds: [refund(1000, { status: 'succeeded' })],
      reversals: [reversal(1000, { status: 'lost' })],
    });
    const { status, amount_paid, partially_paid } = representPayin(session, URL);
    assert.deepEqual(
      { status, amount_paid, partially_paid },
      { status: 'succeeded', amount_paid: 1000, partially_paid: false },
    );
  });
});

suite('an attempt is refunded', () => {
  const done = (amount: number, of: AttemptId = 'pat_a') =>
    refund(amount, { status: 'succeeded', attempt: of });
  const rows: readonly { name: string; given: Partial<Checkout>; is: boolean }[] = [
    { name: 'not where nothing has gone back', given: {}, is: false },
    { name: 'where all of it has', given: { refunds: [done(1000)] }, is: true },
    { name: 'where all of it has, in parts', given: { refunds: [done(400), done(600)] }, is: true },
    { name: 'not where a part has', given: { refunds: [done(999)] }, is: false },
    { name: 'not while it is pending', given: { refunds: [refund(1000)] }, is: false },
    { name: 'not where it has failed', given: { refunds: [refund(1000, { status: 'failed' })] }, is: false },
    { name: 'not where another has', given: { refunds: [done(1000, 'pat_b')] }, is: false },
    { name: 'not by a dispute', given: { reversals: [reversal(1000, { status: 'lost' })] }, is: false },
    { name: 'not where it brought nothing', given: { payments: [] }, is: false },
    {
      name: 'not where it has brought more than that',
      given: {
        payments: [payment(1000, { attempt: 'pat_a' }), payment(1, { attempt: 'pat_a', reference: 'pay_2' })],
        refunds: [done(1000)],
      },
      is: false,
    },
  ];
  for (const { name, given, is } of rows) {
    test(name, () => {
      const session = paidUp(given);
      assert.equal(representAttempt(session, attempt('succeeded')).refunded, is);
    });
  }
});

suite('what the payment status means', () => {
  const late = payment(1000, { attempt: 'pat_a', late: true });
  const rows: readonly { name: string; given: Partial<Checkout>; text: string }[] = [
    { name: 'a refund that is pending', given: { refunds: [refund(300)] }, text: '' },
    {
      name: 'a refund',
      given: { refunds: [refund(300, { status: 'succeeded' })] },
      text: 'Refunded 3.00 USD.',
    },
    {
      name: 'a refund of the smallest amount',
      given: { refunds: [refund(1, { status: 'succeeded' })] },
      text: 'Refunded 0.01 USD.',
    },
    {
      name: 'several refunds',
      given: { refunds: [refund(300, { status: 'succeeded' }), refund(50, { status: 'succeeded' })] },
      text: 'Refunded 3.50 USD.',
    },
    { name: 'a dispute', given: { reversals: [reversal(400)] }, text: 'The payer disputes 4.00 USD.' },
    {
      name: 'a dispute that is lost',
      given: { reversals: [reversal(400, { status: 'lost' })] },
      text: 'The payer has disputed 4.00 USD and got it back.',
    },
    { name: 'a dispute that is won', given: { reversals: [reversal(400, { status: 'won' })] }, text: '' },
    { name: 'a return', given: { reversals: [taken] }, text: 'The bank took back 4.00 USD.' },
    {
      name: 'a return that is asked for',
      given: { reversals: [reversal(400, { kind: 'return' })] },
      text: 'The bank wants 4.00 USD back.',
    },
    {
      name: 'a return that is not made after all',
      given: { reversals: [reversal(400, { kind: 'return', status: 'won' })] },
      text: '',
    },
    {
      name: 'all at once, in the currency of the session',
      given: {
        currency: 'KWD',
        lifecycle: expiredByTime,
        payments: [late, payment(200, { attempt: 'pat_a', reference: 'pay_2' })],
        refunds: [refund(200, { status: 'succeeded' })],
        reversals: [reversal(100), taken],
      },
      text:
        'Paid 0.200 KWD in excess. Refunded 0.200 KWD. The payer disputes 0.100 KWD. The bank took back 0.400 KWD. ' +
        'Money arrived late, after the session had expired or the attempt had ended.',
    },
  ];
  for (const { name, given, text } of rows) {
    test(`${name}: ${text || 'nothing to say'}`, () => {
      const session = paidUp(given);
      assert.equal(representCheckout(session, URL).payment_status_description, text);
      assert.equal(representPayin(session, URL).status_description, text);
    });
  }

  test('what may be missing is said too', () => {
    const session = paidUp({ payments: [payment(995)] });
    const { partially_paid, payment_status_description: text } = representCheckout(session, URL);
    assert.deepEqual([partially_paid, text], [true, '9.95 of 10.00 USD is paid.']);
  });
});
