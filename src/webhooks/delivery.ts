/** Deliveries: new, claimed, finished, and as read. */
import type { Tenant } from '../checkout/tenant.ts';
import type { EventRow } from '../events/event.ts';
import type { Endpoint } from './endpoint.ts';

/** An event for a receiver, due at once unless an earlier event of the same subject is still on its way there. */
export type DeliveryRow = {
  readonly id: string;
  readonly event: string;
  readonly subject: string;
  readonly sequence: number;
  /** Id of an endpoint, or the origin of the address that a session names. */
  readonly receiver: string;
  /** Address named by the session; null for an endpoint. */
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
  /** Real time of the lease, which concerns processes and not data. */
  readonly realNow: number;
  readonly leaseMs: number;
  readonly limit: number;
};

export type DeliveryClaim = Claim & {
  /** Number of further deliveries that this process would send to a receiver. */
  readonly room: (receiver: string) => number;
};

export type ClaimedDelivery = {
  readonly tenant: Tenant;
  readonly id: string;
  readonly receiver: string;
  /** Address named by the session; null for an endpoint. */
  readonly url: string | null;
  /** The endpoint; null if there is none, or none any more. */
  readonly endpoint: Endpoint | null;
  /** Attempts before this one, since the delivery was created or last resent by hand. */
  readonly attempts: number;
  /** Attempts before the last resend. */
  readonly round: number;
  /** Due time, in the clock of the account and mode. */
  readonly dueAt: number;
  /** Identifies this lease among all leases of the delivery. */
  readonly lease: number;
  /** True if its receiver was failing when the delivery was claimed. */
  readonly failing: boolean;
  readonly event: EventRow;
};

export type DeliveryResult = {
  readonly id: string;
  readonly receiver: string;
  readonly subject: string;
  /** Lease of the claim; null accepts any lease. */
  readonly lease: number | null;
  /**
   * Round of the claim; null accepts any round. If the delivery was resent by hand since, only a successful attempt
   * ends it.
   */
  readonly round: number | null;
  /** As in the claim. */
  readonly failing: boolean;
  /** Time of the attempt, in the clock of the account and mode. */
  readonly at: number;
  readonly state: DeliveryState;
  /** Time of the next attempt, for `pending`. */
  readonly dueAt: number | null;
  readonly httpStatus: number | null;
  readonly error: string | null;
  /** Null if nothing was sent. */
  readonly attempt: SentAttempt | null;
};

export type SentAttempt = {
  readonly durationMs: number;
  /**
   * Hash of the body that was sent, or empty if the answer is empty. A different hash of the event's body now means
   * that a person was redacted from it.
   */
  readonly bodyHash: string;
  /** Beginning of the answer, kept only while the event has the body that was sent, since the answer may repeat it. */
  readonly answer: string;
};

export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** A delivery as read. */
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
  /** Null as well while the delivery waits behind an earlier one. */
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
  /** Beginning of the receiver's answer. */
  readonly answer: string;
};
