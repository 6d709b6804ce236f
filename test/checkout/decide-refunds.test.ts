/** Money that the merchant gives back: never more than was paid, and told once for each thing that becomes of it. */

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../src/checkout/decide.ts';
import type { AttemptId } from '../../src/checkout/ids.ts';
import { MAX_REFUNDS } from '../../src/checkout/refunds.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { refundableOf } from '../../src/checkout/statuses.ts';
import {
  after,
  attempt,
  checkout,
  completed,
  EXPIRES,
  expiredByMerchant,
  expiredByTime,
  frozen,
  NOW,
  payment,
  type Row,
  table,
} from './build.ts';
import { createRefund, refund, reversal } from './build-refunds.ts';

const brought = (amount: number, name = 'a') =>
  payment(amount, { attempt: `pat_${name}`, reference: `pay_${name}${amount}` });

/** Completed by one attempt that has brought 1000. */
const paidUp = checkout({
  lifecycle: completed,
  attempts: [attempt('succeeded')],
  payments: [brought(1000)],
});

/** Completed by three attempts: a has brought 500, b 300 and c 200. */
const shared = checkout({
  lifecycle: completed,
  attempts: ['a', 'b', 'c'].map((name) => attempt('succeeded', { name })),
  payments: [brought(500), brought(300, 'b'), brought(200, 'c')],
});

const wholly = { is: 'completed paid', paid: 1000, attempts: ['succeeded'] } as const;

suite('a refund', () => {
  table([
    {
      name: 'of all that was paid',
      given: paidUp,
      when: createRefund(1000),
      gives: { ...wholly, events: ['refund.pending'], refunds: ['pending 1000'] },
    },
    {
      name: 'of a part',
      given: paidUp,
      when: createRefund(1),
      gives: { ...wholly, events: ['refund.pending'], refunds: ['pending 1'] },
    },
    {
      name: 'of a part, of the attempt that is named',
      given: paidUp,
      when: createRefund(400, { attempt: 'pat_a' }),
      gives: { ...wholly, events: ['refund.pending'], refunds: ['pending 400'] },
    },
    {
      name: 'not of more than was paid',
      given: paidUp,
      when: createRefund(1001),
      gives: { refused: 'not_refundable' },
    },
    {
      name: 'not of more than was paid, of the attempt that is named',
      given: paidUp,
      when: createRefund(1001, { attempt: 'pat_a' }),
      gives: { refused: 'not_refundable' },
    },
    {
      name: 'not of an attempt that is not one of the session',
      given: paidUp,
      when: createRefund(1, { attempt: 'pat_z' }),
      gives: { refused: 'field_invalid' },
    },
    {
      name: 'not of an attempt that brought nothing',
      given: checkout({ ...paidUp, attempts: [...paidUp.attempts, attempt('failed', { name: 'b' })] }),
      when: createRefund(1, { attempt: 'pat_b' }),
      gives: { refused: 'not_refundable' },
    },
    {
      name: 'not where nothing was paid',
      given: checkout({ attempts: [attempt('processing')] }),
      when: createRefund(1),
      gives: { refused: 'not_refundable' },
    },
    {
      name: 'not where nobody has tried to pay',
      given: checkout(),
      when: createRefund(1),
      gives: { refused: 'not_refundable' },
    },
    {
      name: 'not of a session that is not there',
      given: null,
      when: createRefund(1),
      gives: { refused: 'not_found' },
    },
    {
      name: 'of an amount that several attempts have brought together, but none alone',
      given: shared,
      when: createRefund(501),
      gives: { refused: 'not_refundable' },
    },
    {
      name: 'of all that is left of several attempts, each by one of its own',
      given: checkout({
        ...shared,
        attempts: [...shared.attempts, attempt('failed', { name: 'd' })],
        refunds: [refund(500), refund(100, { id: 'rfd_b', attempt: 'pat_b' })],
      }),
      when: createRefund(null, { furtherIds: ['rfd_2', 'rfd_3'] }),
      gives: {
        is: 'completed paid',
        paid: 1000,
        attempts: ['succeeded', 'succeeded', 'succeeded', 'failed'],
        events: ['refund.pending', 'refund.pending'],
        refunds: ['pending 500', 'pending 100', 'pending 200', 'pending 200'],
      },
    },
    {
      name: 'of all of several attempts, but not by more refunds than a session may have',
      given: checkout({
        ...shared,
        refunds: Array.from({ length: MAX_REFUNDS - 1 }, () => refund(1, { status: 'failed' })),
      }),
      when: createRefund(null, { furtherIds: ['rfd_2', 'rfd_3'] }),
      gives: { refused: 'not_refundable' },
    },
    {
      name: 'of what a cancelled attempt has brought late',
      given: checkout({
        lifecycle: expiredByMerchant,
        attempts: [attempt('cancelled')],
        payments: [payment(1000, { attempt: 'pat_a', late: true })],
      }),
      when: createRefund(1000),
      gives: {
        is: 'expired paid late',
        paid: 1000,
        attempts: ['cancelled'],
        events: ['refund.pending'],
        refunds: ['pending 1000'],
      },
    },
  ]);

  test('has what it was given, and asks its rail at once', () => {
    const command = createRefund(400, {
      attempt: 'pat_a',
      reason: 'Broken.',
      remarks: 'Two of five.',
      metadata: { ticket: 7 },
      webhookUrl: 'https://shop.example/refunds',
    });
    assert.deepEqual(after(paidUp, command).refunds, [
      {
        id: 'rfd_new',
        createdAt: NOW,
        attempt: 'pat_a',
        rail: 'sandbox',
        reference: '',
        amount: 400,
        reason: 'Broken.',
        remarks: 'Two of five.',
        metadata: { ticket: 7 },
        webhookUrl: 'https://shop.example/refunds',
        status: 'pending',
        failure: '',
        syncAt: NOW,
      },
    ]);
  });

  test('goes the way its money came', () => {
    const session = checkout({
      lifecycle: completed,
      attempts: [attempt('succeeded'), attempt('succeeded', { name: 'b', rail: 'bank' })],
      payments: [brought(500), payment(500, { attempt: 'pat_b', rail: 'bank' })],
    });
    const railOf = (name: AttemptId) => after(session, createRefund(1, { attempt: name })).refunds[0]?.rail;
    assert.equal(railOf('pat_a'), 'sandbox');
    assert.equal(railOf('pat_b'), 'bank');
  });

  test('that is refused says how much can be refunded', () => {
    const refusal = (session: Checkout, amount: number, name: AttemptId | null) => {
      const decision = decide(session, createRefund(amount, { attempt: name }));
      assert.equal(decision.kind, 'refusal');
      const { detail, problems } = decision as Extract<typeof decision, { kind: 'refusal' }>;
      return [detail, ...problems.map((problem) => `${problem.pointer} ${problem.detail}`)];
    };
    assert.deepEqual(refusal(paidUp, 1001, null), [
      'The amount exceeds what can still be refunded: at most 10.00 USD of one attempt.',
      '/amount must be at most 1000',
    ]);
    assert.deepEqual(refusal(shared, 501, null), [
      'The amount exceeds what can still be refunded: at most 5.00 USD of one attempt. All attempts together have 10.00 USD left.',
      '/amount must be at most 500',
    ]);
    assert.deepEqual(refusal(shared, 301, 'pat_b'), [
      'The amount exceeds what can still be refunded: at most 3.00 USD of one attempt. All attempts together have 10.00 USD left.',
      '/amount must be at most 300',
    ]);
    assert.deepEqual(refusal(paidUp, 1, 'pat_z').slice(1), [
      '/payment_attempt must be the id of an attempt of the session',
    ]);
  });
});

