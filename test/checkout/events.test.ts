/** Events of a change. The tables of the decisions check them too; here is each difference by itself. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventsBetween } from '../../src/checkout/events.ts';
import { attemptStatuses, type Checkout } from '../../src/checkout/session.ts';
import { attempt, checkout as build, completed, expiredByMerchant, expiredByTime, payment } from './build.ts';
import { refund, reversal } from './build-refunds.ts';

/** Sessions that share what does not change, as a session and its successor do. */
const shared = build();
const checkout = (given: Partial<Checkout> = {}): Checkout => ({ ...shared, ...given });

const types = (before: Checkout | null, after: Checkout) =>
  eventsBetween(before, after).map(({ type }) => type);
const paidUp = { lifecycle: completed, payments: [payment(1000)] };

suite('a difference and its events', () => {
  const plain = checkout();
  const rows: readonly {
    name: string;
    before: Checkout | null;
    after: Checkout;
    events: readonly string[];
  }[] = [
    { name: 'a new session', before: null, after: plain, events: ['checkout.created'] },
    { name: 'none', before: plain, after: plain, events: [] },
    { name: 'a copy', before: plain, after: { ...plain }, events: [] },
    {
      name: 'metadata',
      before: plain,
      after: { ...plain, metadata: { a: 1 } },
      events: ['checkout.updated'],
    },
    {
      name: 'items',
      before: plain,
      after: { ...plain, items: [{ name: 'Widget', quantity: 1, unitPrice: 1000 }] },
      events: ['checkout.updated'],
    },
    { name: 'the amount', before: plain, after: { ...plain, amount: 900 }, events: ['checkout.updated'] },
    {
      name: 'the description',
      before: plain,
      after: { ...plain, description: 'Another' },
      events: ['checkout.updated'],
    },
    {
      name: 'several of these',
      before: plain,
      after: { ...plain, amount: 900, metadata: {}, items: [] },
      events: ['checkout.updated'],
    },
    {
      name: 'the end by its merchant',
      before: plain,
      after: { ...plain, lifecycle: expiredByMerchant },
      events: ['checkout.expired', 'payin.cancelled'],
    },
    {
      name: 'the end by time',
      before: plain,
      after: { ...plain, lifecycle: expiredByTime },
      events: ['checkout.expired', 'payin.cancelled'],
    },
    {
      name: 'completion',
      before: checkout({ attempts: [attempt('processing')] }),
      after: checkout({ ...paidUp, attempts: [attempt('succeeded')] }),
      events: ['payment_attempt.succeeded', 'checkout.paid', 'payin.succeeded'],
    },
    {
      name: 'more money on a completed session',
      before: checkout({ ...paidUp, attempts: [attempt('succeeded')] }),
      after: checkout({
        ...paidUp,
        attempts: [attempt('succeeded')],
        payments: [payment(1000), payment(1, { reference: 'pay_2' })],
      }),
      events: ['checkout.updated'],
    },
    {
      name: 'metadata and more money',
      before: checkout({ ...paidUp, attempts: [attempt('succeeded')] }),
      after: checkout({
        ...paidUp,
        metadata: {},
        attempts: [attempt('succeeded')],
        payments: [payment(1000), payment(1, { reference: 'pay_2' })],
      }),
      events: ['checkout.updated'],
    },
    {
      name: 'the time of the next question to the rail',
      before: checkout({ attempts: [attempt('processing', { syncAt: 1 })] }),
      after: checkout({ attempts: [attempt('processing', { syncAt: 2 })] }),
      events: [],
    },
    {
      name: 'an attempt that became unknown',
      before: checkout({ attempts: [attempt('requires_action')] }),
      after: checkout({ attempts: [attempt('unknown')] }),
      events: ['payin.processing'],
    },
    {
      name: 'an attempt that became unknown beside another in progress',
      before: checkout({ attempts: [attempt('processing', { name: 'b' }), attempt('requires_action')] }),
      after: checkout({ attempts: [attempt('processing', { name: 'b' }), attempt('unknown')] }),
      events: ['checkout.updated'],
    },
    {
      name: 'an attempt that was superseded by another',
      before: checkout({ attempts: [attempt('requires_action')] }),
      after: checkout({ attempts: [attempt('cancelled'), attempt('unknown', { name: 'b' })] }),
      events: ['payment_attempt.cancelled', 'payment_attempt.created', 'payin.processing'],
    },
    {
      name: 'a refund',
      before: plain,
      after: { ...plain, refunds: [refund(1)] },
      events: ['refund.pending'],
    },
    {
      name: 'the excess of new money',
      before: checkout({ ...paidUp, attempts: [attempt('succeeded')] }),
      after: checkout({
        ...paidUp,
        attempts: [attempt('succeeded')],
        payments: [payment(1000), payment(1, { reference: 'pay_2' })],
        refunds: [refund(1)],
      }),
      events: ['checkout.updated', 'refund.pending'],
    },
    {
      name: 'one refund of several that moved',
      before: { ...plain, refunds: [refund(1), refund(2), refund(3)] },
      after: { ...plain, refunds: [refund(1), refund(2, { status: 'succeeded' }), refund(3)] },
      events: ['refund.succeeded'],
    },
    {
      name: 'refunds that moved beside a new one',
      before: { ...plain, refunds: [refund(1), refund(2, { status: 'succeeded' })] },
      after: {
        ...plain,
        refunds: [refund(1, { status: 'failed' }), refund(2, { status: 'failed' }), refund(3)],
      },
      events: ['refund.failed', 'refund.failed', 'refund.pending'],
    },
    {
      name: 'the id that a rail has given a refund',
      before: { ...plain, refunds: [refund(1)] },
      after: { ...plain, refunds: [refund(1, { reference: 're_1' })] },
      events: ['checkout.updated'],
    },
    {
      name: 'that id and what became of the refund',
      before: { ...plain, refunds: [refund(1)] },
      after: { ...plain, refunds: [refund(1, { reference: 're_1', status: 'succeeded' })] },
      events: ['refund.succeeded'],
    },
    {
      name: 'the time of the next question about a refund',
      before: { ...plain, refunds: [refund(1, { syncAt: 1 })] },
      after: { ...plain, refunds: [refund(1, { syncAt: 2 })] },
      events: [],
    },
    {
      name: 'a reversal',
      before: plain,
      after: { ...plain, reversals: [reversal(1)] },
      events: ['reversal.open'],
    },
    {
      name: 'reversals that were decided',
      before: { ...plain, reversals: [reversal(1), reversal(2)] },
      after: { ...plain, reversals: [reversal(1, { status: 'won' }), reversal(2, { status: 'lost' })] },
      events: ['reversal.won', 'reversal.lost'],
    },
    {
      name: 'another amount of a reversal',
      before: { ...plain, reversals: [reversal(1)] },
      after: { ...plain, reversals: [reversal(2)] },
      events: ['checkout.updated'],
    },
    {
      name: 'everything at once',
      before: checkout({ attempts: [attempt('processing')] }),
      after: checkout({
        metadata: {},
        attempts: [attempt('succeeded'), attempt('failed', { name: 'b' })],
        lifecycle: expiredByTime,
        payments: [payment(1000)],
      }),
      events: [
        'payment_attempt.succeeded',
        'payment_attempt.created',
        'payment_attempt.failed',
        'checkout.updated',
        'checkout.paid',
        'checkout.expired',
        'payin.succeeded',
      ],
    },
  ];
  for (const { name, before, after, events } of rows) {
    test(`${name}: ${events.join(', ') || 'no event'}`, () => assert.deepEqual(types(before, after), events));
  }
});

