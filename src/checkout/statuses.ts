/** Every public status and sum of a session, derived from its lifecycle and its money, so that no two can disagree. */

import type { AttemptId } from './ids.ts';
import type { Attempt, Checkout, Fee, Payment } from './session.ts';
import type { TenantTime } from './tenant.ts';

export type Status = 'active' | 'completed' | 'expired';
export type PaymentStatus = 'unpaid' | 'paid' | 'expired';
export type PayinStatus =
  | 'requires_payment_method'
  | 'requires_action'
  | 'processing'
  | 'succeeded'
  | 'cancelled';

/** Time past `expiresAt` in which an attempt that started in time may still complete the session. */
export const EXPIRY_GRACE_MS = 15 * 60_000;

export function amountPaid(checkout: Checkout): number {
  let sum = 0;
  for (const payment of checkout.payments) sum += payment.amount;
  return sum;
}

/** Fee of a payment, if its rail has told of one. */
export function feeOf(
  { fees }: Checkout,
  { rail, reference }: Pick<Payment, 'rail' | 'reference'>,
): Fee | undefined {
  return fees.find((each) => each.rail === rail && each.reference === reference);
}

/** Name of a payment, or of its reversal, for the payer: the reference that was quoted with a transfer, else the rail's own id. */
export function payerReferenceOf(
  { attempts }: Checkout,
  { attempt: id, reference }: Pick<Payment, 'attempt' | 'reference'>,
): string {
  const attempt = attempts.find((each) => each.id === id);
  return attempt?.traits.standing ? attempt.reference : reference;
}

/** Amount still due; never negative. */
export function amountDue(checkout: Checkout): number {
  return Math.max(0, checkout.amount - amountPaid(checkout));
}

export function isCovered(checkout: Checkout): boolean {
  return checkout.amount > 0 && amountPaid(checkout) >= checkout.amount - toleranceOf(checkout);
}

/** Amount that may be missing for the session to count as paid; less than all of it. */
export function toleranceOf({ amount, policy }: Checkout): number {
  const { underpaymentToleranceBasisPoints, underpaymentToleranceAtMost } = policy;
  // Integer arithmetic in two steps: the product of all factors may exceed what a number holds exactly.
  const rest = amount % 10_000;
  const share =
    ((amount - rest) / 10_000) * underpaymentToleranceBasisPoints +
    Math.floor((rest * underpaymentToleranceBasisPoints) / 10_000);
  return Math.max(0, Math.min(share, underpaymentToleranceAtMost, amount - 1));
}

/** Amount that can still be refunded out of the payments of the attempt. */
export function refundableOf(checkout: Checkout, attempt: AttemptId): number {
  return Math.max(0, heldOf(checkout, attempt));
}

/**
 * Money of the attempt that is left, without refunds, pending ones included, and reversals. It is negative if the rail
 * has taken back money that is being refunded as well.
 */
export function heldOf(checkout: Checkout, attempt: AttemptId): number {
  let left = 0;
  for (const payment of checkout.payments) if (payment.attempt === attempt) left += payment.amount;
  for (const refund of checkout.refunds) {
    if (refund.attempt === attempt && refund.status !== 'failed') left -= refund.amount;
  }
  for (const reversal of checkout.reversals) {
    if (reversal.attempt === attempt && reversal.status !== 'won') left -= reversal.amount;
  }
  return left;
}

/**
 * The newest attempt that stands open and asks for exactly the amount due: one for another amount, such as from before
 * a partial payment, must not be continued.
 */
export function openTransfer(checkout: Checkout): Attempt | undefined {
  const due = amountDue(checkout);
  return checkout.attempts.findLast(
    ({ traits, status, amount }) => traits.standing && status === 'requires_action' && amount === due,
  );
}

/** Amount refunded, as far as the rails have confirmed it. */
export function amountRefunded(checkout: Checkout): number {
  let sum = 0;
  for (const { status, amount } of checkout.refunds) if (status === 'succeeded') sum += amount;
  return sum;
}

/** Amount that rails have taken back, or threaten to: until the merchant has won, that money is not held. */
export function amountTakenBack(checkout: Checkout): number {
  let sum = 0;
  for (const { status, amount } of checkout.reversals) if (status !== 'won') sum += amount;
  return sum;
}

/** Money of all attempts that is left, as `heldOf` counts it for one. */
export function amountHeld(checkout: Checkout): number {
  let left = amountPaid(checkout) - amountTakenBack(checkout);
  for (const { status, amount } of checkout.refunds) if (status !== 'failed') left -= amount;
  return left;
}

/** Money beyond the amount that has not gone back yet, be its refund under way or not; never negative. */
export function excessOf(checkout: Checkout): number {
  const gone = amountRefunded(checkout) + amountTakenBack(checkout);
  return Math.max(0, amountPaid(checkout) - gone - checkout.amount);
}

export function isPartiallyPaid(checkout: Checkout): boolean {
  const paid = amountPaid(checkout);
  return paid > 0 && paid < checkout.amount;
}

export function isPaidInExcess(checkout: Checkout): boolean {
  return amountPaid(checkout) > checkout.amount;
}

export function statusOf(checkout: Checkout): Status {
  return checkout.lifecycle.state;
}

/** `expired` only if time ended the session; one that its merchant expired stays `unpaid` (contract of expire). */
export function paymentStatusOf(checkout: Checkout): PaymentStatus {
  if (isCovered(checkout)) return 'paid';
  const { lifecycle } = checkout;
  return lifecycle.state === 'expired' && lifecycle.by === 'time' ? 'expired' : 'unpaid';
}

/** The payment statuses that sessions of a status can have: a session ends as soon as it is paid. */
export const paymentStatusesOf: Readonly<Record<Status, readonly PaymentStatus[]>> = {
  active: ['unpaid'],
  completed: ['paid'],
  expired: ['unpaid', 'paid', 'expired'],
};

export function payinStatusOf(checkout: Checkout): PayinStatus {
  if (isCovered(checkout)) return 'succeeded';
  if (checkout.attempts.some(isInFlight)) return 'processing';
  if (checkout.lifecycle.state === 'expired') return 'cancelled';
  if (checkout.attempts.some((attempt) => attempt.status === 'requires_action')) return 'requires_action';
  return 'requires_payment_method';
}

/** True while the rail may be moving money: nobody may end the session, and nobody else may start to pay. */
export function isInFlight(attempt: Attempt): boolean {
  return attempt.status === 'processing' || attempt.status === 'unknown';
}

/** Time at which the session ends by itself in its current state, or null. */
export function endsAt(checkout: Checkout): TenantTime | null {
  if (checkout.lifecycle.state !== 'active' || checkout.expiresAt === null) return null;
  let graceMs = 0;
  for (const attempt of checkout.attempts) {
    if (isInFlight(attempt)) graceMs = Math.max(graceMs, attempt.traits.graceMs ?? EXPIRY_GRACE_MS);
  }
  return checkout.expiresAt + graceMs;
}

/** Earliest time at which the session needs attention without a request, or null for never. */
export function dueAt(checkout: Checkout): TenantTime | null {
  let due = endsAt(checkout);
  for (const { syncAt } of [...checkout.attempts, ...checkout.refunds]) {
    if (syncAt !== null && (due === null || syncAt < due)) due = syncAt;
  }
  return due;
}
