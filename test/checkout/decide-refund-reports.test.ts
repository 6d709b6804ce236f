/** Reports of rails on refunds: they only move a refund forward, and each step is told once. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../src/checkout/decide.ts';
import { after, attempt, checkout, completed, NOW, payment, play, T, table } from './build.ts';
import { createRefund, refund, reportRefund } from './build-refunds.ts';

/** Completed by one attempt that has brought 1000. */
const paidUp = checkout({
  lifecycle: completed,
  attempts: [attempt('succeeded')],
  payments: [payment(1000, { attempt: 'pat_a' })],
});
const wholly = { is: 'completed paid', paid: 1000, attempts: ['succeeded'] } as const;

suite('what a rail says of a refund', () => {
  const pending = checkout({ ...paidUp, refunds: [refund(400, { syncAt: T })] });
  const succeeded = checkout({ ...paidUp, refunds: [refund(400, { status: 'succeeded' })] });
  const failed = checkout({ ...paidUp, refunds: [refund(400, { status: 'failed', failure: 'Closed.' })] });
  const becomes = (status: string, event: 'refund.succeeded' | 'refund.failed' | 'checkout.updated') => ({
    ...wholly,
    events: [event],
    refunds: [`${status} 400`],
  });
  table([
    {
      name: 'it succeeds',
      given: pending,
      when: reportRefund('succeeded'),
      gives: becomes('succeeded', 'refund.succeeded'),
    },
    {
      name: 'it fails',
      given: pending,
      when: reportRefund('failed'),
      gives: becomes('failed', 'refund.failed'),
    },
    {
      name: 'it fails after it has succeeded: the bank of the payer sends it back',
      given: succeeded,
      when: reportRefund('failed'),
      gives: becomes('failed', 'refund.failed'),
    },
    { name: 'it succeeds again', given: succeeded, when: reportRefund('succeeded'), gives: 'unchanged' },
    { name: 'it fails again', given: failed, when: reportRefund('failed'), gives: 'unchanged' },
    { name: 'it is pending, too late', given: succeeded, when: reportRefund('pending'), gives: 'unchanged' },
    { name: 'it succeeds, too late', given: failed, when: reportRefund('succeeded'), gives: 'unchanged' },
    {
      name: 'it is pending and has an id there',
      given: pending,
      when: reportRefund('pending', { reference: 're_1', syncAt: T }),
      gives: becomes('pending', 'checkout.updated'),
    },
    {
      name: 'its id there, too late for its state',
      given: succeeded,
      when: reportRefund('pending', { reference: 're_1', syncAt: NOW }),
      gives: becomes('succeeded', 'checkout.updated'),
    },
    {
      name: 'something of one that is not there',
      given: pending,
      when: reportRefund('succeeded', { refund: 'rfd_z' }),
      gives: { refused: 'not_found' },
    },
  ]);

  test('a new time to ask is kept, and is no change for anybody else', () => {
    const decision = decide(pending, reportRefund('pending', { syncAt: NOW + 1 }));
    assert.equal(decision.kind, 'change');
    const { checkout: next, events } = decision as Extract<typeof decision, { kind: 'change' }>;
    assert.equal(next.refunds[0]?.syncAt, NOW + 1);
    assert.deepEqual([events, next.version], [[], pending.version]);
  });

  test('the payment file that it went out in is told once, and stays whatever becomes of it', () => {
    const filed = decide(pending, reportRefund('pending', { paymentFile: 'bfl_1' }));
    assert.equal(filed.kind, 'change');
    const { checkout: next, events } = filed as Extract<typeof filed, { kind: 'change' }>;
    assert.deepEqual(
      events.map(({ type }) => type),
      ['checkout.updated'],
    );
    assert.deepEqual([next.refunds[0]?.paymentFile, next.refunds[0]?.reference], ['bfl_1', '']);
    assert.equal(decide(next, reportRefund('pending', { paymentFile: 'bfl_2', syncAt: T })).kind, 'change');
    const last = play(
      next,
      reportRefund('pending', { paymentFile: 'bfl_2' }),
      reportRefund('succeeded', { reference: 'BANK-1', bankEntry: 'ntc_1' }),
      reportRefund('failed', { failure: 'Closed.', bankEntry: 'ntc_2' }),
    );
    const { paymentFile, bankEntries, reference, failure } = last.refunds[0] ?? {};
    assert.deepEqual(
      [paymentFile, bankEntries, reference, failure],
      ['bfl_1', ['ntc_1', 'ntc_2'], 'BANK-1', 'Closed.'],
    );
  });

  test('a bank entry that brings nothing new has not moved it', () => {
    const again = play(
      pending,
      reportRefund('failed', { bankEntry: 'ntc_1' }),
      reportRefund('failed', { bankEntry: 'ntc_2', reference: 're_1' }),
      reportRefund('succeeded', { bankEntry: 'ntc_3' }),
    );
    assert.deepEqual(again.refunds[0]?.bankEntries, ['ntc_1']);
    assert.equal(again.refunds[0]?.paymentFile, undefined);
  });

  test('there is nothing to ask about one that is over', () => {
    for (const status of ['succeeded', 'failed'] as const) {
      assert.equal(after(pending, reportRefund(status, { syncAt: NOW + 1 })).refunds[0]?.syncAt, null);
    }
  });

  test('why it failed is kept, and the id that it has there', () => {
    const last = play(
      pending,
      reportRefund('succeeded'),
      reportRefund('failed', { failure: 'The account is closed.' }),
      // The first to say what it is called there says nothing of why.
      reportRefund('failed', { failure: '', reference: 're_1' }),
      reportRefund('pending', { reference: 're_other' }),
    );
    const { status, failure, reference } = last.refunds[0] ?? {};
    assert.deepEqual(
      { status, failure, reference },
      { status: 'failed', failure: 'The account is closed.', reference: 're_1' },
    );
  });

  test('the id that it has there is kept by what does not name it', () => {
    const named = after(pending, reportRefund('pending', { reference: 're_1' }));
    for (const status of ['pending', 'succeeded', 'failed'] as const) {
      assert.equal(play(named, reportRefund(status)).refunds[0]?.reference, 're_1');
    }
  });

  test('of several only the one that is meant moves', () => {
    const session = checkout({
      ...paidUp,
      refunds: [refund(1), refund(2, { id: 'rfd_b' }), refund(3, { id: 'rfd_c' })],
    });
    const decision = decide(session, reportRefund('succeeded', { refund: 'rfd_b' }));
    assert.ok(decision.kind === 'change');
    assert.deepEqual(
      decision.checkout.refunds.map(({ status }) => status),
      ['pending', 'succeeded', 'pending'],
    );
    assert.deepEqual(
      decision.events.map(({ type, refund }) => [type, refund?.id]),
      [['refund.succeeded', 'rfd_b']],
    );
  });

  test('what has failed can be refunded again, and that is told as another refund', () => {
    const full = after(paidUp, createRefund(1000, { id: 'rfd_a' }));
    assert.equal(decide(full, createRefund(1)).kind, 'refusal');
    const again = play(full, reportRefund('failed'), createRefund(1000));
    assert.deepEqual(
      again.refunds.map(({ id, status }) => `${id} ${status}`),
      ['rfd_a failed', 'rfd_new pending'],
    );
  });
});