suite('a new attempt is told, and its status with it', () => {
  for (const status of attemptStatuses) {
    test(status, () => {
      const made = attempt(status);
      const told = eventsBetween(checkout(), checkout({ attempts: [made] })).filter(({ attempt }) => attempt);
      const types = [
        'payment_attempt.created',
        ...(status === 'unknown' ? [] : [`payment_attempt.${status}`]),
      ];
      assert.deepEqual(
        told,
        types.map((type) => ({ type, attempt: made })),
      );
    });
  }
});

test('an event of a refund or a reversal carries that one as it is after the change', () => {
  const moved = refund(2, { status: 'failed', failure: 'Closed.' });
  const made = reversal(3, { reference: 'dp_b' });
  const before = { ...shared, refunds: [refund(1), refund(2)], reversals: [reversal(1)] };
  const after = { ...shared, refunds: [refund(1), moved], reversals: [reversal(1), made] };
  assert.deepEqual(eventsBetween(before, after), [
    { type: 'refund.failed', refund: moved },
    { type: 'reversal.open', reversal: made },
  ]);
});

test('an event of an attempt carries that attempt as it is after the change', () => {
  const others = [attempt('failed', { name: 'x' }), attempt('cancelled', { name: 'y' })];
  const after = attempt('failed', { reason: 'No funds.' });
  const events = eventsBetween(
    checkout({ attempts: [...others, attempt('processing')] }),
    checkout({ attempts: [...others, after] }),
  );
  assert.deepEqual(events, [
    { type: 'payment_attempt.failed', attempt: after },
    { type: 'payin.requires_payment_method' },
  ]);
});
