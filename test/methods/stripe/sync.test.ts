import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { afterAnswer, type Harness, type Planned, refundOf, startHarness } from './harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const sync = ({ rail }: Harness, { checkout, attempt }: Planned, now = Date.now()) =>
  rail.sync(checkout, attempt, now);

suite('how a card payment stands', () => {
  test('the payer has not paid yet', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    const now = Date.now();
    assert.deepEqual(await sync(harness, started, now), {
      status: 'requires_action',
      reason: '',
      syncAt: now + 10 * MINUTE,
      payment: null,
    });
    harness.decline(started.attempt);
    assert.equal((await sync(harness, started)).status, 'requires_action');
  });

  test('it is paid, once and for the same', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    harness.decline(started.attempt);
    harness.pay(started.attempt);
    const answer = await sync(harness, started);
    const reference = harness.pageOf(started.attempt).payment_intent;
    assert.deepEqual(answer, {
      status: 'succeeded',
      reason: '',
      syncAt: null,
      payment: { reference, amount: 1000 },
      refunds: [],
      reversals: [],
    });
    assert.deepEqual(await sync(harness, afterAnswer(started, answer)), answer);
  });

  test('in the minor units of the session', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started({ currency: 'UGX', amount: 37_000 });
    harness.pay(started.attempt);
    assert.equal((await sync(harness, started)).payment?.amount, 37_000);
  });

  test('another amount than asked for is booked as it is, and somebody is told', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    harness.pay(started.attempt, 900);
    const answer = await sync(harness, started);
    assert.equal(answer.status, 'succeeded');
    assert.equal(answer.payment?.amount, 900);
    assert.match(
      answer.alert ?? '',
      /^pat_\S+: pi_\w+ of Stripe has brought 9\.00 USD instead of 10\.00 USD/,
    );
  });

  test('of another currency nothing is booked, and somebody is told', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    harness.stripe.books.test.pay(harness.pageOf(started.attempt).id, { currency: 'eur' });
    const now = Date.now();
    const answer = await sync(harness, started, now);
    assert.equal(answer.status, 'requires_action');
    assert.equal(answer.payment, null);
    assert.ok(answer.syncAt && answer.syncAt > now);
    assert.match(answer.alert ?? '', /has brought EUR, not USD/);
  });

  test('an amount that is no whole number of minor units is not booked', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started({ currency: 'ISK', amount: 100 });
    harness.pay(started.attempt, 9_950);
    const answer = await sync(harness, started);
    assert.equal(answer.payment, null);
    assert.match(answer.alert ?? '', /has brought 9950 in its units/);
  });

  test('it takes a while, and succeeds or fails', async (t) => {
    const harness = await startHarness(t);
    for (const [outcome, expected] of [
      ['succeeds', 'succeeded'],
      ['fails', 'failed'],
    ] as const) {
      const started = await harness.started();
      harness.beginProcessing(started.attempt);
      const now = Date.now();
      const meanwhile = await sync(harness, started, now);
      assert.equal(meanwhile.status, 'processing');
      assert.equal(meanwhile.syncAt, now + 30_000);
      harness.endProcessing(started.attempt, outcome);
      const answer = await sync(harness, afterAnswer(started, meanwhile));
      assert.equal(answer.status, expected);
      assert.equal(answer.reason, outcome === 'fails' ? 'Your card was declined.' : '');
    }
  });

  test('it was declined in more words than anybody reads', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    harness.beginProcessing(started.attempt);
    harness.endProcessing(started.attempt, 'fails');
    for (const intent of harness.stripe.books.test.intents.values())
      intent.last_payment_error = { message: 'no '.repeat(100_000) };
    const { status, reason } = await sync(harness, started);
    assert.equal(status, 'failed');
    assert.ok(reason.length < 600, `${reason.length} characters`);
  });

  test('its page has expired', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    harness.fail(started.attempt);
    const answer = await sync(harness, started);
    assert.deepEqual([answer.status, answer.reason], ['failed', 'The payment page has expired.']);
    assert.equal(answer.syncAt, null);
  });

  for (const on of ['test', 'live'] as const) {
    test(`a state that nobody knows leaves the attempt as it was: ${on}`, async (t) => {
      const harness = await startHarness(t);
      const started = await harness.started({ tenant: { account: 1, mode: on } });
      harness.unknownStateNext();
      const answer = await sync(harness, started);
      assert.equal(answer.status, 'requires_action');
      assert.match(answer.alert ?? '', /an unknown state: levitating, levitating/);
      harness.unknownStateNext();
      const processing = { ...started, attempt: { ...started.attempt, status: 'processing' as const } };
      assert.equal((await sync(harness, processing)).status, 'processing');
    });
  }

  test('a key of the other mode books nothing', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    harness.pay(started.attempt);
    harness.stripe.next('other_mode');
    const answer = await sync(harness, started);
    assert.equal(answer.payment, null);
    assert.match(answer.alert ?? '', /the key of Stripe belongs to the other mode/);
  });

  test('the page of another attempt books nothing', async (t) => {
    const harness = await startHarness(t);
    const other = await harness.started();
    harness.pay(other.attempt);
    const { checkout, attempt } = harness.planned({}, { details: other.attempt.details });
    const answer = await sync(harness, { checkout, attempt });
    assert.equal(answer.payment, null);
    assert.match(answer.alert ?? '', /belongs to another attempt/);
  });
});

