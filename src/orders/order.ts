/** What can be asked of `transact`, and what comes of it. */
import type { CheckoutCommand } from '../checkout/command.ts';
import type { CustomerCommand } from '../checkout/customer.ts';
import type { Refusal } from '../checkout/refusal.ts';
import type { Scope } from '../checkout/session.ts';
import { envelope } from '../presenter.ts';
import type { Delivery, DeliveryResult } from '../store/delivery.ts';
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
