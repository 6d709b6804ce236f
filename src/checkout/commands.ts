/**
 * Commands for a checkout session. A command brings everything that the decision needs: the time, random ids and
 * checked input. It is data, so that a decision can be repeated.
 */
import type { AttemptId, BankEntryId, PaymentFileId, RefundId } from './ids.ts';
import type { Item } from './items.ts';
import type { Problem } from './refusals.ts';
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
} from './session.ts';
import type { TenantTime } from './tenant.ts';

type At = {
  /** Milliseconds since the epoch in the clock of the session's account and mode. */
  readonly now: TenantTime;
};

/**
 * Reason why no payer could choose one of the methods at this moment, or null. It is part of the command because the
 * answer to an earlier request with the same key comes before it.
 */
type Obstacle = Problem | null;

/** The fields of the new session, but for those that it gets by being created. */
export type CreateCheckout = At & {
  readonly type: 'create';
  /** The total to pay, or null to take it from the items. */
  readonly amount: number | null;
  /** Empty: the items' listing. */
  readonly description: string;
  readonly obstacle?: Obstacle;
} & Omit<
    Checkout,
    | 'amount'
    | 'attempts'
    | 'createdAt'
    | 'description'
    | 'eventCount'
    | 'fees'
    | 'lifecycle'
    | 'payments'
    | 'refunds'
    | 'reversals'
    | 'version'
  >;

export type UpdateCheckout = At & {
  readonly type: 'update';
  readonly items: readonly Item[] | null;
  /** Ids of the payment methods from now on, or null for no change. */
  readonly methods: readonly string[] | null;
  readonly obstacle?: Obstacle;
  /** A JSON merge patch (RFC 7396), or null for none. */
  readonly metadata: JsonObject | null;
  readonly ifVersion: number | null;
};

export type ExpireCheckout = At & { readonly type: 'expire'; readonly ifVersion: number | null };

/** The payer chose a method; the rail is asked only after this is committed. */
export type StartAttempt = At & {
  readonly type: 'start_attempt';
  readonly attemptId: AttemptId;
  readonly rail: string;
  readonly reference: string;
  readonly method: string;
  /** Amount shown to the payer: an attempt for another amount does not start. */
  readonly expectedAmount: number;
  /** Items shown to the payer: an attempt for others does not start. Null: the session already had others. */
  readonly expectedItems?: readonly Item[] | null;
  readonly status: AttemptStatus;
  readonly syncAt: TenantTime | null;
  readonly traits: RailTraits;
  readonly details: JsonObject;
};

/** Report of a rail about an attempt, and about money that it received. */
export type Report = At & {
  readonly type: 'report';
  readonly rail: string;
  /** The rail's own id of the attempt. */
  readonly reference: string;
  /**
   * A rail that cancels by itself reports `failed`. `cancelled` is this service's own decision; as a report it confirms
   * that the rail has been told.
   */
  readonly status: AttemptStatus;
  readonly reason: string;
  readonly syncAt: TenantTime | null;
  /** New details of the rail to keep, or null for no change. */
  readonly details: JsonObject | null;
  /**
   * Money received; an `amount` of null stands for the amount of the attempt. The fee may be told later than the payment,
   * by a further report of it.
   */
  readonly payment: {
    readonly reference: string;
    readonly amount: number | null;
    readonly fee?: Pick<Fee, 'amount' | 'currency'>;
  } | null;
  /** Data of the attempt if it is not known yet; `method` null: the session's first. */
  readonly unknownAttempt: Pick<Attempt, 'id'> & { readonly method: string | null };
  /** Id for the refund of the excess, should the policy want one. */
  readonly refundId: RefundId;
};

/** The merchant gives money back; the rail is asked only after this is committed. */
export type CreateRefund = At & {
  readonly type: 'create_refund';
  /** Id of the attempt whose money is taken back. */
  readonly attempt: AttemptId | null;
  /** Null for all that is left: of the attempt, or without one of all attempts, each by a refund of its own. */
  readonly amount: number | null;
  /** Ids of the refunds of further attempts, where all of them are refunded. `id` is for the newest one. */
  readonly furtherIds: readonly RefundId[];
  /** That in which the merchant counts; null for that of the session. */
  readonly currency: string | null;
  /** Amount left that the decision was made on, if it is only to count while that is so. */
  readonly left?: number | undefined;
} & Pick<Refund, 'id' | 'reason' | 'remarks' | 'metadata' | 'webhookUrl'>;

/** A person settles a refund that its rail cannot report on. */
export type SettleRefund = At & {
  readonly type: 'settle_refund';
  readonly refund: RefundId;
  readonly status: Exclude<RefundStatus, 'pending'>;
  readonly reason: string;
};

/** Report of a rail about a refund. */
export type ReportRefund = At & {
  readonly type: 'report_refund';
  readonly refund: RefundId;
  readonly status: RefundStatus;
  readonly reference: string;
  readonly failure: string;
  readonly syncAt: TenantTime | null;
  /** Id of the payment file that the refund goes out in. */
  readonly paymentFile?: PaymentFileId;
  /** Id of the bank entry that tells of it. */
  readonly bankEntry?: BankEntryId;
};

/** Report of a rail about money that it takes back. */
export type ReportReversal = At & { readonly type: 'report_reversal' } & Pick<
    Reversal,
    'kind' | 'rail' | 'reference' | 'amount' | 'reason' | 'status'
  > & {
    /** Id of the attempt whose money is taken back. */
    readonly attempt: AttemptId;
  };

/** The payer goes back to choose another method. */
export type CancelAttempt = At & { readonly type: 'cancel_attempt' };

/** The merchant notes something on an attempt, whatever has become of it. */
export type NoteAttempt = At & {
  readonly type: 'note_attempt';
  readonly attempt: AttemptId;
  /** A JSON merge patch (RFC 7396). */
  readonly metadata: JsonObject;
};

/** Time passes: everything due by `now` happens. */
export type Tick = At & { readonly type: 'tick' };

export type CheckoutCommand =
  | CreateCheckout
  | NoteAttempt
  | UpdateCheckout
  | ExpireCheckout
  | StartAttempt
  | Report
  | CreateRefund
  | SettleRefund
  | ReportRefund
  | ReportReversal
  | CancelAttempt
  | Tick;
