/** What can be asked of `transact`, and what comes of it. */
import type { BankEntry } from '../banking/entry.ts';
import type { Facts } from '../banking/intake.ts';
import type { CreditTransfer } from '../banking/payment-file.ts';
import type { CheckoutCommand } from '../checkout/command.ts';
import type { CustomerCommand } from '../checkout/customer.ts';
import type { Refusal } from '../checkout/refusal.ts';
import type { Checkout, Scope } from '../checkout/session.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import { envelope, type Presenter } from '../presenter.ts';
import type { Delivery, DeliveryResult } from '../store/delivery.ts';
import type { BankFile, Notice } from '../store/notice.ts';
import type { Answer, Audit, IdempotencyKey, Writes } from '../store/store.ts';
import type { EndpointCommand } from '../webhooks/endpoint.ts';

/** Who asks, and how the answer is to be kept for a repetition of the request. */
export type Origin = {
  readonly scope: Scope;
  /** Id of the API key, or `payer`, `time`, `rail`. */
  readonly actor: string;
  readonly requestId: string;
  readonly idempotency: IdempotencyKey | null;
};

/** How a success is answered: with the envelope of this operation around what the order is about. */
export type Reply = {
  /** As messages name it: `CHECKOUT.UPDATE`. */
  readonly operation: string;
  readonly statusCode?: number;
  readonly location?: string;
};

export type CheckoutOrder = {
  readonly subject: 'checkout';
  readonly origin: Origin;
  readonly id: string;
  readonly command: CheckoutCommand;
  readonly reply?: Reply;
  /** What of the session the answer shows, as JSON; absent: the session. */
  readonly shows?: (checkout: Checkout, presenter: Presenter) => string;
};

export type CustomerOrder = {
  readonly subject: 'customer';
  readonly origin: Origin;
  readonly id: string;
  readonly command: CustomerCommand;
  /** In the clock of the account and mode. */
  readonly now: number;
  readonly reply: Reply;
};

export type EndpointOrder = {
  readonly subject: 'endpoint';
  readonly origin: Origin;
  readonly id: string;
  readonly command: EndpointCommand;
  readonly now: number;
  readonly reply: Reply;
};

export type ClockOrder = {
  readonly subject: 'clock';
  readonly origin: Origin;
  readonly now: number;
  readonly advanceMs: number;
  readonly reply: Reply;
};

/** To make these deliveries again. */
export type ResendOrder = {
  readonly subject: 'resend';
  readonly origin: Origin;
  readonly deliveries: readonly Delivery[];
  readonly now: number;
  readonly reply: Reply;
  /** For those that are chosen by what they have in common, perhaps their endpoint; and where the next ones begin. */
  readonly many?: { readonly endpoint?: string; readonly nextCursor: string | null };
};

/** About an entry of a bank statement. */
export type EntryOrder = {
  readonly subject: 'entry';
  readonly origin: Origin;
  readonly now: number;
  /** Of its notice; of a new one, the id it is to have. */
  readonly id: string;
  /** By which the same entry is known again. */
  readonly reference: string;
  readonly action: EntryAction;
  readonly reply?: Reply;
};

export type EntryAction =
  | { readonly type: 'take_in'; readonly entry: BankEntry; readonly facts: Facts }
  | { readonly type: 'retry'; readonly facts: Facts }
  | {
      readonly type: 'assign';
      readonly parts: ReadonlyArray<{ readonly checkout: string; readonly amount: number }>;
    }
  | { readonly type: 'ignore'; readonly reason: string }
  | { readonly type: 'reopen'; readonly reason: string }
  | { readonly type: 'send_back'; readonly reason: string }
  /** For a booking in one sum: its parts are in this file as entries of their own. */
  | { readonly type: 'take_apart'; readonly entry: BankEntry; readonly file: string };

/** A provider's notice: to be kept, or after it was looked at. */
export type NoticeOrder = {
  readonly subject: 'notice';
  readonly scope: Scope;
  readonly notice: Notice;
};

/** Asks ahead of long work whether the request was answered before; for a new one it comes to `not_found`. */
export type RepetitionOrder = { readonly subject: 'repetition'; readonly origin: Origin };

/** A statement that was read. */
export type BankFileOrder = {
  readonly subject: 'bank_file';
  readonly origin: Origin;
  readonly now: number;
  readonly file: BankFile;
  /** It is kept already: only the answer is new. */
  readonly isKnown: boolean;
  readonly reply: Reply;
  /** What the answer shows, as JSON. */
  readonly shows: string;
};

/** To make a file of payments for a bank. */
export type PaymentFileOrder = {
  readonly subject: 'payment_file';
  readonly origin: Origin;
  readonly now: number;
  readonly id: string;
  /** That the money leaves. */
  readonly account: ReceivingAccount;
  /** YYYY-MM-DD. */
  readonly executeOn: string;
  readonly refunds: ReadonlyArray<CreditTransfer & { readonly checkout: string }>;
  /** Money without a session that goes back; `reference` is the one of its entry. */
  readonly returns: ReadonlyArray<CreditTransfer & { readonly reference: string }>;
  /** What is still to be sent, and why it is not in this file. */
  readonly leftOut: ReadonlyArray<{ readonly id: string; readonly reason: string }>;
  readonly reply: Reply;
};

/** What came of deliveries. */
export type DeliveriesOrder = {
  readonly subject: 'deliveries';
  readonly scope: Scope;
  readonly results: readonly DeliveryResult[];
};

export type Order =
  | CheckoutOrder
  | CustomerOrder
  | EndpointOrder
  | ClockOrder
  | ResendOrder
  | EntryOrder
  | NoticeOrder
  | RepetitionOrder
  | BankFileOrder
  | PaymentFileOrder
  | DeliveriesOrder;

export type Outcome = { readonly kind: 'success' | 'replay'; readonly answer: Answer } | Refusal;

/** What has just been committed, for those who wait for it: open pages, readers of the feed and the worker. */
export type Committed = {
  readonly scope: Scope;
  /** Ids of the sessions that changed. */
  readonly checkouts: readonly string[];
  readonly events: number;
  /** Deliveries that may go out now. */
  readonly deliveries: number;
};

/** What an order comes to once everything is loaded. */
export type Decided = {
  readonly writes: Writes;
  /** Where several sessions change at once: what is written for the others. */
  readonly further?: readonly Writes[];
  readonly answer: Answer;
  readonly committed: Committed | null;
};

export const noAnswer: Answer = { statusCode: 204, headers: {}, body: '' };

export function answerOf(
  { operation, statusCode = 200, location }: Reply,
  data: string,
  headers = {},
): Answer {
  const all = { ...headers, ...(location === undefined ? {} : { location }) };
  return { statusCode, headers: all, body: envelope(operation, data) };
}

export function auditOf(origin: Origin, subject: string, version: number, at: number, action: string): Audit {
  return { subject, version, at, actor: origin.actor, action, requestId: origin.requestId };
}
