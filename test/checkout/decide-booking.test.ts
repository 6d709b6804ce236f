/** A payment is booked once, and what is no news changes nothing. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../src/checkout/decide.ts';
import {
  after,
  attempt,
  checkout,
  EXPIRES,
  expiredByTime,
  NOW,
  paid,
  play,
  report,
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

test('reports that are no news change nothing', () => {
  const session = checkout({ attempts: [attempt('failed', { reason: 'Declined.' })] });
  for (const status of ['requires_action', 'unknown', 'cancelled', 'processing', 'failed'] as const) {
    const decision = decide(session, report(status, { reason: 'Another reason.', syncAt: NOW }));
    assert.deepEqual(decision, { kind: 'unchanged', checkout: session });
  }
});
