/** A payment is booked once, and what is no news changes nothing. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Report } from '../../src/checkout/commands.ts';
import { decide } from '../../src/checkout/decide.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import {
  after,
  attempt,
  checkout,
  EXPIRES,
  expiredByTime,
  MINUTE,
  NOW,
  paid,
  play,
  report,
  start,
  T,
  table,
} from './build.ts';

const processing = checkout({ attempts: [attempt('processing')] });
suite('a payment is booked once', () => {
  const done = after(processing, paid(1000));
  const half = after(processing, report('processing', { payment: { reference: 'pay_1', amount: 400 } }));
  table([
    { name: 'the same report again', given: done, when: paid(1000), gives: 'unchanged' },
    { name: 'the same payment with another amount', given: done, when: paid(999), gives: 'unchanged' },
    {
      name: 'the same payment in another attempt that is known',
      given: checkout({ ...half, attempts: [...half.attempts, attempt('succeeded', { name: 'b' })] }),
      when: paid(400, { reference: 'ref_b' }),
      gives: 'unchanged',
    },
    {
      name: 'the same payment in an attempt that is not known',
      given: half,
      when: paid(400, { reference: 'ref_other' }),
      gives: 'unchanged',
    },
    {
      name: 'the same payment in an attempt that is not known, and in progress, beside one that waits',
      given: checkout({
        ...half,
        attempts: [attempt('succeeded'), attempt('requires_action', { name: 'b' })],
      }),
      when: report('processing', { reference: 'ref_other', payment: { reference: 'pay_1', amount: 400 } }),
      gives: 'unchanged',
    },
    {
      name: 'the same payment in an attempt that is not known, of a session that is completed',
      given: done,
      when: paid(null, { reference: 'ref_other' }),
      gives: 'unchanged',
    },
    {
      name: 'the same payment in an attempt that is not known, of a session that has expired',
      given: checkout({ ...half, lifecycle: expiredByTime }),
      when: paid(400, { reference: 'ref_other' }),
      gives: 'unchanged',
    },
    {
      name: 'the same payment in an attempt that is not known, by a method that the session does not have',
      given: half,
      when: paid(400, { reference: 'ref_other', unknownAttempt: { id: 'pat_made', method: 'cowrie' } }),
      gives: 'unchanged',
    },
    {
      name: 'the same payment with news of the attempt',
      given: half,
      when: paid(400),
      gives: {
        is: 'active unpaid partial',
        paid: 400,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'payin.requires_payment_method'],
      },
    },
    {
      name: 'another payment of the same amount is another payment',
      given: half,
      when: report('processing', { payment: { reference: 'pay_2', amount: 400 } }),
      gives: {
        is: 'active unpaid partial',
        paid: 800,
        attempts: ['processing'],
        events: ['checkout.updated'],
      },
    },
    {
      name: 'the same id on another rail is another payment',
      given: checkout({
        ...half,
        attempts: [...half.attempts, attempt('processing', { name: 'b', rail: 'bank' })],
      }),
      when: paid(400, { rail: 'bank', reference: 'ref_b' }),
      gives: {
        is: 'active unpaid partial',
        paid: 800,
        attempts: ['processing', 'succeeded'],
        events: ['payment_attempt.succeeded'],
      },
    },
    {
      name: 'the attempt is looked up on its own rail',
      given: processing,
      when: paid(400, { rail: 'bank' }),
      gives: {
        is: 'active unpaid partial',
        paid: 400,
        attempts: ['processing', 'succeeded'],
        events: ['payment_attempt.created', 'payment_attempt.succeeded'],
      },
    },
  ]);

  test('however often it is reported, after the session has expired too', () => {
    const late = checkout({ lifecycle: expiredByTime, expiresAt: EXPIRES, attempts: [attempt('cancelled')] });
    const once = after(late, paid(1000));
    assert.deepEqual(play(once, paid(1000), paid(1000, { now: T + 1e9 })), once);
  });
});

suite('reports that are no news change nothing', () => {
  const later = NOW + MINUTE;
  // Reports that know less than the attempt does, or as much where there is nothing more to know.
  const rows = [
    { known: attempt('unknown', { syncAt: NOW }), stale: ['requires_action'] },
    { known: attempt('cancelled'), stale: ['requires_action', 'unknown'] },
    { known: attempt('processing', { syncAt: NOW }), stale: ['requires_action', 'unknown'] },
    {
      known: attempt('failed', { reason: 'Declined.' }),
      stale: ['requires_action', 'unknown', 'processing', 'failed'],
    },
    {
      known: attempt('succeeded'),
      stale: ['requires_action', 'unknown', 'processing', 'failed', 'succeeded'],
    },
  ] as const;
  for (const { known, stale } of rows) {
    for (const status of stale) {
      test(`of an attempt ${known.status}: ${status}`, () => {
        const session = checkout({ attempts: [known] });
        for (const syncAt of [later, null]) {
          const decision = decide(session, report(status, { reason: 'Another reason.', syncAt }));
          assert.deepEqual(decision, { kind: 'unchanged', checkout: session });
        }
      });
    }
  }
});

test('an attempt that has failed keeps the reason that was given first, whatever its rail says later', () => {
  const session = checkout({ attempts: [attempt('failed', { reason: 'Declined.' })] });
  const [only] = after(session, report('failed', { reason: 'Another.', details: { page: 'p_1' } })).attempts;
  assert.deepEqual([only?.reason, only?.details], ['Declined.', { page: 'p_1' }]);
});

suite('when the rail is to be asked again', () => {
  const asked = checkout({ attempts: [attempt('processing', { syncAt: NOW })] });
  const syncAfter = (session: Checkout, ...reports: readonly Report[]) =>
    play(session, ...reports).attempts.map(({ syncAt }) => syncAt);

  test('moves with a report that knows as much, unseen', () => {
    const decision = decide(asked, report('processing', { syncAt: NOW + MINUTE }));
    assert.partialDeepStrictEqual(decision, {
      kind: 'change',
      events: [],
      checkout: { version: asked.version, attempts: [{ syncAt: NOW + MINUTE }] },
    });
  });

  test('is never, once the attempt is settled, whatever the report says', () => {
    for (const status of ['failed', 'succeeded'] as const) {
      assert.deepEqual(syncAfter(asked, report(status, { syncAt: NOW + MINUTE })), [null]);
    }
    const again = report('failed', { syncAt: NOW + MINUTE });
    assert.deepEqual(syncAfter(asked, again, again), [null]);
  });

  test('is never for an attempt that is settled from the start', () => {
    const syncAt = NOW + MINUTE;
    assert.deepEqual(syncAfter(checkout(), report('failed', { syncAt })), [null]);
    assert.deepEqual(syncAfter(checkout(), paid(1000, { syncAt })), [null]);
    assert.equal(after(checkout(), start({ status: 'failed', syncAt })).attempts[0]?.syncAt, null);
  });
});

suite('the fee of a payment', () => {
  const FEE = { amount: 59, currency: 'EUR' };
  const withFee = (fee = FEE, given: Partial<Report> = {}) =>
    paid(1000, { payment: { reference: 'pay_1', amount: 1000, fee }, ...given });
  const line = { rail: 'sandbox', reference: 'pay_1' };

  test('is kept with the payment, which is booked whole', () => {
    const booked = play(processing, withFee());
    assert.deepEqual(booked.fees, [{ ...line, ...FEE }]);
    assert.deepEqual(booked.payments, play(processing, paid(1000)).payments);
  });

  test('may be told later, which no session shows and no event tells of', () => {
    const booked = play(processing, paid(1000));
    assert.deepEqual(booked.fees, []);
    const decision = decide(booked, withFee(FEE, { now: NOW + MINUTE }));
    assert.ok(decision.kind === 'change');
    assert.deepEqual(decision.events, []);
    assert.deepEqual(decision.checkout, { ...booked, fees: [{ ...line, ...FEE }] });
  });

  test('changes nothing when it is told again, or not told any more', () => {
    const booked = play(processing, withFee());
    assert.equal(decide(booked, withFee()).kind, 'unchanged');
    assert.equal(decide(booked, paid(1000)).kind, 'unchanged');
    assert.equal(decide(booked, withFee(FEE, { reference: 'ref_other' })).kind, 'unchanged');
  });

  test('is the one that was told last', () => {
    const none = { amount: 0, currency: 'EUR' };
    const dollars = { amount: 59, currency: 'USD' };
    assert.deepEqual(play(processing, withFee(), withFee(none)).fees, [{ ...line, ...none }]);
    assert.deepEqual(play(processing, withFee(), withFee(dollars)).fees, [{ ...line, ...dollars }]);
  });

  test('is of its payment alone, by the rail and its reference', () => {
    const half = (reference: string, rail = 'sandbox') =>
      paid(500, { rail, reference, payment: { reference: 'pay_1', amount: 500, fee: FEE } });
    const both = play(checkout(), half('ref_a'), half('ref_b', 'bank'));
    assert.deepEqual(both.fees, [
      { ...line, ...FEE },
      { ...line, ...FEE, rail: 'bank' },
    ]);
  });

  test('is kept if the payment came by an attempt that was not known', () => {
    const other = paid(1000, { reference: 'ref_other' });
    const told = withFee(FEE, { reference: 'ref_another' });
    assert.deepEqual(play(checkout(), other, told).fees, [{ ...line, ...FEE }]);
  });

  test('of no payment is none', () => {
    const refused = paid(1, { payment: { reference: 'pay_1', amount: 0, fee: FEE } });
    assert.deepEqual(play(processing, refused).fees, []);
  });
});
