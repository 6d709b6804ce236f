/**
 * The merchant's policy for money that does not fit: how much may be missing, and what becomes of an excess.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MAX_AMOUNT } from '../../src/checkout/money.ts';
import { MAX_REFUNDS } from '../../src/checkout/refunds.ts';
import { type Checkout, defaultPolicy, type Policy } from '../../src/checkout/session.ts';
import { isCovered, isPartiallyPaid, paymentStatusOf, toleranceOf } from '../../src/checkout/statuses.ts';
import {
  after,
  attempt,
  checkout,
  completed,
  expiredByMerchant,
  NOW,
  paid,
  payment,
  play,
  report,
  start,
  table,
} from './build.ts';
import { refund, reportReversal, reversal } from './build-refunds.ts';

const policy = (given: Partial<Policy>): Policy => ({ ...defaultPolicy, ...given });
const tolerating = (basisPoints: number, atMost: number) =>
  policy({ underpaymentToleranceBasisPoints: basisPoints, underpaymentToleranceAtMost: atMost });

suite('how much may be missing', () => {
  const rows = [
    { name: 'nothing, unless it is said', amount: 1000, given: defaultPolicy, may: 0 },
    { name: 'a share', amount: 1000, given: tolerating(100, 1000), may: 10 },
    { name: 'a share, rounded down', amount: 1099, given: tolerating(100, 1000), may: 10 },
    { name: 'at most so much', amount: 1000, given: tolerating(100, 4), may: 4 },
    { name: 'nothing where the most is nothing', amount: 1000, given: tolerating(100, 0), may: 0 },
    { name: 'nothing where the share is nothing', amount: 1000, given: tolerating(0, 1000), may: 0 },
    { name: 'never all of it', amount: 1000, given: tolerating(10_000, 5000), may: 999 },
    { name: 'nothing of the smallest amount', amount: 1, given: tolerating(10_000, 5000), may: 0 },
    { name: 'nothing of a draft', amount: 0, given: tolerating(10_000, 5000), may: 0 },
    // 0.29 × 100 is 28.999999999999996 where it is reckoned in fractions.
    { name: 'an exact share', amount: 2900, given: tolerating(100, 1000), may: 29 },
    {
      name: 'an exact share of the largest amount',
      amount: MAX_AMOUNT,
      given: tolerating(9999, MAX_AMOUNT),
      may: Number((BigInt(MAX_AMOUNT) * 9999n) / 10_000n),
    },
  ];
  for (const { name, amount, given, may } of rows) {
    test(`${name}: ${may}`, () => {
      const session = checkout({ amount, policy: given });
      assert.equal(toleranceOf(session), may);
      if (amount === 0) return;
      const brought = (money: number) =>
        checkout({ ...session, payments: money > 0 ? [payment(money)] : [] });
      assert.ok(isCovered(brought(amount - may)));
      assert.ok(!isCovered(brought(amount - may - 1)));
    });
  }

  table([
    {
      name: 'as little as may be missing completes the session, which stays partly paid',
      given: checkout({ policy: tolerating(100, 10), attempts: [attempt('processing')] }),
      when: paid(990),
      gives: {
        is: 'completed paid partial',
        paid: 990,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'one minor unit less does not',
      given: checkout({ policy: tolerating(100, 10), attempts: [attempt('processing')] }),
      when: paid(989),
      gives: {
        is: 'active unpaid partial',
        paid: 989,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'payin.requires_payment_method'],
      },
    },
    {
      name: 'the same in parts, the last of which completes the session',
      given: checkout({
        policy: tolerating(100, 10),
        attempts: [attempt('requires_action')],
        payments: [payment(600)],
      }),
      when: paid(391),
      gives: {
        is: 'completed paid partial',
        paid: 991,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'nobody is asked for what may be missing',
      given: checkout({ policy: tolerating(100, 10), lifecycle: completed, payments: [payment(995)] }),
      when: start({ expectedAmount: 5 }),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'what was missing comes after all',
      given: checkout({
        policy: tolerating(100, 10),
        lifecycle: completed,
        attempts: [attempt('succeeded')],
        payments: [payment(995)],
      }),
      when: paid(5),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded'],
        events: ['checkout.updated'],
      },
    },
  ]);
});

const refunding = policy({ excess: 'refund' });
const excessOf = (session: Checkout) =>
  session.refunds.map(({ id, attempt, amount, rail }) => ({ id, attempt, amount, rail }));

suite('too much', () => {
  const asked = checkout({ policy: refunding, attempts: [attempt('requires_action')] });
  const full = checkout({
    policy: refunding,
    lifecycle: completed,
    attempts: [attempt('succeeded')],
    payments: [payment(1000, { attempt: 'pat_a' })],
  });
  table([
    {
      name: 'is kept, unless it is said',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: paid(1300),
      gives: {
        is: 'completed paid excess',
        paid: 1300,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'goes back, where that is said',
      given: asked,
      when: paid(1300),
      gives: {
        is: 'completed paid excess',
        paid: 1300,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'refund.pending', 'payin.succeeded'],
        refunds: ['pending 300'],
      },
    },
    {
      name: 'not where it is exactly enough',
      given: asked,
      when: paid(1000),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'not where it is a part',
      given: asked,
      when: paid(999),
      gives: {
        is: 'active unpaid partial',
        paid: 999,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'payin.requires_payment_method'],
      },
    },
    {
      name: 'is all of what comes to a session that is paid',
      given: full,
      when: paid(300),
      gives: {
        is: 'completed paid excess',
        paid: 1300,
        attempts: ['succeeded'],
        events: ['checkout.updated', 'refund.pending'],
        refunds: ['pending 300'],
      },
    },
    {
      name: 'is all of what comes late to a session that is paid',
      given: checkout({ ...full, attempts: [...full.attempts, attempt('cancelled', { name: 'b' })] }),
      when: paid(1000, { reference: 'ref_b' }),
      gives: {
        is: 'completed paid excess late',
        paid: 2000,
        attempts: ['succeeded', 'succeeded'],
        events: ['payment_attempt.succeeded', 'refund.pending'],
        refunds: ['pending 1000'],
      },
    },
    {
      name: 'goes back though it came late, to an expired session',
      given: checkout({ policy: refunding, lifecycle: expiredByMerchant, attempts: [attempt('cancelled')] }),
      when: paid(1300),
      gives: {
        is: 'expired paid excess late',
        paid: 1300,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'refund.pending', 'payin.succeeded'],
        refunds: ['pending 300'],
      },
    },
    {
      name: 'of an attempt that nobody knew',
      given: full,
      when: paid(300, { reference: 'ref_b' }),
      gives: {
        is: 'completed paid excess',
        paid: 1300,
        attempts: ['succeeded', 'succeeded'],
        events: ['payment_attempt.created', 'payment_attempt.succeeded', 'refund.pending'],
        refunds: ['pending 300'],
      },
    },
    {
      name: 'is kept once the session has had as many refunds as it may',
      given: checkout({
        ...full,
        refunds: Array.from({ length: MAX_REFUNDS }, (_, n) =>
          refund(1, { id: `rfd_${n}`, status: 'failed' }),
        ),
      }),
      when: paid(300),
      gives: {
        is: 'completed paid excess',
        paid: 1300,
        attempts: ['succeeded'],
        events: ['checkout.updated'],
        refunds: Array.from({ length: MAX_REFUNDS }, () => 'failed 1'),
      },
    },
  ]);

  test('goes back the way it came, at once', () => {
    assert.deepEqual(after(asked, paid(1300)).refunds, [
      refund(300, { id: 'rfd_excess', createdAt: NOW, syncAt: NOW, reason: 'Paid in excess.' }),
    ]);
  });

  test('goes back once for each payment, however often it is reported', () => {
    const more = paid(200, { payment: { reference: 'pay_2', amount: 200 }, refundId: 'rfd_2' });
    const again = paid(1300, { refundId: 'rfd_again' });
    const last = play(asked, paid(1300), again, more, { ...more, refundId: 'rfd_3' }, again);
    assert.deepEqual(excessOf(last), [
      { id: 'rfd_excess', attempt: 'pat_a', amount: 300, rail: 'sandbox' },
      { id: 'rfd_2', attempt: 'pat_a', amount: 200, rail: 'sandbox' },
    ]);
  });

  test('is what the payment brought of it: the rest of two attempts', () => {
    const session = checkout({
      policy: refunding,
      attempts: [attempt('requires_action'), attempt('requires_action', { name: 'b', rail: 'bank' })],
    });
    const last = play(session, paid(700), paid(700, { rail: 'bank', reference: 'ref_b' }));
    assert.deepEqual(excessOf(last), [{ id: 'rfd_excess', attempt: 'pat_b', amount: 400, rail: 'bank' }]);
  });

  test('of which the refund has failed is left to the merchant, and is not added to that of the next payment', () => {
    const failed = play(full, paid(300), {
      type: 'report_refund',
      now: NOW,
      refund: 'rfd_excess',
      status: 'failed',
      reference: '',
      failure: 'Closed.',
      syncAt: null,
    });
    const more = paid(200, { payment: { reference: 'pay_2', amount: 200 }, refundId: 'rfd_2' });
    assert.deepEqual(
      after(failed, more).refunds.map(({ status, amount }) => `${status} ${amount}`),
      ['failed 300', 'pending 200'],
    );
  });

  suite('is nothing as long as the merchant does not have the amount', () => {
    const again = paid(1000, { reference: 'ref_b' });
    const rows = [
      {
        name: 'the bank took it all back, and the payer pays again',
        given: reversal(1000, { status: 'lost' }),
        gives: [],
      },
      { name: 'the payer disputes a part, and pays again', given: reversal(400), gives: [600] },
      { name: 'the dispute was won', given: reversal(1000, { status: 'won' }), gives: [1000] },
    ];
    for (const { name, given, gives } of rows) {
      test(name, () => {
        const last = after(checkout({ ...full, reversals: [given] }), again);
        assert.deepEqual(
          last.refunds.map(({ amount }) => amount),
          gives,
        );
      });
    }

    test('but a refund that has failed leaves it with the merchant', () => {
      const given = checkout({ ...full, refunds: [refund(1000, { status: 'failed' })] });
      const { refunds } = after(given, paid(300));
      assert.deepEqual(
        refunds.map(({ status, amount }) => `${status} ${amount}`),
        ['failed 1000', 'pending 300'],
      );
    });

    test('the attempt has given back more than it brought, though another has brought too much', () => {
      const given = checkout({
        ...full,
        attempts: [...full.attempts, attempt('succeeded', { name: 'b' })],
        payments: [...full.payments, payment(1500, { attempt: 'pat_b', reference: 'pay_b' })],
        refunds: [refund(1000)],
        reversals: [reversal(1000, { status: 'lost' })],
      });
      // The merchant would have 1300, but of what this attempt has brought nothing is left.
      assert.deepEqual(after(given, paid(800)).refunds, given.refunds);
    });

    test('the merchant has refunded it, and the payer pays again', () => {
      const given = checkout({ ...full, refunds: [refund(1000, { status: 'succeeded' })] });
      assert.equal(after(given, again).refunds.length, 1);
    });
  });

  test('goes back whatever becomes of it: the session stays paid', () => {
    const last = play(asked, paid(1300), reportReversal('lost', { amount: 1000 }));
    assert.equal(paymentStatusOf(last), 'paid');
    assert.ok(!isPartiallyPaid(last));
  });

  test('only counts money: a report without any makes no refund', () => {
    const last = play(full, report('succeeded'), report('failed', { reference: 'ref_a' }));
    assert.deepEqual(last, full);
  });
});
