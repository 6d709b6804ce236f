/** Deliveries as they are written, claimed, finished and shown. */
import type { Tenant } from '../checkout/tenant.ts';
import type { EventRow } from '../events/event.ts';
import type { Endpoint } from './endpoint.ts';

/** An event for a receiver, due at once unless an earlier one of the same subject still is on its way there. */
export type DeliveryRow = {
  readonly id: string;
  readonly event: string;
  readonly subject: string;
  readonly sequence: number;
  /** Id of an endpoint, or the origin of the address that a session names. */
  readonly receiver: string;
  /** That address; null for an endpoint. */
  readonly url: string | null;
  /** In the clock of the account and mode. */
  readonly createdAt: number;
};

export type Resend = {
  readonly id: string;
  readonly receiver: string;
  readonly subject: string;
  /** In the clock of the account and mode. */
  readonly at: number;
};

export type Claim = {
  /** In the clock of the account and mode. */
  readonly now: number;
  /** For the lease, which is about processes and not about data. */
  readonly realNow: number;
  readonly leaseMs: number;
  readonly limit: number;
};

export type DeliveryClaim = Claim & {
  /** How many more this process would send to a receiver. */
  readonly room: (receiver: string) => number;
};

export type ClaimedDelivery = {
  readonly tenant: Tenant;
  readonly id: string;
  readonly receiver: string;
  /** Where the session wants it; null for an endpoint. */
  readonly url: string | null;
  /** The endpoint; null where it is none, or is there no longer. */
  readonly endpoint: Endpoint | null;
  /** How often it has been tried before, since it was made or last sent again by hand. */
  readonly attempts: number;
  /** How many were made before that. */
  readonly round: number;
  /** When it should go out, in the clock of the account and mode. */
  readonly dueAt: number;
  /** Tells this lease of the delivery from others, before and after it. */
  readonly lease: number;
  /** Whether its receiver was failing when it was claimed. */
  readonly failing: boolean;
  readonly event: EventRow;
};

export type DeliveryResult = {
  readonly id: string;
  readonly receiver: string;
  readonly subject: string;
  /** As it was claimed; null counts whoever has it. */
  readonly lease: number | null;
  /**
   * As it was claimed; null counts for any. Where it has been sent again by hand since, only an arrival is the end of
   * it.
   */
  readonly round: number | null;
  /** As it was claimed. */
  readonly failing: boolean;
  /** When it was tried, in the clock of the account and mode. */
  readonly at: number;
  readonly state: DeliveryState;
  /** When to try again, for `pending`. */
  readonly dueAt: number | null;
  readonly httpStatus: number | null;
  readonly error: string | null;
  /** Null where nothing was sent. */
  readonly attempt: SentAttempt | null;
};

export type SentAttempt = {
  readonly durationMs: number;
  /** Of the body as it was sent, or empty beside an empty answer: where the event has another one now, a person was erased from it. */
  readonly bodyHash: string;
  /** Kept only while the event has that body, for it may say again what it was told. */
  readonly answer: string;
};

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** A delivery as it is shown. */
export type Delivery = {
  readonly id: string;
  readonly createdAt: number;
  readonly event: string;
  readonly eventType: string;
  readonly subject: string;
  readonly receiver: string;
  readonly url: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Null also while it waits behind an earlier one. */
  readonly dueAt: number | null;
  readonly triedAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
};

export type DeliveryAttempt = {
  readonly number: number;
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of what the receiver said. */
  readonly answer: string;
};

export type DeliveryFilter = {
  readonly receiver?: string;
  readonly subject?: string;
  readonly event?: string;
  readonly state?: DeliveryState;
  readonly createdFrom?: number;
  readonly createdBefore?: number;
};
