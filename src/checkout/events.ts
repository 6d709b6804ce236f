import {
  type Attempt,
  type AttemptStatus,
  type Checkout,
  isCovered,
  type PayinStatus,
  payinStatusOf,
} from './session.ts';

export type EventType =
  | 'checkout.created'
  | 'checkout.updated'
  | 'checkout.paid'
  | 'checkout.expired'
  | 'payment_attempt.created'
  | `payment_attempt.${Exclude<AttemptStatus, 'unknown'>}`
  | `payin.${PayinStatus}`;

/** What happened, and to which attempt if it happened to one. Ids and frozen bytes are given when it is written. */
export type CheckoutEvent = { readonly type: EventType; readonly attempt?: Attempt };

/**
 * The events of a change: the difference between the session before and after it.
 *
 * Deriving them, instead of having each command name its own, is what keeps "one event for each change that has one"
 * true for combined changes too, such as a payment that ends an attempt, covers the amount and completes the session.
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
    before.amount !== after.amount ||
    before.description !== after.description;
  // Further money on an attempt that had succeeded already shows in no other event.
  const onlyMoneyChanged = events.length === 0 && before.payments.length !== after.payments.length;
  if (lineChanged || onlyMoneyChanged) events.push({ type: 'checkout.updated' });
  if (isCovered(after) && !isCovered(before)) events.push({ type: 'checkout.paid' });
  if (after.lifecycle.state === 'expired' && before.lifecycle.state !== 'expired') {
    events.push({ type: 'checkout.expired' });
  }

  const payin = payinStatusOf(after);
  if (payin !== payinStatusOf(before)) events.push({ type: `payin.${payin}` });

  // An attempt that became unknown has no event of its own, and beside another payment not even one of the payin.
  const attemptChanged = after.attempts.some(({ id, status }) => status !== known.get(id)?.status);
  if (events.length === 0 && attemptChanged) events.push({ type: 'checkout.updated' });
  return events;
}
