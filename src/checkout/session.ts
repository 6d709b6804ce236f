/**
 * The aggregate: one checkout session with its payment attempts and the payments booked for it.
 *
 * Values are immutable; a change makes a new one. The lifecycle and the money are separate, and every public status is
 * derived from them (`statuses.ts`). All times are milliseconds since the epoch, in the clock of the session's account
 * and mode.
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
  readonly fees: readonly Fee[];
  readonly policy: Policy;
};

/**
 * A session with some of its fields changed; `undefined` changes nothing. Copies by `...` of as many fields become hash tables
 * in V8 where it has seen many kinds of them: they take 1.3 KB more and ten times as long to make, and the collector looks at
 * 200 places in each. All that come from here have the same few places.
 */
export function changed(checkout: Checkout, changes: Partial<Checkout>): Checkout {
  const {
    id = checkout.id,
    tenant = checkout.tenant,
    version = checkout.version,
    eventCount = checkout.eventCount,
    createdAt = checkout.createdAt,
    token = checkout.token,
    currency = checkout.currency,
    amount = checkout.amount,
    items = checkout.items,
    description = checkout.description,
    referenceId = checkout.referenceId,
    metadata = checkout.metadata,
    payer = checkout.payer,
    successUrl = checkout.successUrl,
    cancelUrl = checkout.cancelUrl,
    webhookUrl = checkout.webhookUrl,
    methods = checkout.methods,
    expiresAt = checkout.expiresAt,
    lifecycle = checkout.lifecycle,
    attempts = checkout.attempts,
    payments = checkout.payments,
    refunds = checkout.refunds,
    reversals = checkout.reversals,
    fees = checkout.fees,
    policy = checkout.policy,
  } = changes;
  const all: { [K in keyof Checkout]-?: Checkout[K] } = {
    id,
    tenant,
    version,
    eventCount,
    createdAt,
    token,
    currency,
    amount,
    items,
    description,
    referenceId,
    metadata,
    payer,
    successUrl,
    cancelUrl,
    webhookUrl,
    methods,
    expiresAt,
    lifecycle,
    attempts,
    payments,
    refunds,
    reversals,
    fees,
    policy,
  };
  return all;
}

/** The session of these fields. */
export function checkoutOf(fields: Checkout): Checkout {
  return changed(fields, {});
}
