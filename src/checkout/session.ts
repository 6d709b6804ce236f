/**
 * The aggregate: one checkout session with its payment attempts and the payments booked for it.
 *
 * Values are immutable; a change makes a new one. The lifecycle and the money are held apart, and every public
 * status is derived from them by the functions below, so that no two fields can disagree.
 * All times are milliseconds since the epoch, in the clock of the session's account and mode.
 */
import type { Item } from './items.ts';

export type Mode = 'test' | 'live';

/** Whose data: one account in one mode. Data of different scopes never meets. */
export type Scope = { readonly account: number; readonly mode: Mode };

/** A scope as the key of a map. */
export function nameOfScope({ account, mode }: Scope): string {
  return `${account} ${mode}`;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export type Phone = { readonly callingCode: string; readonly number: string };

/** Kept as the client gave it, except for empty strings; the HTTP schema bounds its fields. */
export type ContactDetails = JsonObject;

/** What the session knows of its payer; `customer` is the id of the customer record, if there is one. */
export type Payer = {
  readonly customer: string;
  readonly name: string;
  readonly email: string;
  readonly country: string;
  readonly phone: Phone | null;
  readonly billingDetails: ContactDetails | null;
  readonly shippingDetails: ContactDetails | null;
};

/**
 * What is known of an attempt, in the order in which knowledge grows. A report can only move an attempt to the right,
 * so that reports may come in any order and any number of times and still end in the same state.
 * `cancelled` stands before `processing`: cancelling is our wish, processing is the rail's fact.
 */
export const attemptStatuses = [
  'requires_action',
  'unknown',
  'cancelled',
  'processing',
  'failed',
  'succeeded',
] as const;
export type AttemptStatus = (typeof attemptStatuses)[number];

/** How much a status tells, for comparison. */
export function knowledgeOf(status: AttemptStatus): number {
  return attemptStatuses.indexOf(status);
}

export type Attempt = {
  readonly id: string;
  readonly createdAt: number;
  readonly rail: string;
  /** The rail's own id of this attempt; unique within the rail. */
  readonly reference: string;
  readonly method: string;
  /** What the payer was asked for, frozen with the session's version when the attempt started. */
  readonly amount: number;
  readonly version: number;
  readonly status: AttemptStatus;
  /** Why the attempt failed, in words for the merchant; empty otherwise. */
  readonly reason: string;
  /** When the rail is to be asked again, or null while there is nothing to ask. */
  readonly syncAt: number | null;
};

/** One booked payment: a line of the ledger. Unique by (rail, reference); never changed, never removed. */
export type Payment = {
  readonly rail: string;
  /** The rail's own id of the payment. */
  readonly reference: string;
  readonly attempt: string;
  readonly amount: number;
  readonly bookedAt: number;
  /** Booked after the session had expired or the attempt had been given up. */
  readonly late: boolean;
};

export type Lifecycle =
  | { readonly state: 'active' }
  | { readonly state: 'completed'; readonly at: number }
  | { readonly state: 'expired'; readonly at: number; readonly by: 'merchant' | 'time' };

export type Checkout = {
  readonly id: string;
  readonly scope: Scope;
  /** +1 with every change; the ETag. */
  readonly version: number;
  /** How many events this session has emitted; the next one is numbered `eventCount + 1`. */
  readonly eventCount: number;
  readonly createdAt: number;
  readonly token: string;
  readonly currency: string;
  readonly amount: number;
  readonly items: readonly Item[];
  readonly description: string;
  readonly referenceId: string;
  readonly metadata: JsonObject;
  readonly payer: Payer;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly webhookUrl: string;
  readonly methods: readonly string[];
  readonly expiresAt: number | null;
  readonly lifecycle: Lifecycle;
  readonly attempts: readonly Attempt[];
  readonly payments: readonly Payment[];
};

export type Status = 'active' | 'completed' | 'expired';
export type PaymentStatus = 'unpaid' | 'paid' | 'expired';
export type PayinStatus =
  | 'requires_payment_method'
  | 'requires_action'
  | 'processing'
  | 'succeeded'
  | 'cancelled';

/** How long past `expiresAt` an attempt that started in time may still complete the session. */
export const EXPIRY_GRACE_MS = 15 * 60_000;

export function amountPaid(checkout: Checkout): number {
  let sum = 0;
  for (const payment of checkout.payments) sum += payment.amount;
  return sum;
}

/** What is still to be paid; never negative. */
export function amountDue(checkout: Checkout): number {
  return Math.max(0, checkout.amount - amountPaid(checkout));
}

export function isCovered(checkout: Checkout): boolean {
  return checkout.amount > 0 && amountPaid(checkout) >= checkout.amount;
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

/** `expired` only where time ended the session; one that its merchant expired stays `unpaid` (contract of expire). */
export function paymentStatusOf(checkout: Checkout): PaymentStatus {
  if (isCovered(checkout)) return 'paid';
  const { lifecycle } = checkout;
  return lifecycle.state === 'expired' && lifecycle.by === 'time' ? 'expired' : 'unpaid';
}

export function payinStatusOf(checkout: Checkout): PayinStatus {
  if (isCovered(checkout)) return 'succeeded';
  if (checkout.attempts.some(isInFlight)) return 'processing';
  if (checkout.lifecycle.state === 'expired') return 'cancelled';
  if (checkout.attempts.some((attempt) => attempt.status === 'requires_action')) return 'requires_action';
  return 'requires_payment_method';
}

/** The rail may be moving money right now: nobody may end the session, and nobody else may start to pay. */
export function isInFlight(attempt: Attempt): boolean {
  return attempt.status === 'processing' || attempt.status === 'unknown';
}

/** The moment at which time alone ends the session as it stands, or null while nothing will. */
export function endsAt(checkout: Checkout): number | null {
  if (checkout.lifecycle.state !== 'active' || checkout.expiresAt === null) return null;
  return checkout.attempts.some(isInFlight) ? checkout.expiresAt + EXPIRY_GRACE_MS : checkout.expiresAt;
}

/** The earliest moment at which the session needs attention without anybody asking, or null for never. */
export function dueAt(checkout: Checkout): number | null {
  let due = endsAt(checkout);
  for (const { syncAt } of checkout.attempts) {
    if (syncAt !== null && (due === null || syncAt < due)) due = syncAt;
  }
  return due;
}
