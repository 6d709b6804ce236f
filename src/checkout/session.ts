/**
 * The aggregate: one checkout session with its payment attempts and the payments booked for it.
 *
 * Values are immutable; a change makes a new one. The lifecycle and the money are separate, and the functions below
 * derive every public status from them, so that no two fields can disagree. All times are milliseconds since the epoch,
 * in the clock of the session's account and mode.
 */
import type { AttemptId, BankEntryId, CheckoutId, CustomerId, PaymentFileId, RefundId } from './ids.ts';
import type { Item } from './items.ts';
import type { Tenant, TenantTime } from './tenant.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export type Phone = { readonly callingCode: string; readonly number: string };

/** Kept as the client gave it, except for empty strings; the HTTP schema bounds its fields. */
export type ContactDetails = JsonObject;

/** Details of the payer; `customer` is the id of the customer record, if there is one. */
export type Payer = {
  readonly customer: CustomerId | '';
  readonly name: string;
  readonly email: string;
  readonly country: string;
  readonly phone: Phone | null;
  readonly billingDetails: ContactDetails | null;
  readonly shippingDetails: ContactDetails | null;
};

/**
 * Statuses of an attempt, in the order in which knowledge grows. A report can only move an attempt to the right, so
 * that reports may come in any order and any number of times and still end in the same state. `cancelled` stands before
 * `processing`: cancelling is our wish, processing is the rail's fact.
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

/** Rank of a status, for comparison. */
export function knowledgeOf(status: AttemptStatus): number {
  return attemptStatuses.indexOf(status);
}

/** Terms of a rail that concern the rules; frozen when an attempt starts. Absent: the usual. */
export type RailTraits = {
  /** Several transfers are normal: the attempt stays open beside others until the session ends. */
  readonly standing?: true;
  /** The rail has to be told when an attempt is given up, so that nobody can pay there any more. */
  readonly toldOfCancel?: true;
  /** Grace: time past the session's end in which an attempt in flight may still complete it. */
  readonly graceMs?: number;
};

export type Attempt = {
  readonly id: AttemptId;
  readonly createdAt: TenantTime;
  readonly rail: string;
  /** Reference, unique within the rail: the payer quotes it, or the rail names the attempt by it. */
  readonly reference: string;
  readonly method: string;
  /** Amount requested from the payer, frozen with the session's version when the attempt started. */
  readonly amount: number;
  readonly version: number;
  readonly status: AttemptStatus;
  /** Reason of the failure, in words for the merchant; empty otherwise. */
  readonly reason: string;
  /** Time to ask or tell the rail something, or null. */
  readonly syncAt: TenantTime | null;
  readonly traits: RailTraits;
  /** Details that the rail keeps for itself, such as the id and address of a provider's page. */
  readonly details: JsonObject;
  /** The merchant's own data, if there are any. */
  readonly metadata?: JsonObject;
};

/** One booked payment: a line of the ledger. Unique by (rail, reference); never changed, never removed. */
export type Payment = {
  readonly rail: string;
  /** The rail's own id of the payment. */
  readonly reference: string;
  readonly attempt: AttemptId;
  readonly amount: number;
  readonly bookedAt: TenantTime;
  /** True if booked after the session had expired or the attempt had been given up. */
  readonly late: boolean;
};

/**
 * Fee that a provider kept of a booked payment, as its rail told. At most one for each payment, by its (rail, reference).
 * It is no part of the ledger, which the payment enters with its whole amount.
 */
export type Fee = {
  readonly rail: string;
  /** The reference of the payment. */
  readonly reference: string;
  /** In minor units of its own currency: that in which the provider pays out, which may not be that of the session. */
  readonly amount: number;
  readonly currency: string;
};

