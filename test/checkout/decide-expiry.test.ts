/** The end of an unpaid session: by its merchant, and by time. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../src/checkout/decide.ts';
import { dueAt } from '../../src/checkout/statuses.ts';
import {
  after,
  attempt,
  checkout,
  completed,
  EXPIRES,
  expire,
  expiredByMerchant,
  GRACE_ENDS,
  MINUTE,
  NOW,
  paid,
  payment,
  report,
  start,
  T,
  table,
  tick,
} from './build.ts';

suite('the merchant expires the session', () => {
  table([
    {
      name: 'that nobody has tried to pay',
      given: checkout(),
      when: expire(),
      gives: { is: 'expired unpaid', paid: 0, attempts: [], events: ['checkout.expired', 'payin.cancelled'] },
    },
    {
      name: 'a draft',
      given: checkout({ amount: 0 }),
      when: expire(),
      gives: { is: 'expired unpaid', paid: 0, attempts: [], events: ['checkout.expired', 'payin.cancelled'] },
    },
    {
      name: 'while the payer is asked for something: that is cancelled',
      given: checkout({ attempts: [attempt('requires_action')] }),
      when: expire(),
      gives: {
        is: 'expired unpaid',
        paid: 0,
        attempts: ['cancelled'],
        events: ['payment_attempt.cancelled', 'checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'with a part of the money: it stays',
      given: checkout({ attempts: [attempt('succeeded')], payments: [payment(400)] }),
      when: expire(),
      gives: {
        is: 'expired unpaid partial',
        paid: 400,
        attempts: ['succeeded'],
        events: ['checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'one millisecond before its time',
      given: checkout({ expiresAt: EXPIRES }),
      when: expire({ now: EXPIRES - 1 }),
      gives: { is: 'expired unpaid', paid: 0, attempts: [], events: ['checkout.expired', 'payin.cancelled'] },
    },
    {
      name: 'in its grace, while a payment is in progress',
      given: checkout({ expiresAt: EXPIRES, attempts: [attempt('processing')] }),
      when: expire({ now: EXPIRES + MINUTE }),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'with one attempt waiting and another in progress',
      given: checkout({ attempts: [attempt('unknown', { name: 'b' }), attempt('requires_action')] }),
      when: expire(),
      gives: { refused: 'payment_in_progress' },
    },
    {
      name: 'twice',
      given: after(checkout(), expire()),
      when: expire(),
      gives: { refused: 'not_expirable' },
    },
  ]);

  test('expires_at becomes the time of the expiry, earlier or set for the first time', () => {
    for (const expiresAt of [null, EXPIRES]) {
      const expired = after(checkout({ expiresAt }), expire({ now: NOW }));
      assert.equal(expired.expiresAt, NOW);
      assert.deepEqual(expired.lifecycle, { state: 'expired', at: NOW, by: 'merchant' });
    }
  });

  test('an attempt that is cancelled by it is not asked after any more', () => {
    const waiting = attempt('requires_action', { syncAt: NOW + MINUTE });
    const expired = after(checkout({ attempts: [waiting] }), expire());
    assert.deepEqual(expired.attempts, [{ ...waiting, status: 'cancelled', syncAt: null }]);
    assert.equal(dueAt(expired), null);
  });
});

suite('time ends the session', () => {
  const expiring = { expiresAt: EXPIRES };
  table([
    {
      name: 'not a millisecond early',
      given: checkout(expiring),
      when: tick(EXPIRES - 1),
      gives: 'unchanged',
    },
    {
      name: 'at expires_at',
      given: checkout(expiring),
      when: tick(EXPIRES),
      gives: {
        is: 'expired expired',
        paid: 0,
        attempts: [],
        events: ['checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'never where it has no expires_at',
      given: checkout({ expiresAt: null, attempts: [attempt('processing')] }),
      when: tick(T + 1000 * 86_400_000),
      gives: 'unchanged',
    },
    {
      name: 'what waits for the payer is cancelled with it',
      given: checkout({ ...expiring, attempts: [attempt('requires_action')] }),
      when: tick(EXPIRES),
      gives: {
        is: 'expired expired',
        paid: 0,
        attempts: ['cancelled'],
        events: ['payment_attempt.cancelled', 'checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'a part of the money stays',
      given: checkout({ ...expiring, attempts: [attempt('succeeded')], payments: [payment(400)] }),
      when: tick(EXPIRES),
      gives: {
        is: 'expired expired partial',
        paid: 400,
        attempts: ['succeeded'],
        events: ['checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'not while a payment is processing',
      given: checkout({ ...expiring, attempts: [attempt('processing')] }),
      when: tick(GRACE_ENDS - 1),
      gives: 'unchanged',
    },
    {
      name: 'not while it is unknown what became of a payment',
      given: checkout({ ...expiring, attempts: [attempt('unknown')] }),
      when: tick(GRACE_ENDS - 1),
      gives: 'unchanged',
    },
    {
      name: 'a grace that is over ends it, though the payment is still processing',
      given: checkout({ ...expiring, attempts: [attempt('processing')] }),
      when: tick(GRACE_ENDS),
      // The payin stays in progress: the rail has not said the last word.
      gives: {
        is: 'expired expired',
        paid: 0,
        attempts: ['processing'],
        events: ['checkout.expired'],
      },
    },
    {
      name: 'one waits and another is in progress: both get the grace',
      given: checkout({
        ...expiring,
        attempts: [attempt('requires_action'), attempt('unknown', { name: 'b' })],
      }),
      when: tick(GRACE_ENDS - 1),
      gives: 'unchanged',
    },
    {
      name: 'one waits and another is in progress: at the end only the first is cancelled',
      given: checkout({
        ...expiring,
        attempts: [attempt('requires_action'), attempt('unknown', { name: 'b' })],
      }),
      when: tick(GRACE_ENDS),
      gives: {
        is: 'expired expired',
        paid: 0,
        attempts: ['cancelled', 'unknown'],
        events: ['payment_attempt.cancelled', 'checkout.expired'],
      },
    },
    {
      name: 'at once when what was in progress fails in the grace',
      given: checkout({ ...expiring, attempts: [attempt('processing')] }),
      when: report('failed', { now: EXPIRES + MINUTE }),
      gives: {
        is: 'expired expired',
        paid: 0,
        attempts: ['failed'],
        events: ['payment_attempt.failed', 'checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'at once when what was in progress brings too little in the grace',
      given: checkout({ ...expiring, attempts: [attempt('processing')] }),
      when: paid(400, { now: EXPIRES + MINUTE }),
      // The money came in time for the grace, so it is not late.
      gives: {
        is: 'expired expired partial',
        paid: 400,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.expired', 'payin.cancelled'],
      },
    },
    {
      name: 'not where the money arrives in the grace',
      given: checkout({ ...expiring, attempts: [attempt('processing')] }),
      when: paid(1000, { now: GRACE_ENDS - 1 }),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
      },
    },
    {
      name: 'money at the end of the grace is late',
      given: checkout({ ...expiring, attempts: [attempt('processing')] }),
      when: paid(1000, { now: GRACE_ENDS }),
      gives: {
        is: 'expired paid late',
        paid: 1000,
        attempts: ['succeeded'],
        events: ['payment_attempt.succeeded', 'checkout.paid', 'checkout.expired', 'payin.succeeded'],
      },
    },
    {
      name: 'a completed session has no end',
      given: checkout({ ...expiring, lifecycle: completed, payments: [payment(1000)] }),
      when: tick(GRACE_ENDS),
      gives: 'unchanged',
    },
    {
      name: 'an expired session expires once',
      given: checkout({ ...expiring, lifecycle: expiredByMerchant }),
      when: tick(GRACE_ENDS),
      gives: 'unchanged',
    },
    {
      name: 'before a payment could start at that moment',
      given: checkout(expiring),
      when: start({ now: EXPIRES }),
      gives: { refused: 'not_payable' },
    },
    {
      name: 'no second attempt starts in the grace of the first',
      given: checkout({ ...expiring, attempts: [attempt('processing')] }),
      when: start({ now: EXPIRES + MINUTE }),
      gives: { refused: 'not_payable' },
    },
  ]);

  test('expires_at stays what it was announced to be', () => {
    const expired = after(checkout(expiring), tick(EXPIRES + 5 * MINUTE));
    assert.equal(expired.expiresAt, EXPIRES);
    assert.deepEqual(expired.lifecycle, { state: 'expired', at: EXPIRES + 5 * MINUTE, by: 'time' });
  });

  test('a tick after the tick changes nothing', () => {
    const expired = after(checkout({ ...expiring, attempts: [attempt('requires_action')] }), tick(EXPIRES));
    assert.deepEqual(decide(expired, tick(EXPIRES)), { kind: 'unchanged', checkout: expired });
  });
});
