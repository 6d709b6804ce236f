/** Deliveries: new, claimed, finished, and as read. */
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { EventId, EventRow, SubjectId } from '../events/event.ts';
import type { Id } from '../lib/id.ts';
import type { RealTime } from '../lib/time.ts';
import type { Endpoint } from './endpoint.ts';

export type DeliveryId = Id<'whd'>;

export const NO_SUCH_DELIVERY = 'There is no such webhook delivery.';

/** A delivery and its ordering key, which never changes. */
export type OrderedDelivery = {
  readonly id: DeliveryId;
  /** Id of an endpoint, or the origin of the address that a session names. */
  readonly receiver: string;
  readonly subject: SubjectId;
};

/** An event for a receiver, due at once unless an earlier event of the same subject is still on its way there. */
export type DeliveryRow = OrderedDelivery & {
  readonly event: EventId;
  readonly sequence: number;
  /** Address named by the session; null for an endpoint. */
  readonly url: string | null;
  /** In the clock of the account and mode. */
  readonly createdAt: TenantTime;
};

export type Resend = OrderedDelivery & {
  /** In the clock of the account and mode. */
  readonly at: TenantTime;
};

export type Claim = {
  /** In the clock of the account and mode. */
  readonly now: TenantTime;
  /** Time of the lease, which concerns processes and not data: by a clock that all of them share. */
  readonly realNow: RealTime;
  /** By a clock that nobody can set, for leases that no other process has to understand. */
  readonly elapsedMs: number;
  readonly leaseMs: number;
  readonly limit: number;
};

export type DeliveryClaim = Claim & {
  /** Number of further deliveries that this process would send to a receiver. */
  readonly room: (receiver: string) => number;
  /** Hears of what cannot be sent, each time that it is looked at. */
  readonly onDamaged?: (damaged: DamagedDelivery) => void;
};

/** A due delivery whose event, or endpoint, is not what was written. It waits until somebody repairs that. */
export type DamagedDelivery = {
  readonly tenant: Tenant;
  readonly id: DeliveryId;
  readonly receiver: string;
};

export type ClaimedDelivery = {
  readonly tenant: Tenant;
  readonly id: DeliveryId;
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
  readonly dueAt: TenantTime;
  /** Identifies this lease among all leases of the delivery. */
  readonly lease: RealTime;
  /** True if its receiver was failing when the delivery was claimed. */
  readonly failing: boolean;
  readonly event: EventRow;
};

export type DeliveryResult = {
  readonly id: DeliveryId;
  readonly receiver: string;
  readonly subject: SubjectId;
  /** Lease of the claim; null accepts any lease. */
  readonly lease: RealTime | null;
  /**
   * Round of the claim; null accepts any round. If the delivery was resent by hand since, only a successful attempt
   * ends it.
   */
  readonly round: number | null;
  /** As in the claim. */
  readonly failing: boolean;
  /** Time of the attempt, in the clock of the account and mode. */
  readonly at: TenantTime;
  readonly state: DeliveryState;
  /** Time of the next attempt, for `pending`. */
  readonly dueAt: TenantTime | null;
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
export type Delivery = OrderedDelivery & {
  readonly createdAt: TenantTime;
  readonly event: EventId;
  readonly eventType: string;
  readonly url: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Null as well while the delivery waits behind an earlier one. */
  readonly dueAt: TenantTime | null;
  readonly triedAt: TenantTime | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
};

/** A delivery with its place within its ordering key. */
export type PlacedDelivery = Delivery & {
  readonly sequence: number;
  /** True while an earlier one of its ordering key is pending. */
  readonly isBehind: boolean;
};

export type DeliveryAttempt = {
  readonly number: number;
  readonly at: TenantTime;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** Beginning of the receiver's answer. */
  readonly answer: string;
};
