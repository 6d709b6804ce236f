/** Payment methods as payers know them, and the rails that carry them out. */

import type { AttemptId, RefundId } from '../checkout/ids.ts';
import type {
  Attempt,
  AttemptStatus,
  Checkout,
  Fee,
  JsonObject,
  RailTraits,
  Refund,
  RefundStatus,
  Reversal,
} from '../checkout/session.ts';
import { amountDue } from '../checkout/statuses.ts';
import type { Mode, Tenant, TenantTime } from '../checkout/tenant.ts';
import type { ReceivingAccount } from './bank/receiving-account.ts';
import { catalogue, findMethod, type Method } from './catalogue.ts';
import type { CredentialsByRail, CredentialsForm } from './credentials.ts';

/** The part of a paid account that rails read. Accounts know receiving accounts, and rails no accounts. */
export type PaidAccount = {
  readonly number: number;
  readonly name: string;
  /** Lead of the account's test clock over real time. */
  readonly testClockOffsetMs: number;
  readonly settings: Readonly<Record<Mode, { readonly receivingAccounts: readonly ReceivingAccount[] }>>;
  readonly railCredentials: Readonly<Record<Mode, CredentialsByRail>>;
};

/** Facts of a session that decide which methods fit. */
export type Occasion = {
  readonly mode: Mode;
  readonly currency: string;
  /** ISO 3166-1 alpha-2, or empty if unknown. */
  readonly country: string;
  /** Amount due in minor units, or null if unknown. */
  readonly amount: number | null;
  readonly account: PaidAccount;
};

/** Abilities and needs of a rail, as data. */
export type Capabilities = {
  /**
   * Frozen in each attempt; `graceMs` is the default if the policy of the account has none. A rail that has `cancel` is
   * told of attempts that are given up.
   */
  readonly traits: Omit<RailTraits, 'toldOfCancel'>;
  /** Way of refunds to the payer: by asking the rail, or in a file that the operator hands to the bank. */
  readonly refunds: 'online' | 'file';
  /** True if the payer leaves our page to pay. */
  readonly leavesPage: boolean;
};

/** Start of an attempt, planned without asking anybody: it is committed before the rail hears of it. */
export type AttemptPlan = {
  readonly reference: string;
  readonly status: Extract<AttemptStatus, 'requires_action' | 'processing'>;
  /** Time to ask the rail if nothing comes of the start, or null for never. */
  readonly syncAt: TenantTime | null;
  readonly details: JsonObject;
};

/** Reasons why a rail that was asked about an attempt does not tell how it stands. */
export const untoldReasons = ['no_answer', 'key_refused', 'request_refused', 'answer_unclear'] as const;
export type Untold = (typeof untoldReasons)[number];

/** Answer of a rail that was asked about an attempt. */
export type RailAnswer = {
  /** A time-out or a failure of the rail itself is `unknown`, never `failed`. */
  readonly status: AttemptStatus;
  readonly reason: string;
  /**
   * Why it tells nothing, whichever status it repeats; absent: it tells how the attempt stands, or, beside `unknown`, there
   * was no answer.
   */
  readonly untold?: Untold;
  /** Time to ask again, or null. */
  readonly syncAt: TenantTime | null;
  readonly payment: {
    readonly reference: string;
    readonly amount: number;
    /** Fee that the provider keeps of it; absent: not known, or not yet. */
    readonly fee?: Pick<Fee, 'amount' | 'currency'>;
  } | null;
  /** New details to keep in the attempt; absent: nothing new. */
  readonly details?: JsonObject;
  /** Money that the rail takes back, in its current state. */
  readonly reversals?: readonly RailReversal[];
  /** Refunds of this attempt that the rail reports by itself, in their current state. */
  readonly refunds?: readonly RefundNews[];
  /**
   * Alert for the operator, such as a state that this version does not know. The answer then repeats the state of the
   * attempt.
   */
  readonly alert?: string;
};

export type RailReversal = Pick<Reversal, 'kind' | 'reference' | 'amount' | 'reason' | 'status'>;

export type RefundAnswer = {
  /** `pending` if nothing is known yet, time-outs included. */
  readonly status: RefundStatus;
  /** The rail's own id, or empty. */
  readonly reference: string;
  readonly failure: string;
  readonly syncAt: TenantTime | null;
  readonly alert?: string;
};

export type RefundNews = RefundAnswer & { readonly refund: RefundId };