suite('a refund of which it is not said what attempt it is of', () => {
  const rows = [
    { name: 'is of the newest', amount: 1, of: 'pat_c' },
    { name: 'is of the newest that has brought just enough', amount: 200, of: 'pat_c' },
    { name: 'is of an older one where the newest has not brought enough', amount: 201, of: 'pat_b' },
    { name: 'is of the oldest where only that has brought enough', amount: 301, of: 'pat_a' },
    {
      name: 'is of an older one where the newest has given back what it brought',
      amount: 1,
      of: 'pat_b',
      refunds: [refund(200, { attempt: 'pat_c' })],
    },
    {
      name: 'is of the newest where the refund of that has failed',
      amount: 200,
      of: 'pat_c',
      refunds: [refund(200, { attempt: 'pat_c', status: 'failed' })],
    },
    {
      name: 'is of an older one where the newest is disputed',
      amount: 1,
      of: 'pat_b',
      reversals: [reversal(200, { attempt: 'pat_c' })],
    },
  ] as const;
  for (const { name, amount, of, ...given } of rows) {
    test(name, () => {
      const { refunds } = after(frozen({ ...shared, ...given }), createRefund(amount));
      assert.equal(refunds.at(-1)?.attempt, of);
    });
  }
});

suite('what can still be refunded', () => {
  const rows: readonly { name: string; given: Partial<Checkout>; left: number }[] = [
    { name: 'all of it', given: {}, left: 1000 },
    { name: 'without what is pending', given: { refunds: [refund(300)] }, left: 700 },
    {
      name: 'without what has succeeded',
      given: { refunds: [refund(300, { status: 'succeeded' })] },
      left: 700,
    },
    { name: 'with what has failed', given: { refunds: [refund(300, { status: 'failed' })] }, left: 1000 },
    {
      name: 'without several',
      given: {
        refunds: [
          refund(300),
          refund(200, { id: 'rfd_b', status: 'succeeded' }),
          refund(500, { id: 'rfd_c' }),
        ],
      },
      left: 0,
    },
    { name: 'without what is disputed', given: { reversals: [reversal(400)] }, left: 600 },
    { name: 'without what is lost', given: { reversals: [reversal(400, { status: 'lost' })] }, left: 600 },
    { name: 'with what is won', given: { reversals: [reversal(400, { status: 'won' })] }, left: 1000 },
    {
      name: 'without both',
      given: { refunds: [refund(300)], reversals: [reversal(400, { kind: 'return', status: 'lost' })] },
      left: 300,
    },
    {
      name: 'nothing where more was taken back than is there',
      given: { refunds: [refund(700)], reversals: [reversal(1000)] },
      left: 0,
    },
    {
      name: 'whatever other attempts have given back',
      given: {
        refunds: [refund(300, { attempt: 'pat_b' })],
        reversals: [reversal(400, { attempt: 'pat_b' })],
      },
      left: 1000,
    },
  ];
  for (const { name, given, left } of rows) {
    test(`${name}: ${left}`, () => {
      const session = checkout({ ...paidUp, ...given });
      assert.equal(refundableOf(session, 'pat_a'), left);
      assert.equal(decide(session, createRefund(left + 1)).kind, 'refusal');
      if (left > 0) assert.equal(after(session, createRefund(left)).refunds.at(-1)?.amount, left);
    });
  }
});