/** Refund states in the order in which knowledge grows: a succeeded refund can still be returned to the sender. */
export const refundStatuses = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** Money that goes back to the payer, out of the payments of one attempt. */
export type Refund = {
  readonly id: RefundId;
  readonly createdAt: TenantTime;
  readonly attempt: AttemptId;
  readonly rail: string;
  /** The rail's own id of the refund; empty until it has one. */
  readonly reference: string;
  /** Id of the payment file that it went out in; absent where it is in none. It stays whatever becomes of the refund. */
  readonly paymentFile?: PaymentFileId;
  /** Ids of the bank entries that moved it, oldest first: carried out, and come back. Absent: none has. */
  readonly bankEntries?: readonly BankEntryId[];
  readonly amount: number;
  /** Reason in the merchant's words. */
  readonly reason: string;
  readonly remarks: string;
  readonly metadata: JsonObject;
  /** Address of its events; empty: that of the session. */
  readonly webhookUrl: string;
  readonly status: RefundStatus;
  /** Reason of the failure, in words for the merchant; empty otherwise. */
  readonly failure: string;
  /** Time to ask the rail, or null. */
  readonly syncAt: TenantTime | null;
};

/**
 * Money that a rail takes back: a card holder disputes a charge, a bank returns a transfer, somebody refunds a payment
 * at the provider and not here. The payment beside it stays booked. Unique by (rail, reference). A bank that only asks
 * about a payment takes nothing: that is no reversal.
 */
export type Reversal = {
  readonly kind: 'dispute' | 'return';
  readonly rail: string;
  /** The rail's own id of the reversal. */
  readonly reference: string;
  readonly attempt: AttemptId;
  readonly amount: number;
  /** Reason in words, or the rail's code. */
  readonly reason: string;
  /** `open`: not decided yet; `lost`: the money is gone; `won`: it stays, or has come back. */
  readonly status: 'open' | 'lost' | 'won';
  readonly createdAt: TenantTime;
};

/** Policy of the merchant for money that does not fit; frozen with the session on creation. */
export type Policy = {
  /** Tolerated underpayment: hundredths of a percent of the amount, and at most this many minor units. */
  readonly underpaymentToleranceBasisPoints: number;
  readonly underpaymentToleranceAtMost: number;
  /** Money beyond the amount: keep it, or refund it. */
  readonly excess: 'keep' | 'refund';
  /** Transfers after the end: book them, or hold them until the merchant decides. */
  readonly late: 'accept' | 'hold';
  /** Transfers without a reference: book them by amount and payer if that is clear, or ask the merchant. */
  readonly unreferenced: 'match' | 'ask';
  /** Grace of each rail: minutes past the end in which money still counts as in time. */
  readonly graceMinutes: Readonly<Record<string, number>>;
};

export const defaultPolicy: Policy = {
  underpaymentToleranceBasisPoints: 0,
  underpaymentToleranceAtMost: 0,
  excess: 'keep',
  late: 'accept',
  unreferenced: 'match',
  graceMinutes: {},
};

export type Lifecycle =
  | { readonly state: 'active' }
  | { readonly state: 'completed'; readonly at: TenantTime }
  | { readonly state: 'expired'; readonly at: TenantTime; readonly by: 'merchant' | 'time' };

export type Checkout = {
  readonly id: CheckoutId;
  readonly tenant: Tenant;
  /** Increases by 1 with every change; the ETag. */
  readonly version: number;
  /** Number of events of this session; the next one is numbered `eventCount + 1`. */
  readonly eventCount: number;
  readonly createdAt: TenantTime;
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
  readonly expiresAt: TenantTime | null;
  readonly lifecycle: Lifecycle;
  readonly attempts: readonly Attempt[];
  readonly payments: readonly Payment[];
  readonly refunds: readonly Refund[];
  readonly reversals: readonly Reversal[];
  /** Absent: no rail has told of one. */
  readonly fees?: readonly Fee[];
  readonly policy: Policy;
};

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
  return fees?.find((each) => each.rail === rail && each.reference === reference);
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
