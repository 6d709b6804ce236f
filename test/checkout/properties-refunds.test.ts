/** Properties of refunds under every sequence of commands: see `sequences.ts`. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { type Checkout, knowledgeOf, refundStatuses } from '../../src/checkout/session.ts';
import { amountPaid, paymentStatusOf } from '../../src/checkout/statuses.ts';
import { always, attemptOf, RUNS, run, someCreate, steps } from './sequences.ts';

type Part = { readonly attempt: string; readonly amount: number };

const sum = (parts: readonly Part[]) => parts.reduce((total, { amount }) => total + amount, 0);
const of = <Kind extends Part>(parts: readonly Kind[], attempt: string) =>
  parts.filter((part) => part.attempt === attempt);

/** Money that has gone back or may yet, reckoned from the parts themselves. */
const gone = ({ refunds, reversals }: Checkout): Part[] => [
  ...refunds.filter(({ status }) => status !== 'failed'),
  ...reversals.filter(({ status }) => status !== 'won'),
];

suite('under every sequence of commands', () => {
  always('no refund is of more than its attempt has brought and not given back', ({ before, after }) => {
    for (const refund of after.refunds.slice(before.refunds.length)) {
      assert.ok(Number.isSafeInteger(refund.amount) && refund.amount > 0);
      const { attempt } = refund;
      assert.ok(sum(of(gone(after), attempt)) <= sum(of(after.payments, attempt)));
      assert.equal(after.attempts.find(({ id }) => id === attempt)?.rail, refund.rail);
      assert.equal(refund.status, 'pending');
      assert.notEqual(refund.syncAt, null, 'its rail is asked');
    }
  });

  always('as much as one attempt has left can be refunded', ({ before, command, decision }) => {
    if (command.type !== 'create_refund' || decision.kind !== 'refusal') return;
    const attempts = before.attempts.filter(({ id }) => command.attempt === null || id === command.attempt);
    const left = attempts.map(({ id }) => sum(of(before.payments, id)) - sum(of(gone(before), id)));
    const asked = command.amount;
    assert.ok(asked !== null && left.every((amount) => amount < asked));
  });

  always('only a merchant or too much money makes a refund, and each of them one', (seen) => {
    const { before, command, after } = seen;
    const made = after.refunds.slice(before.refunds.length);
    if (made.length === 0) return;
    assert.equal(made.length, 1);
    if (command.type === 'create_refund') assert.equal(made[0]?.id, command.id);
    else {
      assert.equal(command.type === 'report' && command.refundId, made[0]?.id);
      assert.equal(before.policy.excess, 'refund');
      assert.equal(after.payments.length, before.payments.length + 1);
      const line = after.payments.at(-1);
      assert.equal(made[0]?.attempt, line?.attempt);
      assert.ok(sum(made) <= Math.min(line?.amount ?? 0, amountPaid(after) - after.amount));
      // The merchant still has the amount when what is too much has gone.
      assert.ok(amountPaid(after) - sum(gone(after)) >= after.amount);
    }
  });

  test('all that is too much goes back, where that is said and nothing else has gone back', () => {
    fc.assert(
      fc.property(someCreate, steps, (first, steps) => {
        const only = steps.filter(({ command }) => typeof command !== 'function');
        const policy = { ...first.policy, excess: 'refund' } as const;
        run({ ...first, policy }, only, ({ before, after }) => {
          if (before.amount !== after.amount) return;
          const excess = (session: Checkout) => Math.max(0, amountPaid(session) - session.amount);
          const grown = excess(after) - excess(before);
          assert.equal(sum(after.refunds) - sum(before.refunds), grown);
        });
      }),
      RUNS,
    );
  });

  always('refunds and reversals are only added, keep their terms, and go only forward', (seen) => {
    const { before, after } = seen;
    for (const [n, old] of before.refunds.entries()) {
      const { status, reference, failure: _failure, syncAt: _syncAt, ...terms } = old;
      const now = after.refunds[n];
      assert.partialDeepStrictEqual(now, terms);
      assert.ok(now && refundStatuses.indexOf(now.status) >= refundStatuses.indexOf(status));
      if (reference !== '') assert.notEqual(now.reference, '');
      if (now.status !== 'pending') assert.equal(now.syncAt, null);
    }
    for (const [n, old] of before.reversals.entries()) {
      const { status, amount: _amount, reason: _reason, ...terms } = old;
      assert.partialDeepStrictEqual(after.reversals[n], terms);
      const hasFailed = `${old.kind} ${status} ${after.reversals[n]?.status}` === 'return lost won';
      if (status !== 'open' && !hasFailed) assert.equal(after.reversals[n], old);
    }
    const names = after.reversals.map(({ rail, reference }) => `${rail} ${reference}`);
    assert.equal(new Set(names).size, names.length);
  });

  always('what goes back takes nothing from what was paid', ({ before, command, after }) => {
    if (!/refund|reversal/.test(command.type)) return;
    assert.equal(after.payments, before.payments);
    const isPaid = (session: Checkout) => paymentStatusOf(session) === 'paid';
    assert.equal(isPaid(after), isPaid(before));
  });

  test('each refund and each reversal is told, once for each thing that becomes of it', () => {
    fc.assert(
      fc.property(someCreate, steps, (first, steps) => {
        const told: string[] = [];
        const expected: string[] = [];
        run(first, steps, ({ before, decision, after }) => {
          if (decision.kind !== 'change') return;
          for (const { type, refund, reversal } of decision.events) {
            if (refund) told.push(`${type} ${refund.id} ${after.refunds.indexOf(refund)}`);
            if (reversal) told.push(`${type} ${after.reversals.indexOf(reversal)}`);
          }
          for (const [n, { id, status }] of after.refunds.entries()) {
            if (status !== before.refunds[n]?.status) expected.push(`refund.${status} ${id} ${n}`);
          }
          for (const [n, { status }] of after.reversals.entries()) {
            if (status !== before.reversals[n]?.status) expected.push(`reversal.${status} ${n}`);
          }
        });
        assert.deepEqual(told, expected);
        assert.equal(new Set(told).size, told.length);
      }),
      RUNS,
    );
  });

  always('a rail that has to be told of a cancelling stays due until it has been', (seen) => {
    const { before, command, after } = seen;
    for (const [n, { status, traits, rail, reference, syncAt }] of after.attempts.entries()) {
      const old = before.attempts[n];
      if (status !== 'cancelled' || !traits.toldOfCancel || old === undefined) continue;
      const isReported = command.type === 'report' && attemptOf(before, command) === old;
      const isTold = isReported && command.rail === rail && command.reference === reference;
      if (old.status === 'requires_action' && !isTold) assert.equal(syncAt, command.now);
      if (old.status !== 'cancelled') continue;
      if (!isReported || knowledgeOf(command.status) < knowledgeOf('cancelled')) {
        assert.equal(syncAt, old.syncAt);
      }
    }
  });
});