suite('a refund that was decided on with so much left', () => {
  const rows: ReadonlyArray<readonly [name: string, given: Checkout, left: number]> = [
    ['nothing has gone back', paidUp, 1000],
    ['of all attempts', shared, 1000],
    ['without what goes back', { ...shared, refunds: [refund(100)] }, 900],
    ['with what has failed to', { ...shared, refunds: [refund(100, { status: 'failed' })] }, 1000],
    ['without what was taken back', { ...shared, reversals: [reversal(100)] }, 900],
    ['never less than nothing', { ...paidUp, refunds: [refund(700)], reversals: [reversal(1000)] }, 0],
  ];
  for (const [name, given, left] of rows) {
    test(`is refused with another amount: ${name}`, () => {
      const session = checkout(given);
      for (const other of [left + 1, Math.abs(left - 1)]) {
        const refusal = decide(session, createRefund(1, { left: other }));
        assert.deepEqual(
          refusal.kind === 'refusal' && [refusal.reason, refusal.problems.map(({ pointer }) => pointer)],
          ['field_invalid', ['/amount_left']],
        );
      }
      const decision = decide(session, createRefund(1, { left }));
      assert.equal(decision.kind, left > 0 ? 'change' : 'refusal');
      assert.equal(decision.kind === 'refusal' && decision.reason, left > 0 ? false : 'not_refundable');
    });
  }
});

suite('the number of refunds of a session', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => refund(1, { id: `rfd_${n}`, status: 'failed' }));

  test('is a hundred', () => assert.equal(MAX_REFUNDS, 100));

  test('has a last one', () => {
    const session = checkout({ ...paidUp, refunds: many(MAX_REFUNDS - 1) });
    assert.equal(after(session, createRefund(1)).refunds.length, MAX_REFUNDS);
  });

  test('is bounded, whatever became of them', () => {
    const decision = decide(checkout({ ...paidUp, refunds: many(MAX_REFUNDS) }), createRefund(1));
    assert.equal(decision.kind === 'refusal' && decision.reason, 'not_refundable');
  });
});

suite('a refund in every state of a session', () => {
  const part = { attempts: [attempt('succeeded')], payments: [brought(400)] };
  const refunded = {
    paid: 400,
    attempts: ['succeeded'],
    events: ['refund.pending'],
    refunds: ['pending 400'],
  } as const;
  const rows: readonly Row[] = [
    {
      name: 'active, partly paid',
      given: checkout(part),
      when: createRefund(400),
      gives: { ...refunded, is: 'active unpaid partial' },
    },
    {
      name: 'active, partly paid, with another attempt in progress',
      given: checkout({ ...part, attempts: [...part.attempts, attempt('processing', { name: 'b' })] }),
      when: createRefund(400),
      gives: { ...refunded, is: 'active unpaid partial', attempts: ['succeeded', 'processing'] },
    },
    {
      name: 'active until this moment',
      given: checkout({ ...part, expiresAt: EXPIRES }),
      when: createRefund(400, { now: EXPIRES }),
      gives: {
        ...refunded,
        is: 'expired expired partial',
        events: ['checkout.expired', 'refund.pending', 'payin.cancelled'],
      },
    },
    {
      name: 'expired by its merchant',
      given: checkout({ ...part, lifecycle: expiredByMerchant }),
      when: createRefund(400),
      gives: { ...refunded, is: 'expired unpaid partial' },
    },
    {
      name: 'expired by time',
      given: checkout({ ...part, lifecycle: expiredByTime }),
      when: createRefund(400),
      gives: { ...refunded, is: 'expired expired partial' },
    },
    {
      name: 'completed, with too much',
      given: checkout({ ...paidUp, payments: [brought(1300)] }),
      when: createRefund(300),
      gives: {
        is: 'completed paid excess',
        paid: 1300,
        attempts: ['succeeded'],
        events: ['refund.pending'],
        refunds: ['pending 300'],
      },
    },
  ];
  table(rows);
});
