/** Invariants of every session and every decision, whatever the command. Written from the contract. */
import assert from 'node:assert/strict';
import type { CheckoutCommand } from '../../../src/checkout/commands.ts';
import type { Decision } from '../../../src/checkout/decide.ts';
import type { Attempt, Checkout } from '../../../src/checkout/session.ts';
import {
  amountDue,
  amountPaid,
  amountRefunded,
  dueAt,
  endsAt,
  isPaidInExcess,
  isPartiallyPaid,
  payinStatusOf,
  paymentStatusOf,
  refundableOf,
  statusOf,
} from '../../../src/checkout/statuses.ts';
import { enoughFor, graceOf } from './bound.ts';
import { type Sketch, sum } from './oracle.ts';

const plainFields = ['amount', 'expiresAt', 'policy', 'items', 'methods', 'id', 'token'] as const;
const parts = ['attempts', 'payments', 'refunds', 'reversals'] as const;

/** The field in which a session is another one than the oracle has, or null. */
export function differenceOf(session: Checkout, expected: Sketch) {
  for (const field of plainFields) if (session[field] !== expected[field]) return field;
  for (const field of ['metadata', 'lifecycle'] as const) {
    if (session[field] !== expected[field] && !equal(session[field], expected[field])) return field;
  }
  return parts.find((each) => !equalAll(session[each], expected[each])) ?? null;
}

function equalAll(one: readonly object[], other: readonly object[]): boolean {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let n = 0; n < one.length; n++) {
    const [mine, yours] = [one[n], other[n]];
    if (mine !== yours && !(mine !== undefined && equal(mine, yours))) return false;
  }
  return true;
}

/** Equal fields; what they hold is plain, or small enough to be compared as JSON. */
function equal(one: object, other: object | undefined): boolean {
  if (other === undefined) return false;
  const fields = Object.keys(one) as (keyof typeof one)[];
  if (fields.length !== Object.keys(other).length) return false;
  for (const field of fields) {
    const mine: unknown = one[field];
    const yours: unknown = other[field];
    if (mine === yours) continue;
    if (typeof mine !== 'object' || JSON.stringify(mine) !== JSON.stringify(yours)) return false;
  }
  return true;
}

/** Invariants of every change. */
export function checkChange(
  before: Checkout,
  command: CheckoutCommand,
  decision: Decision & { kind: 'change' },
): void {
  const { checkout: after, events } = decision;
  const isSeen = isVisible(before, after);
  assert.ok(
    after.version === before.version + (isSeen ? 1 : 0),
    'the version counts each change that can be seen',
  );
  assert.ok(after.eventCount === before.eventCount + events.length, 'events are numbered');
  const told = events.map(({ type }) => type);
  const due = expectedEvents(before, after);
  if (told.length !== due.length || told.some((type, n) => type !== due[n]))
    assert.equal(told.sort().join(), due.sort().join(), 'each thing is told once');
  if (isOver(before) && before.lifecycle !== after.lifecycle)
    assert.ok(equal(after.lifecycle, before.lifecycle), 'what is over stays over');
  if (paymentStatusOf(before) === 'paid')
    assert.ok(paymentStatusOf(after) === 'paid', 'paid never goes back');
  // Money is conserved: a line is added for money that is told the first time, and none is ever changed.
  const lines = after.payments.length - before.payments.length;
  assert.ok(lines === 0 || (lines === 1 && command.type === 'report' && command.payment !== null));
  if (after.payments !== before.payments)
    for (const [n, line] of before.payments.entries())
      assert.ok(after.payments[n] === line, 'the ledger only grows');
  for (let n = 0; n < before.attempts.length; n++) keepsTerms(before.attempts[n], after.attempts[n]);
  // More than was paid never goes back, even if an earlier refund fails or is returned.
  if (after.refunds.length === 0) return;
  for (const { id } of after.attempts) {
    const gone = after.refunds.filter((each) => each.attempt === id && each.status !== 'failed');
    assert.ok(sum(gone) <= sum(after.payments.filter((each) => each.attempt === id)), 'refunds ≤ paid');
  }
}

function keepsTerms(old: Attempt | undefined, is: Attempt | undefined): void {
  if (old === is) return;
  assert.ok(
    old?.id === is?.id &&
      old?.rail === is?.rail &&
      old?.reference === is?.reference &&
      old?.amount === is?.amount &&
      old?.version === is?.version &&
      old?.createdAt === is?.createdAt &&
      old?.traits === is?.traits,
    'an attempt keeps its terms',
  );
}

function isOver({ lifecycle }: Checkout): boolean {
  return lifecycle.state !== 'active';
}

