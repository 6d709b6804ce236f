/** Movements of money, which follow from sessions. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { movementsOf } from '../../src/checkout/movements.ts';
import { type Checkout, refundStatuses } from '../../src/checkout/session.ts';
import { heldOf } from '../../src/checkout/statuses.ts';
import { attempt, checkout, expire, MINUTE, paid, payment, play, report, start, T, update } from './build.ts';
import { refund, reversal } from './build-refunds.ts';
import { always } from './sequences.ts';

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

suite('the fee', () => {
  const both = play(
    checkout(),
    paid(400, { payment: { reference: 'a', amount: 400 } }),
    paid(600, {
      reference: 'ref_b',
      payment: { reference: 'b', amount: 600, fee: { amount: 30, currency: 'EUR' } },
    }),
  );

  test('stands with the payment that it was kept of, in its own currency', () => {
    assert.deepEqual(
      movementsOf({ ...both, refunds: [refund(100)], reversals: [reversal(300)] }).map(
        ({ reference, currency, fee, feeCurrency }) => [reference, currency, fee, feeCurrency],
      ),
      [
        ['a', 'USD', null, null],
        ['b', 'USD', 30, 'EUR'],
        ['rfd_a', 'USD', null, null],
        ['dp_a', 'USD', null, null],
      ],
    );
  });

  test('takes nothing from the amount', () => {
    const without = { ...both, fees: [] };
    assert.deepEqual(
      movementsOf(both).map(({ amount }) => amount),
      movementsOf(without).map(({ amount }) => amount),
    );
  });

  always('is that of every payment of which one was told, and of no other movement', ({ after }) => {
    const known = movementsOf(after).filter(({ fee }) => fee !== null);
    assert.deepEqual(
      known
        .map(({ rail, reference, fee, feeCurrency }) => ({
          rail,
          reference,
          amount: fee,
          currency: feeCurrency,
        }))
        .sort(byReference),
      [...after.fees].sort(byReference),
    );
    assert.ok(known.every(({ type }) => type === 'payment'));
  });
});

const byReference = (
  one: { readonly rail: string; readonly reference: string },
  other: { readonly rail: string; readonly reference: string },
) => (`${one.rail} ${one.reference}` < `${other.rail} ${other.reference}` ? -1 : 1);

suite('the time to pay', () => {
  const timesOf = (session: Checkout) => movementsOf(session).map(({ timeToPayMs }) => timeToPayMs);

  test('is that of the payment that completed the session, and of no other movement', () => {
    const session = play(
      checkout(),
      paid(400, { now: T + 1000, payment: { reference: 'a', amount: 400 } }),
      paid(600, { now: T + 5000, reference: 'ref_b', payment: { reference: 'b', amount: 600 } }),
      paid(50, { now: T + 6000, reference: 'ref_c', payment: { reference: 'c', amount: 50 } }),
    );
    assert.deepEqual(timesOf(session), [null, 5000, null]);
    const returned = { ...session, refunds: [refund(100)], reversals: [reversal(300)] };
    assert.deepEqual(timesOf(returned), [null, 5000, null, null, null]);
  });

  test('is there for the last part of an amount with a tolerance, and for an attempt that was given up', () => {
    const policy = {
      ...checkout().policy,
      underpaymentToleranceBasisPoints: 1000,
      underpaymentToleranceAtMost: 100,
    };
    assert.deepEqual(timesOf(play(checkout({ policy }), paid(900, { now: T + 7 }))), [7]);
    const late = play(
      checkout(),
      start({ reference: 'ref_a', now: T }),
      report('failed', { now: T + 1 }),
      paid(1000, { now: T + 2 * MINUTE }),
    );
    assert.equal(late.payments[0]?.late, true);
    assert.deepEqual(timesOf(late), [2 * MINUTE]);
  });

  test('is that of no payment of a session that is not completed, or that was over before it was paid', () => {
    assert.deepEqual(timesOf(play(checkout(), paid(999))), [null]);
    assert.deepEqual(timesOf(play(checkout(), expire(), paid(1000))), [null]);
  });

  test('counts from the creation, whatever has become of the amount since', () => {
    const items = [{ name: 'Widget', quantity: 1, unitPrice: 300 }];
    const session = play(checkout(), update({ now: T + 10, items }), paid(300, { now: T + 20 }));
    assert.deepEqual(timesOf(session), [20]);
  });

  test('is never negative, though a clock was put back', () => {
    assert.deepEqual(timesOf(play(checkout(), paid(1000, { now: T - 1 }))), [0]);
  });

  always('is there once for every completed session, and for no other', ({ after }) => {
    const { lifecycle, createdAt } = after;
    const times = movementsOf(after).filter(({ timeToPayMs }) => timeToPayMs !== null);
    assert.deepEqual(
      times.map((each) => [each.type, each.createdAt, each.timeToPayMs]),
      lifecycle.state === 'completed' ? [['payment', lifecycle.at, lifecycle.at - createdAt]] : [],
    );
  });

  test('does not depend on the order of the payments', () => {
    const few = fc.constantFrom('a', 'b', 'c');
    const line = fc.record({
      rail: few,
      reference: few,
      amount: fc.integer({ min: 1, max: 1000 }),
      bookedAt: fc.integer({ min: T, max: T + 2 }),
    });
    const selector = ({ rail, reference }: { rail: string; reference: string }) => `${rail} ${reference}`;
    const ledger = fc.uniqueArray(line, { minLength: 1, selector });
    fc.assert(
      fc.property(
        ledger.chain((lines) =>
          fc.tuple(
            fc.constant(lines),
            fc.shuffledSubarray(lines, { minLength: lines.length }),
            fc.nat(lines.length - 1),
          ),
        ),
        ([lines, mixed, nth]) => {
          const at = lines[nth]?.bookedAt ?? T;
          const rowsOf = (given: typeof lines) =>
            movementsOf(
              checkout({
                lifecycle: { state: 'completed', at },
                payments: given.map(({ amount, ...each }) => payment(amount, each)),
              }),
            ).sort((one, other) => (one.id < other.id ? -1 : 1));
          const rows = rowsOf(lines);
          assert.deepEqual(rowsOf(mixed), rows);
          assert.deepEqual(
            rows.flatMap(({ timeToPayMs }) => (timeToPayMs === null ? [] : [timeToPayMs])),
            [at - T],
          );
        },
      ),
    );
  });
});
