/** Rails repeat and overtake each other: two facts leave the same behind, whichever is heard of first, and how often. */
import assert from 'node:assert/strict';
import type { CheckoutCommand } from '../../../src/checkout/commands.ts';
import { decide } from '../../../src/checkout/decide.ts';
import type { AttemptStatus, Checkout } from '../../../src/checkout/session.ts';
import { NOW } from '../build.ts';
import { type Bound, returnsExcess } from './bound.ts';
import { sum } from './oracle.ts';

/**
 * Every pair of facts about this session in both orders, and each of them twice. They come at one time before the
 * expiry: what ends in between is over, and what comes then is late.
 */
export function checkOrder(session: Checkout, bound: Bound): void {
  const facts = factsOf(session, bound);
  const alone = facts.map((fact) => heard(session, fact));
  for (const [n, one] of facts.entries()) {
    const first = alone[n];
    if (first === undefined) continue;
    assert.deepEqual(settled(heard(first, one)), settled(first), `twice: ${JSON.stringify(one)}`);
    for (const [m, other] of facts.entries()) {
      const second = alone[m];
      if (m <= n || second === undefined) continue;
      const oneThenOther = settled(heard(first, other));
      const otherThenOne = settled(heard(second, one));
      if (oneThenOther !== otherThenOne) {
        assert.equal(
          oneThenOther,
          otherThenOne,
          `in another order: ${JSON.stringify(one)} and ${JSON.stringify(other)}`,
        );
      }
    }
  }
}

function heard(session: Checkout, fact: CheckoutCommand): Checkout {
  const decision = decide(session, fact);
  assert.ok(decision.kind !== 'refusal', `refused: ${JSON.stringify(fact)}`);
  return decision.checkout;
}

/** Facts that can all be true, about what the session knows. */
function factsOf(session: Checkout, bound: Bound): CheckoutCommand[] {
  const facts: CheckoutCommand[] = [];
  for (const attempt of session.attempts) facts.push(...factsOfAttempt(attempt, bound));
  // The automatic refund depends on what had gone back by then.
  if (returnsExcess(session)) return session.reversals.length > 0 ? [] : facts;
  for (const { id } of session.refunds) {
    for (const status of ['pending', 'succeeded', 'failed'] as const) {
      const [reference, failure] = [`re_${id}`, status === 'failed' ? 'Closed.' : ''];
      facts.push({
        type: 'report_refund',
        now: NOW,
        refund: id,
        status,
        reference,
        failure,
        syncAt: NOW + 1,
      });
    }
  }
  for (const { id, rail } of session.attempts) {
    const given = { rail, reference: `rev_${id}`, attempt: id, amount: 1, reason: 'Fraud.' } as const;
    // Only a return can be lost and won: a refund at the provider that fails.
    const kind = id === 'pat_1' ? 'dispute' : 'return';
    const said = ['open', 'lost', ...(kind === 'return' ? (['won'] as const) : [])] as const;
    for (const status of said) facts.push({ type: 'report_reversal', now: NOW, ...given, kind, status });
  }
  return facts;
}

/**
 * Statuses without `unknown`, which keeps an attempt from being cancelled when another one pays the session,
 * and comes too late afterwards. That is no knowledge which could get lost: the rail is asked until it knows.
 */
const statuses: readonly AttemptStatus[] = [
  'requires_action',
  'cancelled',
  'processing',
  'failed',
  'succeeded',
];

function factsOfAttempt(
  { id, rail, reference }: Checkout['attempts'][number],
  bound: Bound,
): CheckoutCommand[] {
  const given = {
    type: 'report',
    now: NOW,
    rail,
    reference,
    details: null,
    unknownAttempt: { id: 'pat_other', method: null },
  } as const;
  const said = statuses.map((status) => {
    const [reason, refundId] = [status === 'failed' ? 'Declined.' : '', 'rfd_none'] as const;
    return { ...given, status, reason, syncAt: NOW + statuses.indexOf(status), payment: null, refundId };
  });
  const brought = Array.from({ length: bound.money }, (_, less) => {
    const payment = { reference: `pay_${id}_${less}`, amount: less + 1 };
    const refundId = `rfd_${id}_${less}` as const;
    return { ...given, status: 'succeeded', reason: '', syncAt: null, payment, refundId } as const;
  });
  return [...said, ...brought];
}

/**
 * The facts that must not depend on the order: all but dates, counters, lateness, and which refund sends
 * money back.
 */
function settled(session: Checkout): string {
  const { amount, expiresAt, lifecycle, attempts, payments, refunds, reversals } = session;
  let text = `${amount} ${expiresAt} ${lifecycle.state}`;
  for (const { id, status, reason, syncAt } of attempts) text += `|${id} ${status} ${reason} ${syncAt}`;
  text += sorted(payments, ({ reference, attempt, amount }) => `${reference} ${attempt} ${amount}`);
  if (returnsExcess(session)) text += `-${sum(refunds)}`;
  else for (const { createdAt: _, ...each } of refunds) text += JSON.stringify(each);
  return (
    text +
    sorted(reversals, ({ attempt, status, amount, reason }) => `${attempt} ${status} ${amount} ${reason}`)
  );
}

/** The same for parts in whatever order. */
function sorted<Part>(parts: readonly Part[], textOf: (part: Part) => string): string {
  return `/${parts.length > 1 ? parts.map(textOf).sort().join() : parts.map(textOf)}`;
}