suite('what a card payment loses again', () => {
  test('a dispute, from its beginning to its end', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const dispute = harness.returnOrDispute(paid.attempt, 400);
    const reversal = { kind: 'dispute', reference: dispute.id, amount: 400, reason: 'fraudulent' };
    const states = {
      needs_response: 'open',
      under_review: 'open',
      appeal_needs_response: 'open',
      appeal_under_review: 'open',
      prevented: 'won',
      won: 'won',
      lost: 'lost',
    } as const;
    for (const [state, status] of Object.entries(states)) {
      harness.stripe.books.test.settleDispute(dispute.id, state);
      const answer = await sync(harness, paid);
      assert.equal(answer.status, 'succeeded');
      assert.deepEqual(answer.reversals, [{ ...reversal, status }], state);
      assert.equal(answer.alert, undefined);
    }
    harness.stripe.books.test.settleDispute(dispute.id, 'levitating');
    const answer = await sync(harness, paid);
    assert.deepEqual(answer.reversals, [{ ...reversal, status: 'open' }]);
    assert.match(answer.alert ?? '', /an unknown state: levitating/);
  });

  test('an inquiry takes nothing, and waits for a person', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const { payment_intent: intent = '' } = harness.pageOf(paid.attempt);
    const { books } = harness.stripe;
    const { id } = books.test.dispute(intent ?? '', { amount: 400, status: 'warning_needs_response' });
    const asked = await sync(harness, paid);
    assert.deepEqual([asked.status, asked.reversals], ['succeeded', []]);
    assert.match(
      asked.alert ?? '',
      new RegExp(`^pat_\\S+: the inquiry ${id} of Stripe about 4\\.00 USD waits for an answer or a refund$`),
    );
    for (const status of ['warning_under_review', 'warning_closed']) {
      books.test.settleDispute(id, status);
      const { reversals, alert } = await sync(harness, paid);
      assert.deepEqual([reversals, alert], [[], undefined], status);
    }
    // The bank may go on although the inquiry was closed.
    books.test.settleDispute(id, 'needs_response');
    const { reversals } = await sync(harness, paid);
    assert.deepEqual(
      reversals?.map(({ reference, amount, status }) => [reference, amount, status]),
      [[id, 400, 'open']],
    );
  });

  test('an inquiry in another currency is about all of it', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const { payment_intent: intent } = harness.pageOf(paid.attempt);
    const given = { amount: 930, currency: 'eur', status: 'warning_needs_response' };
    harness.stripe.books.test.dispute(intent ?? '', given);
    const { reversals, alert } = await sync(harness, paid);
    assert.deepEqual(reversals, []);
    assert.match(alert ?? '', /about 10\.00 USD waits/);
  });

  test('a dispute in another currency is about all of it, and somebody is told', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const { payment_intent: intent } = harness.pageOf(paid.attempt);
    harness.stripe.books.test.dispute(intent ?? '', { amount: 930, currency: 'eur' });
    const answer = await sync(harness, paid);
    assert.equal(answer.reversals?.[0]?.amount, 1000);
    assert.match(answer.alert ?? '', /is about 930 EUR/);
  });

  test('a dispute is seen although the payment was not known before', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    harness.pay(started.attempt);
    harness.returnOrDispute(started.attempt);
    const answer = await sync(harness, started);
    assert.equal(answer.payment?.amount, 1000);
    assert.equal(answer.reversals?.length, 1);
  });

  test('refunds of ours are told as they stand', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const refund = refundOf(paid, { amount: 300 });
    const checkout = { ...paid.checkout, refunds: [refund] };
    await harness.rail.refund(checkout, refund, Date.now());
    const [made] = harness.refundsOf(paid.attempt);
    assert.ok(made);
    const told = await harness.rail.sync(checkout, paid.attempt, Date.now());
    assert.deepEqual(told.refunds, [
      { refund: refund.id, status: 'succeeded', reference: made.id, failure: '', syncAt: null },
    ]);
    assert.deepEqual(told.reversals, []);
    harness.stripe.books.test.settleRefund(made.id, 'failed', 'expired_or_canceled_card');
    const failed = await harness.rail.sync(checkout, paid.attempt, Date.now());
    assert.deepEqual(failed.refunds?.[0]?.status, 'failed');
    assert.equal(failed.refunds?.[0]?.failure, 'The card has expired or was cancelled.');
    // A reader with an older session does not take the refund for one that was made elsewhere.
    const older = await harness.rail.sync(paid.checkout, paid.attempt, Date.now());
    assert.deepEqual([older.refunds, older.reversals], [[], []]);
  });

  test('a refund that was made at Stripe is money that is gone', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    const { books } = harness.stripe;
    const intent = harness.pageOf(paid.attempt).payment_intent ?? '';
    const made = books.test.createRefund({ payment_intent: intent, amount: '250' });
    const reversal = {
      kind: 'return',
      reference: made.id,
      amount: 250,
      reason: 'Refunded at Stripe, not here.',
    };
    assert.deepEqual((await sync(harness, paid)).reversals, [{ ...reversal, status: 'lost' }]);
    books.test.settleRefund(made.id, 'pending');
    assert.deepEqual((await sync(harness, paid)).reversals, [{ ...reversal, status: 'open' }]);
    books.test.settleRefund(made.id, 'failed');
    assert.deepEqual((await sync(harness, paid)).reversals, [{ ...reversal, status: 'won' }]);
  });
});

