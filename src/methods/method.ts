/** Payment methods as payers know them, and the rails that carry them out. */

import type { Account } from '../accounts/account.ts';
import {
  type Attempt,
  type AttemptStatus,
  amountDue,
  type Checkout,
  type JsonObject,
  type RailTraits,
  type Refund,
  type RefundStatus,
  type Reversal,
} from '../checkout/session.ts';
import type { Mode, Tenant } from '../checkout/tenant.ts';
import { catalogue, type Method } from './catalogue.ts';

/** What a session is asked to be paid with: the facts that decide which methods fit. */
export type Occasion = {
  readonly mode: Mode;
  readonly currency: string;
  /** ISO 3166-1 alpha-2, or empty where it is not known. */
  readonly country: string;
  /** What is due in minor units, or null where it is not known yet. */
  readonly amount: number | null;
  /** Who is paid, with what the account has configured. */
  readonly account: Account;
};

/** What a rail can do and what it needs, as data. */
export type Capabilities = {
  /** Frozen in each attempt; `graceMs` is the default where the policy of the account says nothing. */
  readonly traits: RailTraits;
  /** How refunds reach the payer: by asking the rail, or in a file that the operator hands to the bank. */
  readonly refunds: 'online' | 'file';
  /** Whether the payer leaves our page to pay. */
  readonly leavesPage: boolean;
};

/** How an attempt begins. Made without asking anybody: it is committed before the rail hears of it. */
export type AttemptPlan = {
  readonly reference: string;
  readonly status: Extract<AttemptStatus, 'requires_action' | 'processing'>;
  /** When the rail is to be asked should nothing come of the start, or null for never. */
  readonly syncAt: number | null;
  readonly details: JsonObject;
};

/** What a rail says of an attempt when it is asked. */
export type RailAnswer = {
  /** A time-out or a failure of the rail itself is `unknown`, never `failed`. */
  readonly status: AttemptStatus;
  readonly reason: string;
  /** When to ask again, or null. */
  readonly syncAt: number | null;
  readonly payment: { readonly reference: string; readonly amount: number } | null;
  /** What to keep of it in the attempt; absent: nothing new. */
  readonly details?: JsonObject;
  /** Money that the rail takes back, as it stands. */
  readonly reversals?: readonly RailReversal[];
  /** Refunds of this attempt that the rail speaks of by itself, as they stand. */
  readonly refunds?: readonly RefundNews[];
  /**
   * What an operator has to look at, such as a state that this version does not know. The state of the attempt stays as
   * it was then: the answer repeats it.
   */
  readonly alert?: string;
};

export type RailReversal = Pick<Reversal, 'kind' | 'reference' | 'amount' | 'reason' | 'status'>;

export type RefundAnswer = {
  /** `pending` where nothing is known yet, a time-out included. */
  readonly status: RefundStatus;
  /** The rail's own id, or empty. */
  readonly reference: string;
  readonly failure: string;
  readonly syncAt: number | null;
  readonly alert?: string;
};

export type RefundNews = RefundAnswer & { readonly refund: string };

/** What comes in without being asked for: kept as it came, then matched. */
export type InboundNotice = {
  /** The rail's own id of it: the same notice twice is one. */
  readonly reference: string;
  /** Of the attempt that it is about (see `Attempt.reference`), or null where it names none. Nothing is done where neither is known. */
  readonly attemptReference: string | null;
  /** Of the payment that it is about (see `Payment.reference`), where the rail names no attempt: a disputed charge. */
  readonly paymentReference: string | null;
  /** Whose it is. */
  readonly tenant: Tenant;
};

/** The signature of a notice is not the rail's. */
export class BadSignature extends Error {
  override name = 'BadSignature';
}

/**
 * One way to move money. Everything but `plan` and `offers` may ask a provider, outside of any transaction, with an
 * idempotency key, a time-out and a bound on tries; what is said comes back as a command. A call that rejects, or does
 * not come back, counts as not known: it is made again.
 */
export type Rail = {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Whether the rail carries this method here. */
  offers(method: Method, occasion: Occasion): boolean;
  /** What an operator has to configure before the rail carries this method here, or null if it is not for it. */
  missing?(method: Method, occasion: Occasion): string | null;
  /** `attemptId` is the id the attempt will have. */
  plan(checkout: Checkout, method: Method, occasion: Occasion, attemptId: string, nowMs: number): AttemptPlan;
  /**
   * Prepares what the payer needs, such as a page of the provider; asked again for the same attempt it answers the same.
   * `returnUrl` is where the payer comes back to. Absent: there is nothing to prepare.
   */
  start?(checkout: Checkout, attempt: Attempt, returnUrl: string, nowMs: number): Promise<RailAnswer>;
  /** Where the payer goes to pay, once the attempt has been started; null: on our page. */
  payerUrl?(attempt: Attempt): string | null;
  /** Asks the rail how an attempt stands. */
  sync(checkout: Checkout, attempt: Attempt, nowMs: number): Promise<RailAnswer>;
  /** Tells the rail that an attempt was given up. Answers `cancelled`, or what is true instead. */
  cancel?(checkout: Checkout, attempt: Attempt, nowMs: number): Promise<RailAnswer>;
  /** Makes a refund, or asks how it stands; any number of times. */
  refund(checkout: Checkout, refund: Refund, nowMs: number): Promise<RefundAnswer>;
  /** Checks and reads a notice. Throws BadSignature. */
  readNotice?(body: Buffer, headers: Readonly<Record<string, string | string[] | undefined>>): InboundNotice;
};

export type Offer = { readonly method: Method; readonly rail: Rail };

/** What can be offered on this occasion, in the order in which payers see it. */
export function offersFor(rails: readonly Rail[], occasion: Occasion): Offer[] {
  return catalogue(occasion.currency).flatMap((method) => {
    const fits = method.country === null || occasion.country === '' || method.country === occasion.country;
    const rail = fits ? rails.find((each) => each.offers(method, occasion)) : undefined;
    return rail ? [{ method, rail }] : [];
  });
}

/** What is frozen in an attempt of this rail; the account may have decided on another grace. */
export function traitsOf({ name, capabilities: { traits } }: Rail, { policy }: Checkout): RailTraits {
  const minutes = policy.graceMinutes[name];
  return minutes === undefined ? traits : { ...traits, graceMs: minutes * 60_000 };
}

/** The facts of a session that is there already. */
export function occasionOf(checkout: Checkout, account: Account): Occasion {
  const { tenant, currency, payer } = checkout;
  return { mode: tenant.mode, currency, country: payer.country, amount: amountDue(checkout), account };
}
