/** Provider event: what a provider sent by itself, kept verbatim as evidence. It is only a reason to ask the provider. */

import type { TenantTime } from '../checkout/tenant.ts';
import type { Id } from '../lib/id.ts';
import { untoldReasons } from './method.ts';

/**
 * `waiting`: its rail has to be asked when it is due; `done`: the rail has answered, or the event concerns no payment;
 * `open`: retries have ended without an answer, so a person has to look.
 */
export type ProviderEventState = 'waiting' | 'open' | 'done';

/** Reasons why an event has led to nothing: no session has its payment, or what its rail did when it was last asked. */
export const waitReasons = ['no_session', ...untoldReasons] as const;
export type WaitReason = (typeof waitReasons)[number];

export type ProviderEventId = Id<'pev'>;

export const NO_SUCH_EVENT = 'There is no such provider event, or it has led to a session.';

export type ProviderEvent = {
  readonly id: ProviderEventId;
  readonly rail: string;
  /** The rail's own id of the event, unique within the rail: the same event twice is stored once. */
  readonly reference: string;
  readonly receivedAt: TenantTime;
  readonly state: ProviderEventState;
  /** Due time; null unless it is waiting. */
  readonly dueAt: TenantTime | null;
  /** Number of attempts to match it. */
  readonly tries: number;
  /** Why the last of them came to nothing; null before the first one, and once it is done. */
  readonly reason: WaitReason | null;
  /** Reference of the attempt concerned, or null (see `InboundEvent`). */
  readonly attemptReference: string | null;
  /** Reference of the payment concerned, or null. */
  readonly paymentReference: string | null;
  /** The body of the request, verbatim. */
  readonly body: string;
};

/** A provider event that is not done, with the kind that its rail gives it, and without its body, in which people may be. */
export type WaitingEvent = Omit<ProviderEvent, 'body'> & { readonly kind: string };

/** The event without its body. */
export const waitingEvent = ({ body, ...event }: ProviderEvent): WaitingEvent => ({
  ...event,
  kind: kindIn(body),
});

/** Kinds as providers name them, such as `charge.dispute.created`. */
const kindForm = /^[a-z0-9_.]{1,64}$/i;

/** The kind that the body names; empty where it names none. */
export function kindIn(body: string): string {
  try {
    const { type } = Object(JSON.parse(body));
    return typeof type === 'string' && kindForm.test(type) ? type : '';
  } catch {
    return '';
  }
}
