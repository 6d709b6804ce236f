/** Money that arrives after its session has expired, or after its attempt was given up: it is booked, and called late. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  after,
  attempt,
  cancel,
  checkout,
  completed,
  EXPIRES,
  expiredByMerchant,
  expiredByTime,
  MINUTE,
  paid,
  payment,
  play,
  report,
  start,
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
          name: 'with an attempt that nobody knew, whose rail still waits for the rest: nobody may pay any more',
          given: gone,
          when: report('requires_action', {
            reference: 'ref_b',
            payment: { reference: 'pay_1', amount: 400 },
          }),
          gives: {
            is: `expired ${unpaid} partial late`,
            paid: 400,
            attempts: ['cancelled', 'cancelled'],
            events: ['payment_attempt.created', 'payment_attempt.cancelled'],
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
          name: 'all that the attempt was for, where the rail does not say how much',
          given: gonePart,
          when: paid(null),
          gives: {
            is: 'expired paid excess late',
            paid: 1400,
            attempts: ['succeeded', 'succeeded'],
            events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
          },
        },
        {
          name: 'from an attempt that still was in progress',
          given: checkout({ lifecycle, attempts: [attempt('processing')] }),
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

suite('money of an attempt that had been given up is late in a session that has not expired too', () => {
  const declined = attempt('failed', { reason: 'Declined.' });
  const wentBack = after(checkout({ attempts: [attempt('requires_action')] }), cancel);
  const wentOn = after(wentBack, start());
  const paidByAnother = checkout({
    lifecycle: completed,
    attempts: [attempt('failed'), attempt('succeeded', { name: 'earlier' })],
    payments: [payment(1000)],
  });
  const coversIt = ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'] as const;
  table([
    {
      name: 'from an attempt that we had cancelled',
      given: checkout({ attempts: [attempt('cancelled')] }),
      when: paid(1000),
      gives: { is: 'completed paid late', paid: 1000, attempts: ['succeeded'], events: coversIt },
    },
    {
      name: 'from an attempt that its payer had left',
      given: wentBack,
      when: paid(1000),
      gives: { is: 'completed paid late', paid: 1000, attempts: ['succeeded'], events: coversIt },
    },
    {
      name: 'from an attempt whose place another has taken',
      given: wentOn,
      when: paid(1000),
      gives: {
        is: 'completed paid late',
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
      name: 'from an attempt that had failed',
      given: checkout({ attempts: [declined] }),
      when: paid(1000),
      gives: { is: 'completed paid late', paid: 1000, attempts: ['succeeded'], events: coversIt },
    },
    {
      name: 'a part',
      given: checkout({ attempts: [declined] }),
      when: paid(400),
      gives: {
        is: 'active unpaid partial late',
        paid: 400,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded'],
      },
    },
    {
      name: 'without news of the attempt: it stays failed',
      given: checkout({ attempts: [declined] }),
      when: report('failed', { payment: { reference: 'pay_1', amount: 400 } }),
      gives: {
        is: 'active unpaid partial late',
        paid: 400,
        attempts: ['failed'],
        events: ['checkout.updated'],
      },
    },
    {
      name: 'in a report that is no news of the attempt otherwise: it stays failed',
      given: checkout({ attempts: [declined] }),
      when: report('processing', { payment: { reference: 'pay_1', amount: 400 } }),
      gives: {
        is: 'active unpaid partial late',
        paid: 400,
        attempts: ['failed'],
        events: ['checkout.updated'],
      },
    },
    {
      name: 'in a completed session',
      given: paidByAnother,
      when: paid(1000),
      gives: {
        is: 'completed paid excess late',
        paid: 2000,
        attempts: ['succeeded', 'succeeded'],
        events: ['payment_attempt.succeeded'],
      },
    },
  ]);

  suite('but not', () => {
    table([
      {
        name: 'where the attempt was seen in progress since',
        given: after(checkout({ attempts: [attempt('cancelled')] }), report('processing')),
        when: paid(1000),
        gives: { is: 'completed paid', paid: 1000, attempts: ['succeeded'], events: coversIt },
      },
      {
        name: 'where the report that gives the attempt up brings the money',
        given: checkout({ attempts: [attempt('processing')] }),
        when: report('failed', { payment: { reference: 'pay_1', amount: 400 } }),
        gives: {
          is: 'active unpaid partial',
          paid: 400,
          attempts: ['failed'],
          events: ['payment_attempt.failed', 'payin.requires_payment_method'],
        },
      },
      {
        name: 'where another attempt was given up',
        given: checkout({ attempts: [attempt('failed', { name: 'b' }), attempt('processing')] }),
        when: paid(1000),
        gives: { is: 'completed paid', paid: 1000, attempts: ['failed', 'succeeded'], events: coversIt },
      },
      {
        name: 'where the attempt had succeeded without money',
        given: checkout({ attempts: [attempt('succeeded')] }),
        when: paid(400),
        gives: {
          is: 'active unpaid partial',
          paid: 400,
          attempts: ['succeeded'],
          events: ['checkout.updated'],
        },
      },
    ]);
  });
});
