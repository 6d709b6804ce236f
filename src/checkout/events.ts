import type { Attempt, AttemptStatus, Checkout, Refund, RefundStatus, Reversal } from './session.ts';
import { isCovered, type PayinStatus, payinStatusOf } from './statuses.ts';

export type EventType =
  | 'checkout.created'
  | 'checkout.updated'
  | 'checkout.paid'
  | 'checkout.expired'
  | 'payment_attempt.created'
  | `payment_attempt.${Exclude<AttemptStatus, 'unknown'>}`
  | `refund.${RefundStatus}`
  | `reversal.${Reversal['status']}`
  | `payin.${PayinStatus}`;

/**
 * An event before it is written: its type, and the part of the session concerned, if any. Writing adds its id and
 * frozen bytes.
 */
export type CheckoutEvent = {
  readonly type: EventType;
  readonly attempt?: Attempt;
  readonly refund?: Refund;
  readonly reversal?: Reversal;
};

/**
 * Events of a change: the difference between the session before and after it.
 *
 * Deriving them, instead of having each command name its own, keeps "one event for each change that has one" true for
 * combined changes too, such as a payment that ends an attempt, covers the amount and completes the session.
 */
export function eventsBetween(before: Checkout | null, after: Checkout): CheckoutEvent[] {
  if (before === null) return [{ type: 'checkout.created' }];
  const events: CheckoutEvent[] = [];

  const known = new Map(before.attempts.map((attempt) => [attempt.id, attempt]));
  for (const attempt of after.attempts) {
    const earlier = known.get(attempt.id);
    if (!earlier) events.push({ type: 'payment_attempt.created', attempt });
    if (attempt.status !== 'unknown' && attempt.status !== earlier?.status) {
      events.push({ type: `payment_attempt.${attempt.status}`, attempt });
    }
  }

  const lineChanged =
    before.metadata !== after.metadata ||
    before.items !== after.items ||
    before.methods !== after.methods ||
    before.amount !== after.amount ||
    before.description !== after.description;
  // No other event shows further money on an attempt that had already succeeded.
  const onlyMoneyChanged = events.length === 0 && before.payments.length !== after.payments.length;
  if (lineChanged || onlyMoneyChanged) events.push({ type: 'checkout.updated' });
  if (isCovered(after) && !isCovered(before)) events.push({ type: 'checkout.paid' });
  if (after.lifecycle.state === 'expired' && before.lifecycle.state !== 'expired') {
    events.push({ type: 'checkout.expired' });
  }

  // Refunds and reversals are only ever added, at the end.
  for (const [index, refund] of after.refunds.entries()) {
    const { status } = refund;
    if (status !== before.refunds[index]?.status) events.push({ type: `refund.${status}`, refund });
  }
  for (const [index, reversal] of after.reversals.entries()) {
    const { status } = reversal;
    if (status !== before.reversals[index]?.status) events.push({ type: `reversal.${status}`, reversal });
  }

  const payin = payinStatusOf(after);
  if (payin !== payinStatusOf(before)) events.push({ type: `payin.${payin}` });

  // An attempt that became unknown, or was noted on, has no event of its own, and beside another payment not even a payin
  // event. Neither has a refund that got an id at its rail or went into a payment file, nor a reversal that changes its amount.
  const attemptChanged = after.attempts.some(({ id, status, metadata }) => {
    const earlier = known.get(id);
    return status !== earlier?.status || metadata !== earlier?.metadata;
  });
  const refundChanged = after.refunds.some(
    ({ reference, paymentFile }, index) =>
      reference !== before.refunds[index]?.reference || paymentFile !== before.refunds[index]?.paymentFile,
  );
  const isUntold = attemptChanged || refundChanged || before.reversals !== after.reversals;
  if (events.length === 0 && isUntold) events.push({ type: 'checkout.updated' });
  return events;
}
