/** Movements of money, which follow from sessions. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { movementsOf } from '../../src/checkout/movements.ts';
import { heldOf, refundStatuses } from '../../src/checkout/session.ts';
import { attempt, checkout, payment, T } from './build.ts';
import { refund, reversal } from './build-refunds.ts';

suite('movements of money', () => {
  test('are the payments, the refunds that have not failed, and the reversals that are not won', () => {
    const session = checkout({
      payments: [payment(600, { bookedAt: T, late: true })],
      refunds: [refund(100, { createdAt: T + 1 }), refund(200, { id: 'rfd_b', status: 'failed' })],
      reversals: [
        reversal(300, { createdAt: T + 2, status: 'lost' }),
        reversal(400, { reference: 'dp_b', status: 'won' }),
      ],
    });
    const [paid, back, taken, ...others] = movementsOf(session);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [paid, back, taken].map((each) => [
        each?.type,
        each?.amount,
        each?.createdAt,
        each?.late,
        each?.currency,
      ]),
      [
        ['payment', 600, T, true, 'USD'],
        ['refund', 100, T + 1, false, 'USD'],
        ['reversal', 300, T + 2, false, 'USD'],
      ],
    );
    assert.equal(back?.reference, 'rfd_a');
  });

  test('have the same ids each time, in the order of time, and no two the same one', () => {
    const session = checkout({
      payments: [payment(600, { reference: 'x' }), payment(600, { reference: 'y' })],
      reversals: [reversal(300, { reference: 'x' }), reversal(300, { reference: 'x', rail: 'bank' })],
    });
    const ids = movementsOf(session).map(({ id }) => id);
    assert.deepEqual(
      movementsOf({ ...session }).map(({ id }) => id),
      ids,
    );
    assert.equal(new Set(ids).size, 4);
    for (const id of ids) assert.match(id, /^mov_[0-9a-z]{26}$/);
    const later = checkout({ payments: [payment(600, { bookedAt: T + 1 })] });
    assert.ok(ids.every((id) => id < `${movementsOf(later)[0]?.id}`));
  });

  test('come to what the attempts hold', () => {
    const amount = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(
        fc.array(amount, { maxLength: 5 }),
        fc.array(fc.tuple(amount, fc.constantFrom(...refundStatuses)), { maxLength: 5 }),
        fc.array(fc.tuple(amount, fc.constantFrom('open', 'lost', 'won')), { maxLength: 5 }),
        (paid, back, taken) => {
          const session = checkout({
            attempts: [attempt('succeeded')],
            payments: paid.map((each, n) => payment(each, { reference: `${n}`, attempt: 'pat_a' })),
            refunds: back.map(([each, status], n) => refund(each, { id: `rfd_${n}`, status })),
            reversals: taken.map(([each, status], n) => reversal(each, { reference: `dp_${n}`, status })),
          });
          const held = movementsOf(session).reduce(
            (sum, { type, amount }) => sum + (type === 'payment' ? amount : -amount),
            0,
          );
          assert.equal(held, heldOf(session, 'pat_a'));
        },
      ),
    );
  });
});
