/**
 * Refunds settled by a person because no rail reports on them: a pending one ends, once, and nothing else
 * changes.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decide } from '../../src/checkout/decide.ts';
import { after, attempt, checkout, completed, payment, play, table } from './build.ts';
import { createRefund, refund, reportRefund, settleRefund } from './build-refunds.ts';

/** Completed by one attempt that has brought 1000. */
const paidUp = checkout({
  lifecycle: completed,
  attempts: [attempt('succeeded')],
  payments: [payment(1000, { attempt: 'pat_a' })],
});
const wholly = { is: 'completed paid', paid: 1000, attempts: ['succeeded'] } as const;
const pending = checkout({ ...paidUp, refunds: [refund(400)] });
const succeeded = checkout({ ...paidUp, refunds: [refund(400, { status: 'succeeded', reference: 're_1' })] });
const failed = checkout({ ...paidUp, refunds: [refund(400, { status: 'failed', failure: 'Closed.' })] });

suite('what a person says of a refund', () => {
  const settled = { refused: 'refund_settled' } as const;
  table([
    {
      name: 'it was paid in another way',
      given: pending,
      when: settleRefund('succeeded'),
      gives: { ...wholly, events: ['refund.succeeded'], refunds: ['succeeded 400'] },
    },
    {
      name: 'it will not be paid',
      given: pending,
      when: settleRefund('failed'),
      gives: { ...wholly, events: ['refund.failed'], refunds: ['failed 400'] },
    },
    {
      name: 'something of one that is not there',
      given: pending,
      when: settleRefund('failed', { refund: 'rfd_z' }),
      gives: { refused: 'not_found' },
    },
    // A rail may take back what it has said; a person is asked to look first.
    { name: 'it fails after all', given: succeeded, when: settleRefund('failed'), gives: settled },
    { name: 'it succeeds again', given: succeeded, when: settleRefund('succeeded'), gives: settled },
    { name: 'it succeeds after all', given: failed, when: settleRefund('succeeded'), gives: settled },
    { name: 'it fails again', given: failed, when: settleRefund('failed'), gives: settled },
  ]);

  test('why is kept: of a failure as its description, else as the reference', () => {
    const reasonOf = (...given: Parameters<typeof settleRefund>) => {
      const { reference, failure } = after(pending, settleRefund(...given)).refunds[0] ?? {};
      return { reference, failure };
    };
    assert.deepEqual(reasonOf('failed', { reason: 'Closed.' }), { reference: '', failure: 'Closed.' });
    assert.deepEqual(reasonOf('failed'), { reference: '', failure: 'It was withdrawn.' });
    assert.deepEqual(reasonOf('succeeded', { reason: 'In cash.' }), { reference: 'In cash.', failure: '' });
    assert.deepEqual(reasonOf('succeeded'), { reference: '', failure: '' });
  });

  test('one that will not be paid gives its amount free again', () => {
    const full = after(paidUp, createRefund(1000, { id: 'rfd_a' }));
    assert.equal(decide(full, createRefund(1)).kind, 'refusal');
    const again = play(full, settleRefund('failed'), createRefund(1000));
    assert.deepEqual(
      again.refunds.map(({ id, status }) => `${id} ${status}`),
      ['rfd_a failed', 'rfd_new pending'],
    );
    const paid = after(full, settleRefund('succeeded'));
    assert.equal(decide(paid, createRefund(1)).kind, 'refusal');
  });

  test('the bank may still say that what was paid came back', () => {
    const back = play(pending, settleRefund('succeeded'), reportRefund('failed', { failure: 'AC04' }));
    assert.deepEqual([back.refunds[0]?.status, back.refunds[0]?.failure], ['failed', 'AC04']);
  });
});
