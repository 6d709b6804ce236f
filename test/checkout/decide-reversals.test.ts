/** Money that a rail takes back, or threatens to: a fact beside the payment, which stays booked and paid. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../src/checkout/decide.ts';
import { movementsOf } from '../../src/checkout/movements.ts';
import { MAX_REFUNDS } from '../../src/checkout/refunds.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { amountPaid, paymentStatusOf } from '../../src/checkout/statuses.ts';
import { after, attempt, checkout, completed, expiredByTime, NOW, payment, play, T, table } from './build.ts';
import { createRefund, reportReversal, reversal } from './build-refunds.ts';

const paidUp = checkout({
  lifecycle: completed,
  attempts: [attempt('succeeded')],
  payments: [payment(1000, { attempt: 'pat_a' })],
});
const withReversal = (given: Parameters<typeof reversal>[1] = {}): Checkout =>
  checkout({ ...paidUp, reversals: [reversal(400, given)] });

const wholly = { is: 'completed paid', paid: 1000, attempts: ['succeeded'] } as const;

suite('a reversal', () => {
  table([
    ...(['open', 'lost', 'won'] as const).map((status) => ({
      name: `that is ${status} when it becomes known`,
      given: paidUp,
      when: reportReversal(status),
      gives: { ...wholly, events: [`reversal.${status}`] as const, reversals: [`${status} 400`] },
    })),
    ...(['lost', 'won'] as const).map((status) => ({
      name: `that is decided: ${status}`,
      given: withReversal(),
      when: reportReversal(status),
      gives: { ...wholly, events: [`reversal.${status}`] as const, reversals: [`${status} 400`] },
    })),
    {
      name: 'that a bank makes of a transfer',
      given: paidUp,
      when: reportReversal('lost', { kind: 'return', reference: 'ret_1', amount: 1000, reason: 'AC04' }),
      gives: { ...wholly, events: ['reversal.lost'], reversals: ['lost 1000'] },
    },
    {
      name: 'of more than is left: the rail says it, and it is true',
      given: paidUp,
      when: reportReversal('lost', { amount: 1500 }),
      gives: { ...wholly, events: ['reversal.lost'], reversals: ['lost 1500'] },
    },
    {
      name: 'of an attempt that is not known',
      given: paidUp,
      when: reportReversal('open', { attempt: 'pat_z' }),
      gives: { refused: 'not_found' },
    },
    {
      name: 'of a session that is not there',
      given: null,
      when: reportReversal('open'),
      gives: { refused: 'not_found' },
    },
    {
      name: 'of money that came late to an expired session',
      given: checkout({ ...paidUp, lifecycle: expiredByTime }),
      when: reportReversal('open'),
      gives: { ...wholly, is: 'expired paid', events: ['reversal.open'], reversals: ['open 400'] },
    },
    {
      name: 'beside another of the same attempt',
      given: withReversal({ reference: 'dp_earlier' }),
      when: reportReversal('open', { amount: 600 }),
      gives: { ...wholly, events: ['reversal.open'], reversals: ['open 400', 'open 600'] },
    },
    {
      name: 'with the same id at another rail',
      given: withReversal({ rail: 'bank' }),
      when: reportReversal('open'),
      gives: { ...wholly, events: ['reversal.open'], reversals: ['open 400', 'open 400'] },
    },
    { name: 'that is open again', given: withReversal(), when: reportReversal('open'), gives: 'unchanged' },
    {
      name: 'that is open, of another amount',
      given: withReversal(),
      when: reportReversal('open', { amount: 300 }),
      gives: { ...wholly, events: ['checkout.updated'], reversals: ['open 300'] },
    },
    ...(['lost', 'won'] as const).flatMap((was) =>
      (['open', 'lost', 'won'] as const).map((said) => ({
        name: `that is ${said}, too late: it is ${was}`,
        given: withReversal({ status: was }),
        when: reportReversal(said, { amount: 300 }),
        gives: 'unchanged' as const,
      })),
    ),
    {
      name: 'that is a refund at the provider, which fails once its money is gone',
      given: withReversal({ kind: 'return', status: 'lost' }),
      when: reportReversal('won', { kind: 'return' }),
      gives: { ...wholly, events: ['reversal.won'], reversals: ['won 400'] },
    },
    ...(['open', 'lost'] as const).map((said) => ({
      name: `that is a return, and ${said}, too late: it is lost`,
      given: withReversal({ kind: 'return', status: 'lost' }),
      when: reportReversal(said, { kind: 'return', amount: 300 }),
      gives: 'unchanged' as const,
    })),
    ...(['open', 'lost', 'won'] as const).map((said) => ({
      name: `that is a return, and ${said}, too late: it is won`,
      given: withReversal({ kind: 'return', status: 'won' }),
      when: reportReversal(said, { kind: 'return', amount: 300 }),
      gives: 'unchanged' as const,
    })),
  ]);

  test('that is a refund at the provider leaves its money to be refunded once it has failed', () => {
    const lost = withReversal({ kind: 'return', status: 'lost' });
    assert.equal(decide(lost, createRefund(601)).kind, 'refusal');
    const won = after(lost, reportReversal('won', { kind: 'return' }));
    assert.deepEqual(
      movementsOf(won).map(({ type, amount }) => `${type} ${amount}`),
      ['payment 1000'],
    );
    assert.equal(after(won, createRefund(1000)).refunds.length, 1);
  });

  test('has what its rail said of it', () => {
    const command = reportReversal('lost', { kind: 'return', reference: 'ret_1', reason: 'AC04' });
    assert.deepEqual(after(paidUp, command).reversals, [
      {
        kind: 'return',
        rail: 'sandbox',
        reference: 'ret_1',
        attempt: 'pat_a',
        amount: 400,
        reason: 'AC04',
        status: 'lost',
        createdAt: NOW,
      },
    ]);
  });

  test('keeps its time and its attempt when it is decided', () => {
    const decided = after(withReversal(), reportReversal('lost', { amount: 350, reason: 'No answer.' }));
    assert.deepEqual(decided.reversals, [
      reversal(350, { status: 'lost', reason: 'No answer.', createdAt: T }),
    ]);
  });

  test('is told as itself', () => {
    const decision = decide(withReversal({ reference: 'dp_earlier' }), reportReversal('won'));
    assert.ok(decision.kind === 'change');
    assert.deepEqual(
      decision.events.map(({ type, reversal }) => [type, reversal?.reference]),
      [['reversal.won', 'dp_a']],
    );
  });

  test('is one of a hundred at most', () => {
    const many = Array.from({ length: MAX_REFUNDS }, (_, n) => reversal(1, { reference: `dp_${n}` }));
    const session = checkout({ ...paidUp, reversals: many });
    const decision = decide(session, reportReversal('open'));
    assert.equal(decision.kind === 'refusal' && decision.reason, 'not_refundable');
    // A known reversal can still be decided.
    const decided = after(session, reportReversal('lost', { reference: 'dp_7', amount: 1 }));
    assert.equal(decided.reversals[7]?.status, 'lost');
  });
});

suite('paid never goes back', () => {
  const refundAll = createRefund(1000, { id: 'rfd_a' });
  const rows = [
    { name: 'when all of it is refunded', commands: [refundAll] },
    { name: 'when all of it is disputed', commands: [reportReversal('open', { amount: 1000 })] },
    { name: 'when all of it is lost', commands: [reportReversal('lost', { amount: 1000 })] },
    { name: 'when more is taken back', commands: [refundAll, reportReversal('lost', { amount: 1000 })] },
  ];
  for (const { name, commands } of rows) {
    test(name, () => {
      for (const lifecycle of [completed, expiredByTime]) {
        const last = play(checkout({ ...paidUp, lifecycle }), ...commands);
        assert.equal(paymentStatusOf(last), 'paid');
        assert.equal(amountPaid(last), 1000);
        assert.deepEqual(last.lifecycle, lifecycle);
        assert.deepEqual(last.attempts, paidUp.attempts);
      }
    });
  }
});
