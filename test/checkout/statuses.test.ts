/** Derived facts of a session: the need for attention, the status of its payin, and its transfers. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AttemptId } from '../../src/checkout/ids.ts';
import { type Attempt, defaultPolicy, refundStatuses } from '../../src/checkout/session.ts';
import {
  amountHeld,
  amountTakenBack,
  dueAt,
  EXPIRY_GRACE_MS,
  endsAt,
  excessOf,
  openTransfer,
  payerReferenceOf,
  payinStatusOf,
} from '../../src/checkout/statuses.ts';
import {
  after,
  attempt,
  checkout,
  completed,
  EXPIRES,
  expire,
  expiredByTime,
  GRACE_ENDS,
  MINUTE,
  NOW,
  payment,
} from './build.ts';
import { refund, reversal } from './build-refunds.ts';

suite('when a session needs attention', () => {
  test('the grace is a quarter of an hour', () => {
    assert.equal(EXPIRY_GRACE_MS, 15 * MINUTE);
  });

  const sync = (status: 'requires_action' | 'processing', syncAt: number) => attempt(status, { syncAt });
  const rows = [
    { name: 'never', given: checkout(), ends: null, due: null },
    { name: 'at its end', given: checkout({ expiresAt: EXPIRES }), ends: EXPIRES, due: EXPIRES },
    {
      name: 'at the end of the grace',
      given: checkout({ expiresAt: EXPIRES, attempts: [attempt('processing')] }),
      ends: GRACE_ENDS,
      due: GRACE_ENDS,
    },
    {
      name: 'at the end of the longest grace, whichever attempt has it',
      given: checkout({
        expiresAt: EXPIRES,
        attempts: [
          attempt('processing', { traits: { graceMs: 30 * MINUTE } }),
          attempt('unknown', { traits: { graceMs: MINUTE } }),
          attempt('requires_action', { traits: { graceMs: 90 * MINUTE } }),
        ],
      }),
      ends: EXPIRES + 30 * MINUTE,
      due: EXPIRES + 30 * MINUTE,
    },
    {
      name: 'when the rail is to be asked, if that is sooner',
      given: checkout({ expiresAt: EXPIRES, attempts: [sync('processing', NOW)] }),
      ends: GRACE_ENDS,
      due: NOW,
    },
    {
      name: 'at its end, if the rail is to be asked later',
      given: checkout({ expiresAt: EXPIRES, attempts: [sync('requires_action', EXPIRES + 1)] }),
      ends: EXPIRES,
      due: EXPIRES,
    },
    {
      name: 'at the earliest of several',
      given: checkout({ attempts: [sync('processing', NOW + 2), sync('processing', NOW + 1)] }),
      ends: null,
      due: NOW + 1,
    },
    {
      name: 'when the rail of a refund is to be asked',
      given: checkout({ lifecycle: completed, refunds: [refund(1), refund(1, { syncAt: NOW })] }),
      ends: null,
      due: NOW,
    },
    {
      name: 'at the earliest, be it of an attempt, of a refund or its end',
      given: checkout({
        expiresAt: EXPIRES,
        attempts: [sync('requires_action', NOW + 2)],
        refunds: [refund(1, { syncAt: NOW + 3 }), refund(1, { syncAt: NOW + 1 })],
      }),
      ends: EXPIRES,
      due: NOW + 1,
    },
    {
      name: 'when a rail is to be told that an attempt was given up',
      given: checkout({
        lifecycle: completed,
        attempts: [attempt('cancelled', { traits: { toldOfCancel: true }, syncAt: NOW })],
      }),
      ends: null,
      due: NOW,
    },
    {
      name: 'for its rail, though it has ended',
      given: checkout({ expiresAt: EXPIRES, lifecycle: expiredByTime, attempts: [sync('processing', NOW)] }),
      ends: null,
      due: NOW,
    },
    {
      name: 'never again once it has ended',
      given: checkout({ expiresAt: EXPIRES, lifecycle: expiredByTime }),
      ends: null,
      due: null,
    },
  ];
  for (const { name, given, ends, due } of rows) {
    test(name, () => {
      assert.equal(endsAt(given), ends);
      assert.equal(dueAt(given), due);
    });
  }
});

suite('the status of the payin', () => {
  const rows = [
    { name: 'a new session', given: checkout(), is: 'requires_payment_method' },
    { name: 'a draft', given: checkout({ amount: 0 }), is: 'requires_payment_method' },
    {
      name: 'the payer is asked',
      given: checkout({ attempts: [attempt('requires_action')] }),
      is: 'requires_action',
    },
    { name: 'in progress', given: checkout({ attempts: [attempt('processing')] }), is: 'processing' },
    { name: 'unknown', given: checkout({ attempts: [attempt('unknown')] }), is: 'processing' },
    {
      name: 'in progress beside one that waits',
      given: checkout({ attempts: [attempt('requires_action'), attempt('processing')] }),
      is: 'processing',
    },
    {
      name: 'failed',
      given: checkout({ attempts: [attempt('failed')] }),
      is: 'requires_payment_method',
    },
    {
      name: 'a part is paid',
      given: checkout({ attempts: [attempt('succeeded')], payments: [payment(400)] }),
      is: 'requires_payment_method',
    },
    { name: 'expired', given: after(checkout(), expire()), is: 'cancelled' },
    {
      name: 'expired with something in progress',
      given: checkout({ lifecycle: expiredByTime, attempts: [attempt('processing')] }),
      is: 'processing',
    },
    {
      name: 'expired and paid',
      given: checkout({ lifecycle: expiredByTime, payments: [payment(1000)] }),
      is: 'succeeded',
    },
    {
      name: 'completed',
      given: checkout({ lifecycle: completed, payments: [payment(1000)] }),
      is: 'succeeded',
    },
    {
      name: 'completed with something in progress',
      given: checkout({ lifecycle: completed, payments: [payment(1000)], attempts: [attempt('processing')] }),
      is: 'succeeded',
    },
  ];
  for (const { name, given, is } of rows)
    test(`${name}: ${is}`, () => assert.equal(payinStatusOf(given), is));
});

suite('transfers', () => {
  const standing = { standing: true } as const;
  const waiting = (name: string, given: Partial<Attempt> = {}) =>
    attempt('requires_action', { name, traits: standing, ...given });

  test('continue with the newest that asks for the amount due', () => {
    const attempts = [
      waiting('a'),
      waiting('b'),
      waiting('c', { amount: 400 }),
      waiting('d', { traits: {} }),
    ];
    assert.equal(openTransfer(checkout({ attempts }))?.id, 'pat_b');
    assert.equal(openTransfer(checkout({ attempts, payments: [payment(600)] }))?.id, 'pat_c');
    assert.equal(openTransfer(checkout({ attempts, payments: [payment(1)] })), undefined);
    assert.equal(openTransfer(checkout({ attempts: [attempt('failed', { traits: standing })] })), undefined);
  });

  test('are known to their payer by the reference of the attempt, other payments by that of the rail', () => {
    const session = checkout({ attempts: [attempt('succeeded'), waiting('b')] });
    const referenceOf = (id: AttemptId) =>
      payerReferenceOf(session, payment(1, { attempt: id, reference: 'pay_1' }));
    assert.equal(referenceOf('pat_a'), 'pay_1');
    assert.equal(referenceOf('pat_b'), 'ref_b');
  });
});

test('a refund is pending, then succeeds, and may fail even then', () => {
  assert.deepEqual(refundStatuses, ['pending', 'succeeded', 'failed']);
});

test('a merchant who has set nothing tolerates nothing, keeps what is in excess, and takes what comes', () => {
  assert.deepEqual(defaultPolicy, {
    underpaymentToleranceBasisPoints: 0,
    underpaymentToleranceAtMost: 0,
    excess: 'keep',
    late: 'accept',
    unreferenced: 'match',
    graceMinutes: {},
  });
});

test('money that went back, or may have, is neither held nor an excess', () => {
  const received = { amount: 1_000, payments: [payment(1_500)] };
  const cases = [
    { given: {}, takenBack: 0, held: 1_500, excess: 500 },
    { given: { refunds: [refund(100)] }, takenBack: 0, held: 1_400, excess: 500 },
    { given: { refunds: [refund(100, { status: 'succeeded' })] }, takenBack: 0, held: 1_400, excess: 400 },
    { given: { refunds: [refund(100, { status: 'failed' })] }, takenBack: 0, held: 1_500, excess: 500 },
    { given: { reversals: [reversal(100)] }, takenBack: 100, held: 1_400, excess: 400 },
    { given: { reversals: [reversal(500, { status: 'lost' })] }, takenBack: 500, held: 1_000, excess: 0 },
    { given: { reversals: [reversal(1_500, { status: 'lost' })] }, takenBack: 1_500, held: 0, excess: 0 },
    { given: { reversals: [reversal(100, { status: 'won' })] }, takenBack: 0, held: 1_500, excess: 500 },
    {
      given: { refunds: [refund(100, { status: 'succeeded' })], reversals: [reversal(300)] },
      ...{ takenBack: 300, held: 1_100, excess: 100 },
    },
  ] as const;
  for (const { given, ...expected } of cases) {
    const session = checkout({ ...received, ...given });
    const found = {
      takenBack: amountTakenBack(session),
      held: amountHeld(session),
      excess: excessOf(session),
    };
    assert.deepEqual(found, expected);
  }
});