suite('the fee of a card payment', () => {
  const asked = ({ stripe }: Harness) =>
    stripe.calls.filter(({ path }) => path.startsWith('/v1/balance_transactions/')).length;

  test('is told once it is in the balance, in the currency of payouts, and then not asked for again', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    assert.equal((await sync(harness, paid)).payment?.fee, undefined);
    assert.equal(asked(harness), 0);
    harness.enterBalance(paid.attempt, { amount: 925, fee: 57, currency: 'eur' });
    const { payment, alert, status } = await sync(harness, paid);
    assert.deepEqual([status, alert], ['succeeded', undefined]);
    assert.deepEqual([payment?.amount, payment?.fee], [1000, { amount: 57, currency: 'EUR' }]);
    assert.equal(asked(harness), 1);
    const { rail, reference } = paid.checkout.payments[0] ?? assert.fail();
    const fees = [{ rail, reference, amount: 57, currency: 'EUR' }];
    const again = await sync(harness, { ...paid, checkout: { ...paid.checkout, fees } });
    assert.deepEqual([again.payment, asked(harness)], [{ reference, amount: 1000 }, 1]);
  });

  test('comes with the payment, if Stripe has it by then', async (t) => {
    const harness = await startHarness(t);
    const started = await harness.started();
    harness.pay(started.attempt);
    harness.enterBalance(started.attempt);
    assert.deepEqual((await sync(harness, started)).payment?.fee, { amount: 59, currency: 'USD' });
  });

  test('is in minor units, and may be nothing', async (t) => {
    const harness = await startHarness(t);
    for (const [given, fee] of [
      [
        { fee: 4200, currency: 'isk' },
        { amount: 42, currency: 'ISK' },
      ],
      [
        { fee: 42, currency: 'jpy' },
        { amount: 42, currency: 'JPY' },
      ],
      [
        { fee: 0, currency: 'usd' },
        { amount: 0, currency: 'USD' },
      ],
    ] as const) {
      const paid = await harness.paid();
      harness.enterBalance(paid.attempt, given);
      assert.deepEqual((await sync(harness, paid)).payment?.fee, fee);
    }
  });

  test('that is no amount is not told, but to somebody who looks', async (t) => {
    const harness = await startHarness(t);
    for (const given of [
      { fee: -1, currency: 'usd' },
      { fee: 4250, currency: 'isk' },
      { fee: 1, currency: 'xts' },
    ]) {
      const paid = await harness.paid();
      harness.enterBalance(paid.attempt, given);
      const { status, payment, alert } = await sync(harness, paid);
      assert.deepEqual([status, payment?.amount, payment?.fee], ['succeeded', 1000, undefined]);
      assert.match(alert ?? '', new RegExp(`the fee of pi_\\w+ is ${given.fee} ${given.currency}`));
    }
  });

  test('keeps no payment from being booked: neither without an answer, nor without the permission', async (t) => {
    const harness = await startHarness(t);
    const on = /^GET \/v1\/balance_transactions/;
    for (const [misbehaviour, alert] of [
      ['error_before', undefined],
      ['reset_after', undefined],
      ['not_json', undefined],
      [
        'forbidden',
        /does not tell the fee of pi_\w+: Stripe refuses the key of account 1 in test mode: The provided key 'the key' may not do this\.$/,
      ],
    ] as const) {
      const started = await harness.started();
      harness.pay(started.attempt);
      harness.enterBalance(started.attempt);
      harness.stripe.next(misbehaviour, { on });
      const answer = await sync(harness, started);
      assert.equal(answer.status, 'succeeded', misbehaviour);
      const reference = harness.pageOf(started.attempt).payment_intent;
      assert.deepEqual(answer.payment, { reference, amount: 1000 });
      if (alert) assert.match(answer.alert ?? '', alert);
      else assert.equal(answer.alert, undefined);
    }
  });

  test('that the key may not read is told of once, not at each payment', async (t) => {
    const harness = await startHarness(t);
    const alerts: boolean[] = [];
    for (let count = 0; count < 3; count += 1) {
      const started = await harness.started();
      harness.pay(started.attempt);
      harness.enterBalance(started.attempt);
      harness.stripe.next('forbidden', { on: /^GET \/v1\/balance_transactions/ });
      alerts.push((await sync(harness, started)).alert !== undefined);
    }
    assert.deepEqual(alerts, [true, false, false]);
  });

  test('is asked for again if Stripe does not answer about a payment that is booked', async (t) => {
    const harness = await startHarness(t);
    const paid = await harness.paid();
    harness.enterBalance(paid.attempt);
    const on = /^GET \/v1\/balance_transactions/;
    harness.stripe.next('error_before', { on });
    assert.equal((await sync(harness, paid)).status, 'unknown');
    assert.deepEqual((await sync(harness, paid)).payment?.fee, { amount: 59, currency: 'USD' });
    // What else there is to hear of a payment does not wait for a permission.
    harness.returnOrDispute(paid.attempt, 400);
    harness.stripe.next('forbidden', { on });
    const answer = await sync(harness, paid);
    assert.deepEqual([answer.status, answer.reversals?.length], ['succeeded', 1]);
  });
});

