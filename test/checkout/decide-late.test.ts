/** Money that arrives after its session has expired: it is booked, and the session stays expired. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  attempt,
  checkout,
  EXPIRES,
  expiredByMerchant,
  expiredByTime,
  MINUTE,
  paid,
  payment,
  play,
  report,
  table,
} from './build.ts';

suite('late money', () => {
  const waiting = [attempt('cancelled')];
  const lifecycles = [
    { who: 'its merchant', lifecycle: expiredByMerchant, unpaid: 'unpaid' },
    { who: 'time', lifecycle: expiredByTime, unpaid: 'expired' },
  ] as const;
  for (const { who, lifecycle, unpaid } of lifecycles) {
    const gone = checkout({ lifecycle, attempts: waiting });
    const gonePart = checkout({
      lifecycle,
      attempts: [attempt('succeeded', { name: 'earlier' }), ...waiting],
      payments: [payment(400)],
    });
    suite(`for a session that ${who} expired`, () => {
      table([
        {
          name: 'all of it: paid, and still expired',
          given: gone,
          when: paid(1000),
          gives: {
            is: 'expired paid late',
            paid: 1000,
            attempts: ['succeeded'],
            events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
          },
        },
        {
          name: 'a part',
          given: gone,
          when: paid(400),
          gives: {
            is: `expired ${unpaid} partial late`,
            paid: 400,
            attempts: ['succeeded'],
            events: ['payment_attempt.succeeded'],
          },
        },
        {
          name: 'too much',
          given: gone,
          when: paid(1200),
          gives: {
            is: 'expired paid excess late',
            paid: 1200,
            attempts: ['succeeded'],
            events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
          },
        },
        {
          name: 'the rest after a part that was in time',
          given: gonePart,
          when: paid(600),
          gives: {
            is: 'expired paid late',
            paid: 1000,
            attempts: ['succeeded', 'succeeded'],
            events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
          },
        },
        {
          name: 'more than the rest after a part that was in time',
          given: gonePart,
          when: paid(700),
          gives: {
            is: 'expired paid excess late',
            paid: 1100,
            attempts: ['succeeded', 'succeeded'],
            events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
          },
        },
        {
          name: 'from an attempt that had failed',
          given: checkout({ lifecycle, attempts: [attempt('failed')] }),
          when: paid(1000),
          gives: {
            is: 'expired paid late',
            paid: 1000,
            attempts: ['succeeded'],
            events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
          },
        },
        {
          name: 'from an attempt that nobody knew',
          given: checkout({ lifecycle }),
          when: paid(1000),
          gives: {
            is: 'expired paid late',
            paid: 1000,
            attempts: ['succeeded'],
            events: [
              'payment_attempt.created',
              'payment_attempt.succeeded',
              'checkout.paid',
              'payin.succeeded',
            ],
          },
        },
      ]);
    });
  }

  test('is late line by line: a part in time, the rest late', () => {
    const session = checkout({ expiresAt: EXPIRES, attempts: [attempt('processing')] });
    const early = report('processing', { payment: { reference: 'pay_1', amount: 400 } });
    const rest = paid(600, {
      payment: { reference: 'pay_2', amount: 600 },
      now: EXPIRES + 60 * MINUTE,
    });
    const ended = play(session, early, rest);
    assert.deepEqual(
      ended.payments.map(({ amount, late }) => [amount, late]),
      [
        [400, false],
        [600, true],
      ],
    );
    assert.equal(ended.lifecycle.state, 'expired');
  });
});
