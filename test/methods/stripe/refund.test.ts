import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Refund } from '../../../src/checkout/session.ts';
import { type Harness, type Planned, refundOf, startHarness, troubles } from './harness.ts';

const HOUR = 60 * 60_000;

const make = ({ rail }: Harness, { checkout }: Planned, refund: Refund, now = refund.createdAt) =>
  rail.refund({ ...checkout, refunds: [refund] }, refund, now);

suite('refunds at Stripe', () => {
  test('are made once', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const refund = refundOf(paid, { amount: 400 });
    const answer = await make(harness, paid, refund);
    const [made, ...more] = harness.refundsOf(paid.attempt);
    assert.ok(made);
    assert.deepEqual(answer, { status: 'succeeded', reference: made.id, failure: '', syncAt: null });
    assert.equal(made.amount, 400);
    assert.deepEqual(made.metadata, {
      checkout: paid.checkout.id,
      attempt: paid.attempt.id,
      account: '1',
      refund: refund.id,
    });
    assert.deepEqual(await make(harness, paid, refund), answer);
    assert.deepEqual(await make(harness, paid, { ...refund, reference: made.id }), answer);
    assert.deepEqual(more, []);
    assert.equal(harness.refundsOf(paid.attempt).length, 1);
  });

  test('in the units of Stripe', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid({ currency: 'MGA', amount: 5000 });
    await make(harness, paid, refundOf(paid, { amount: 1200 }));
    assert.equal(harness.refundsOf(paid.attempt)[0]?.amount, 12);
    const odd = await make(harness, paid, refundOf(paid, { amount: 1250 }));
    assert.deepEqual([odd.status, odd.failure], ['failed', 'Stripe cannot express this amount of MGA.']);
  });

  test('can take a while', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const refund = refundOf(paid);
    harness.refundOutcome('pending');
    const first = await make(harness, paid, refund);
    const [made] = harness.refundsOf(paid.attempt);
    assert.ok(made);
    assert.deepEqual(first, {
      status: 'pending',
      reference: made.id,
      failure: '',
      syncAt: refund.createdAt + 30_000,
    });
    const known = { ...refund, reference: made.id };
    const later = await make(harness, paid, known, refund.createdAt + 2 * HOUR);
    assert.equal(later.syncAt, refund.createdAt + 3 * HOUR);
    harness.stripe.books.test.settleRefund(made.id, 'succeeded');
    assert.equal((await make(harness, paid, known)).status, 'succeeded');
  });

  test('can fail, and say why', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const refund = refundOf(paid);
    harness.refundOutcome('pending');
    await make(harness, paid, refund);
    const [made] = harness.refundsOf(paid.attempt);
    assert.ok(made);
    const known = { ...refund, reference: made.id };
    const reasons: ReadonlyArray<readonly [status: string, reason: string | undefined, failure: string]> = [
      ['failed', 'lost_or_stolen_card', 'The card was reported lost or stolen.'],
      ['failed', 'declined', 'The bank of the card declined the refund.'],
      ['failed', 'something_new', 'The refund failed; Stripe does not say why.'],
      ['canceled', 'merchant_request', 'The refund was cancelled at the request of the merchant.'],
    ];
    for (const [status, reason, failure] of reasons) {
      harness.stripe.books.test.settleRefund(made.id, status, reason);
      const answer = await make(harness, paid, known);
      assert.deepEqual([answer.status, answer.failure, answer.syncAt], ['failed', failure, null]);
    }
  });

  test('in a state that nobody knows are pending, and somebody is told', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    harness.unknownStateNext();
    const answer = await make(harness, paid, refundOf(paid));
    assert.equal(answer.status, 'pending');
    assert.match(answer.alert ?? '', /an unknown state: levitating/);
  });

  test('fail where Stripe has less left', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const intent = harness.pageOf(paid.attempt).payment_intent ?? '';
    harness.stripe.books.test.createRefund({ payment_intent: intent, amount: '700' });
    const tooMuch = await make(harness, paid, refundOf(paid, { amount: 400 }));
    assert.equal(tooMuch.status, 'failed');
    assert.match(
      tooMuch.failure,
      /^Stripe has a smaller rest of the payment: Refund amount \(400\) is greater/,
    );
    harness.stripe.books.test.createRefund({ payment_intent: intent });
    const nothing = await make(harness, paid, refundOf(paid, { amount: 1 }));
    assert.deepEqual(
      [nothing.status, nothing.failure],
      ['failed', 'Stripe has refunded all of the payment already.'],
    );
  });

  test('fail where there is no payment', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    const answer = await make(harness, started, refundOf(started));
    assert.deepEqual([answer.status, answer.failure], ['failed', 'Stripe has no payment for this attempt.']);
  });

  for (const [misbehaviour, times] of troubles) {
    test(`are made once whatever happens: ${misbehaviour}`, async (t) => {
      const harness = await startHarness(t);
      const paid = await harness.paid();
      const refund = refundOf(paid, { amount: 400 });
      harness.stripe.next(misbehaviour, { times });
      const first = await make(harness, paid, refund);
      assert.deepEqual(first, {
        status: 'pending',
        reference: '',
        failure: '',
        syncAt: refund.createdAt + 30_000,
      });
      const second = await make(harness, paid, refund, refund.createdAt + 30_000);
      assert.equal(second.status, 'succeeded');
      assert.equal(harness.refundsOf(paid.attempt).length, 1);
    });

    test(`are made once although Stripe has forgotten the key: ${misbehaviour}`, async (t) => {
      const harness = await startHarness(t);
      const paid = await harness.paid();
      const refund = refundOf(paid, { amount: 400 });
      harness.stripe.next(misbehaviour, { times });
      await make(harness, paid, refund);
      harness.stripe.forgetKeys();
      const answer = await make(harness, paid, refund, refund.createdAt + 25 * HOUR);
      assert.equal(answer.status, 'succeeded');
      assert.equal(harness.refundsOf(paid.attempt).length, 1);
    });
  }

  test('an error that Stripe repeats for a day is not repeated for ever', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const refund = refundOf(paid);
    harness.stripe.next('error_after');
    await make(harness, paid, refund);
    // The refund had no effect after all.
    harness.stripe.books.test.refunds.clear();
    const charge = [...harness.stripe.books.test.charges.values()].find(
      ({ payment_intent: intent }) => intent === harness.pageOf(paid.attempt).payment_intent,
    );
    assert.ok(charge);
    charge.amount_refunded = 0;
    const hour = await make(harness, paid, refund, refund.createdAt + HOUR);
    assert.equal(hour.status, 'pending');
    const day = await make(harness, paid, refund, refund.createdAt + 24 * HOUR);
    assert.equal(day.status, 'succeeded');
    assert.equal(harness.refundsOf(paid.attempt).length, 1);
  });

  test('an earlier try that has taken what was left is found', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const refund = refundOf(paid);
    harness.stripe.next('silence_after');
    await make(harness, paid, refund);
    harness.stripe.forgetKeys();
    const answer = await make(harness, paid, refund);
    assert.equal(answer.status, 'succeeded');
    assert.equal(answer.reference, harness.refundsOf(paid.attempt)[0]?.id);
  });

  test('wait where the key is wrong, and somebody is told', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    harness.stripe.next('unauthorized');
    const answer = await make(harness, paid, refundOf(paid));
    assert.equal(answer.status, 'pending');
    assert.ok(answer.alert);
    assert.doesNotMatch(answer.alert, /sk_test/);
  });
});