suite('an attempt that does not know its page', () => {
  test('finds it among many, and the payer can go on', async (t) => {
    const harness = await startHarness(t);
    const lost = harness.planned();
    harness.stripe.next('silence_after');
    const answer = await harness.rail.start?.(
      lost.checkout,
      lost.attempt,
      'https://shop.example/',
      Date.now(),
    );
    assert.equal(answer?.status, 'requires_action');
    assert.equal(answer?.details, undefined);
    const mine = harness.pageOf(lost.attempt);
    for (let count = 0; count < 150; count += 1) {
      harness.stripe.books.test.sessions.set(`cs_test_${count}`, {
        ...mine,
        id: `cs_test_${count}`,
        client_reference_id: `pat_other_${count}`,
      });
    }
    const found = afterAnswer(lost, await sync(harness, lost));
    assert.equal(harness.rail.payerUrl?.(found.attempt), mine.url);
    harness.pay(lost.attempt);
    assert.equal((await sync(harness, lost)).payment?.amount, 1000);
    assert.equal(harness.stripe.calls.filter(({ path }) => path === '/v1/checkout/sessions').length, 5);
  });

  test('has none, until its time is over', async (t) => {
    const harness = await startHarness(t);
    const planned = harness.planned();
    const now = Date.now();
    assert.equal((await sync(harness, planned, now)).status, 'requires_action');
    const later = await sync(harness, planned, now + 24 * HOUR);
    assert.deepEqual(
      [later.status, later.reason],
      ['failed', 'The payment page could not be created in time.'],
    );
  });

  test('gives no address of a page that asks for something else', async (t) => {
    const harness = await startHarness(t);
    const lost = harness.planned();
    harness.stripe.next('silence_after');
    await harness.rail.start?.(lost.checkout, lost.attempt, 'https://shop.example/', Date.now());
    harness.pageOf(lost.attempt).amount_total = 1;
    const answer = await sync(harness, lost);
    assert.equal(answer.status, 'failed');
    assert.equal(harness.pageOf(lost.attempt).status, 'expired');
  });
});
