/** What can be asked of `execute`, and what comes of it. */

import type { BankFile } from '../banking/bank-file.ts';
import type { Facts } from '../banking/effects.ts';
import type { BankEntry } from '../banking/entry.ts';
import type { CreditTransfer } from '../banking/payment-file.ts';
import type { CheckoutCommand } from '../checkout/commands.ts';
import type { CustomerCommand } from '../checkout/customer.ts';
import type { Refusal } from '../checkout/refusals.ts';
import type { Serializer } from '../checkout/serializer.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { envelope } from '../lib/envelope.ts';
import type { ReceivingAccount } from '../methods/bank/receiving-account.ts';
import type { Notice } from '../methods/provider-event.ts';
import type { Answer, Audit, IdempotencyKey, Writes } from '../store/store.ts';
import type { Delivery, DeliveryResult } from '../webhooks/delivery.ts';
import type { EndpointCommand } from '../webhooks/endpoint.ts';

/** Who asks, and how the answer is to be kept for a repetition of the request. */
export type Origin = {
  readonly tenant: Tenant;
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

export type ChangeCheckout = {
  readonly subject: 'checkout';
  readonly origin: Origin;
  readonly id: string;
  readonly command: CheckoutCommand;
  readonly reply?: Reply;
  /** What of the session the answer shows, as JSON; absent: the session. */
  readonly shows?: (checkout: Checkout, serializer: Serializer) => string;
};

export type ChangeCustomer = {
  readonly subject: 'customer';
  readonly origin: Origin;
  readonly id: string;
  readonly command: CustomerCommand;
  /** In the clock of the account and mode. */
  readonly now: number;
  readonly reply: Reply;
};

export type ChangeEndpoint = {
  readonly subject: 'endpoint';
  readonly origin: Origin;
  readonly id: string;
  readonly command: EndpointCommand;
  readonly now: number;
  readonly reply: Reply;
};

export type AdvanceClock = {
  readonly subject: 'clock';
  readonly origin: Origin;
  readonly now: number;
  readonly advanceMs: number;
  readonly reply: Reply;
};

/** To make these deliveries again. */
export type ResendDeliveries = {
  readonly subject: 'resend';
  readonly origin: Origin;
  readonly deliveries: readonly Delivery[];
  readonly now: number;
  readonly reply: Reply;
  /** For those that are chosen by what they have in common, perhaps their endpoint; and where the next ones begin. */
  readonly many?: { readonly endpoint?: string; readonly nextCursor: string | null };
};

/** About an entry of a bank statement. */
export type SettleEntry = {
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
export type RecordNotice = {
  readonly subject: 'notice';
  readonly tenant: Tenant;
  readonly notice: Notice;
};

/** Asks ahead of long work whether the request was answered before; for a new one it comes to `not_found`. */
export type FindRepetition = { readonly subject: 'repetition'; readonly origin: Origin };

/** A statement that was read. */
export type KeepBankFile = {
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
export type MakePaymentFile = {
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
export type RecordDeliveries = {
  readonly subject: 'deliveries';
  readonly tenant: Tenant;
  readonly results: readonly DeliveryResult[];
};

export type Order =
  | ChangeCheckout
  | ChangeCustomer
  | ChangeEndpoint
  | AdvanceClock
  | ResendDeliveries
  | SettleEntry
  | RecordNotice
  | FindRepetition
  | KeepBankFile
  | MakePaymentFile
  | RecordDeliveries;

export type Outcome = { readonly kind: 'success' | 'replay'; readonly answer: Answer } | Refusal;

/** What has just been committed, for those who wait for it: open pages, readers of the feed and the worker. */
export type Committed = {
  readonly tenant: Tenant;
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