/** Inbound provider event: stored verbatim, then matched. */
export type InboundEvent = {
  /** The rail's own id of the event: the same event twice is stored once. */
  readonly reference: string;
  /**
   * Reference of the attempt concerned (see `Attempt.reference`), or null. Without either reference nothing is done.
   */
  readonly attemptReference: string | null;
  /** Reference of the payment concerned (see `Payment.reference`), if the rail names no attempt: a disputed charge. */
  readonly paymentReference: string | null;
  /** Tenant concerned. */
  readonly tenant: Tenant;
};

/** The account and mode to whose address an event was sent. */
export type Recipient = { readonly account: PaidAccount; readonly mode: Mode };

/** Error: the signature of a provider event is not the rail's. */
export class BadSignature extends Error {
  override name = 'BadSignature';
}

/**
 * A rail: one way to move money. Everything but `plan` and `offers` may ask a provider, outside of any transaction,
 * with an idempotency key, a time-out and a bound on retries; the answer comes back as a command. A call that rejects,
 * or does not come back, counts as unknown and is made again.
 */
export type Rail = {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Credentials that an account can have of its own; absent where it needs none. */
  readonly credentials?: CredentialsForm;
  /** True if the rail offers this method here. */
  offers(method: Method, occasion: Occasion): boolean;
  /** Setting that is missing for the rail to offer this method here, or null if the method is not the rail's. */
  missing?(method: Method, occasion: Occasion): string | null;
  /** `attemptId` is the id of the future attempt. */
  plan(
    checkout: Checkout,
    method: Method,
    occasion: Occasion,
    attemptId: AttemptId,
    nowMs: TenantTime,
  ): AttemptPlan;
  /**
   * Prepares what the payer needs, such as a page of the provider; repeated for the same attempt, it answers the same.
   * `returnUrl` is where the payer comes back to. Absent: there is nothing to prepare.
   */
  start?(checkout: Checkout, attempt: Attempt, returnUrl: string, nowMs: TenantTime): Promise<RailAnswer>;
  /** Address at which the payer pays, once the attempt has been started; null: on our page. */
  payerUrl?(attempt: Attempt): string | null;
  /**
   * Asks the rail for the state of an attempt. Without an answer, one that waits for the payer keeps its status: by a
   * call that rejects it becomes `unknown`, and the session counts as one that is being paid.
   */
  sync(checkout: Checkout, attempt: Attempt, nowMs: TenantTime): Promise<RailAnswer>;
  /**
   * Tells the rail that an attempt was given up. Answers `cancelled`, or the actual state; with a time to ask again if
   * the payer may still have paid.
   */
  cancel?(checkout: Checkout, attempt: Attempt, nowMs: TenantTime): Promise<RailAnswer>;
  /** Makes a refund, or asks for its state; any number of times. */
  refund(checkout: Checkout, refund: Refund, nowMs: TenantTime): Promise<RefundAnswer>;
  /**
   * Verifies and reads a provider event, by the secret of its recipient and no other; without one, by those of the
   * settings. Throws BadSignature.
   */
  readEvent?(
    body: Buffer,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    recipient?: Recipient,
  ): InboundEvent;
};

export type Offer = { readonly method: Method; readonly rail: Rail };

/** Ids of the methods for this currency and country, in the order in which payers see them. */
export function methodsFor({ currency, country }: Pick<Occasion, 'currency' | 'country'>): string[] {
  return catalogue(currency)
    .filter((method) => method.country === null || country === '' || method.country === country)
    .map(({ id }) => id);
}

/** Methods that can be offered on this occasion, in the same order. */
export function offersFor(rails: readonly Rail[], occasion: Occasion): Offer[] {
  return offersAmong(methodsFor(occasion), rails, occasion);
}

/** The same of the methods that a session has. */
export function offersAmong(methods: readonly string[], rails: readonly Rail[], occasion: Occasion): Offer[] {
  return methods.flatMap((id) => {
    const method = findMethod(id);
    const rail = method && rails.find((each) => each.offers(method, occasion));
    return method && rail ? [{ method, rail }] : [];
  });
}

/** Terms of this rail, frozen in an attempt; the account may have set another grace. */
export function traitsOf({ name, capabilities, cancel }: Rail, { policy }: Checkout): RailTraits {
  const minutes = policy.graceMinutes[name];
  return {
    ...capabilities.traits,
    ...(cancel === undefined ? {} : { toldOfCancel: true }),
    ...(minutes === undefined ? {} : { graceMs: minutes * 60_000 }),
  };
}

/** Facts of an existing session. */
export function occasionOf(checkout: Checkout, account: PaidAccount): Occasion {
  const { tenant, currency, payer } = checkout;
  return { mode: tenant.mode, currency, country: payer.country, amount: amountDue(checkout), account };
}
