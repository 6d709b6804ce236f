/** Webhook deliveries as commands read and show them, and the missed events that they tell of. */
import { receiverOf } from '../../webhooks/endpoint.ts';
import { type FeedEvent, subjectOf } from '../events/feed.ts';
import { printable } from '../printable.ts';

export type Delivery = {
  readonly id: string;
  readonly created_at: string;
  readonly event: string;
  readonly event_type: string;
  readonly checkout: string;
  readonly endpoint: string;
  readonly url: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly receiver_status: 'healthy' | 'failing' | 'suspended';
  readonly attempts: number;
  /** Null also while it waits behind an earlier one. */
  readonly next_attempt_at: string | null;
  readonly last_attempt_at: string | null;
  readonly last_error: string;
};

export const deliveryKeys = {
  id: 'Id of the delivery, `whd_…`.',
  created_at: 'Time of creation.',
  event: 'Id of the event.',
  event_type: 'Type of the event.',
  checkout: 'Id of the session, or empty.',
  endpoint: 'Id of the webhook endpoint, or empty.',
  url: 'Address of the receiver.',
  status: '`pending`, `delivered` or `failed`.',
  receiver_status: '`healthy`, `failing` or `suspended`.',
  attempts: 'Number of attempts.',
  next_attempt_at: 'Time at which the next attempt is due, or null.',
  last_attempt_at: 'Time of the last attempt, or null.',
  last_error: 'Error of the last attempt, or empty.',
} as const;

export function lineOf(delivery: Delivery, withReceiver: boolean): string {
  const { id, created_at, status, event, event_type, checkout, last_error } = delivery;
  const columns = [
    id,
    created_at,
    status.padEnd(9),
    event,
    event_type,
    checkout,
    withReceiver ? receiverOfDelivery(delivery) : '',
    attemptsInWords(delivery),
    printable(last_error),
  ];
  return columns.filter((text) => text !== '').join('  ');
}

export type Missed = {
  readonly receiver: string;
  readonly isSuspended: boolean;
  readonly event: string;
  readonly type: string;
  readonly subject: string;
  readonly problem: string;
  /** The service is still trying. */
  readonly isPending: boolean;
  /** Null where there never was one. */
  readonly delivery: string | null;
};

/** The heading of events that nobody was to get. */
const NOBODY = 'no receiver';

export function receiverOfDelivery({ endpoint, url }: Delivery): string {
  return endpoint || receiverOf(url);
}

function attemptsInWords({ attempts }: Delivery): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}

export function missedDelivery(delivery: Delivery): Missed {
  const { id, event, event_type, checkout, status, receiver_status } = delivery;
  return {
    receiver: receiverOfDelivery(delivery),
    isSuspended: receiver_status === 'suspended',
    event,
    type: event_type,
    // News of another endpoint have no session.
    subject: checkout || '-',
    problem: problemOf(delivery),
    isPending: status === 'pending',
    delivery: id,
  };
}

function problemOf(delivery: Delivery): string {
  const { status, last_attempt_at, last_error } = delivery;
  const error = last_error === '' ? '' : `: ${printable(last_error)}`;
  if (status === 'delivered') return `delivered ${last_attempt_at ?? ''} and not there`;
  return `${status} after ${attemptsInWords(delivery)}${error}`;
}

export function neverDelivered(event: FeedEvent, receiver: string | null): Missed {
  return {
    receiver: receiver ?? NOBODY,
    isSuspended: false,
    event: event.id,
    type: event.type,
    subject: subjectOf(event),
    problem: 'never delivered: there is no delivery of it',
    isPending: false,
    delivery: null,
  };
}