/** True if anybody can see the difference: in the session, its payin, a refund or a reversal. */
function isVisible(before: Checkout, after: Checkout): boolean {
  return (
    before.metadata !== after.metadata ||
    before.items !== after.items ||
    before.methods !== after.methods ||
    before.lifecycle !== after.lifecycle ||
    before.payments.length !== after.payments.length ||
    before.attempts.length !== after.attempts.length ||
    before.refunds.length !== after.refunds.length ||
    before.reversals.length !== after.reversals.length ||
    before.attempts.some(({ status }, n) => status !== after.attempts[n]?.status) ||
    before.refunds.some(({ status, reference, paymentFile }, n) => {
      const now = after.refunds[n];
      return status !== now?.status || reference !== now.reference || paymentFile !== now.paymentFile;
    }) ||
    before.reversals.some(({ status, amount }, n) => {
      const now = after.reversals[n];
      return status !== now?.status || amount !== now.amount;
    })
  );
}

/** The events that tell of a change: one for each thing that it did. */
function expectedEvents(before: Checkout, after: Checkout): string[] {
  const events: string[] = [];
  for (const [n, { status }] of after.attempts.entries()) {
    if (n >= before.attempts.length) events.push('payment_attempt.created');
    if (status !== before.attempts[n]?.status && status !== 'unknown')
      events.push(`payment_attempt.${status}`);
  }
  const isMoneyAlone = events.length === 0 && after.payments.length > before.payments.length;
  const isOfTerms = (['items', 'methods', 'metadata'] as const).some((each) => before[each] !== after[each]);
  const paidNow = isPaid(after) && !isPaid(before);
  if (paidNow) events.push('checkout.paid');
  if (after.lifecycle.state === 'expired' && before.lifecycle.state === 'active')
    events.push('checkout.expired');
  for (const parts of ['refunds', 'reversals'] as const) {
    for (const [n, { status }] of after[parts].entries()) {
      if (status !== before[parts][n]?.status) events.push(`${parts.slice(0, -1)}.${status}`);
    }
  }
  if (payinOf(after) !== payinOf(before)) events.push(`payin.${payinOf(after)}`);
  const isUntold = events.length === 0 && isVisible(before, after);
  if (isMoneyAlone || isOfTerms || isUntold) events.push('checkout.updated');
  return events;
}

function isPaid(session: Checkout): boolean {
  return session.amount > 0 && sum(session.payments) >= enoughFor(session);
}

function payinOf(session: Checkout): string {
  const has = (...statuses: readonly string[]) =>
    session.attempts.some(({ status }) => statuses.includes(status));
  if (isPaid(session)) return 'succeeded';
  if (has('processing', 'unknown')) return 'processing';
  if (session.lifecycle.state === 'expired') return 'cancelled';
  return has('requires_action') ? 'requires_action' : 'requires_payment_method';
}

/** Compares the derived facts of a session with the same facts reckoned from its parts. */
export function checkSession(session: Checkout): void {
  const { lifecycle, amount, payments, refunds, reversals, attempts, expiresAt } = session;
  const paid = sum(payments);
  assert.equal(amountPaid(session), paid);
  assert.equal(amountDue(session), Math.max(0, amount - paid));
  assert.equal(isPartiallyPaid(session), paid > 0 && paid < amount);
  assert.equal(isPaidInExcess(session), paid > amount);
  assert.equal(amountRefunded(session), sum(refunds.filter(({ status }) => status === 'succeeded')));
  assert.equal(statusOf(session), lifecycle.state);
  assert.equal(payinStatusOf(session), payinOf(session));
  const endedByTime = lifecycle.state === 'expired' && lifecycle.by === 'time';
  assert.equal(paymentStatusOf(session), isPaid(session) ? 'paid' : endedByTime ? 'expired' : 'unpaid');
  if (lifecycle.state !== 'expired') assert.equal(isPaid(session), lifecycle.state === 'completed');

  const names = payments.map(({ rail, reference }) => `${rail} ${reference}`);
  assert.equal(new Set(names).size, names.length, 'a payment is booked once');
  for (const { id } of attempts) {
    const of = (part: { readonly attempt: string }) => part.attempt === id;
    const back = sum(refunds.filter((each) => of(each) && each.status !== 'failed'));
    const taken = sum(reversals.filter((each) => of(each) && each.status !== 'won'));
    const left = sum(payments.filter(of)) - back - taken;
    assert.equal(refundableOf(session, id), Math.max(0, left));
  }
  const isWaiting = attempts.some(({ status }) => status === 'requires_action');
  assert.ok(!isWaiting || !isOver(session), 'nobody waits for a payer once it is over');
  const live = attempts.filter(({ status, traits }) => status === 'requires_action' && !traits.standing);
  assert.ok(live.length <= 1, 'one attempt at a time waits for the payer');

  const moving = attempts.filter(({ status }) => status === 'processing' || status === 'unknown');
  const grace = Math.max(0, ...moving.map(({ traits }) => graceOf(traits)));
  const endsItself = lifecycle.state === 'active' && expiresAt !== null ? expiresAt + grace : null;
  assert.equal(endsAt(session), endsItself);
  const times = [endsItself, ...[...attempts, ...refunds].map(({ syncAt }) => syncAt)].filter(
    (at) => at !== null,
  );
  assert.equal(dueAt(session), times.length === 0 ? null : Math.min(...times));
}
