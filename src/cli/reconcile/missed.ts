/** Which events a receiver has missed: by what the service says alone, or by what the receiver says it has. */
import { firstIdAt } from '../../id.ts';
import { receiverOf } from '../../webhooks/endpoint.ts';
import type { Client } from '../client.ts';
import { eventsSince, type FeedEvent, subjectOf } from '../events/feed.ts';
import { printable } from '../printable.ts';
import type { Received } from './received.ts';

export type Missed = {
  readonly receiver: string;
  readonly event: string;
  readonly type: string;
  readonly subject: string;
  readonly problem: string;
  /** What can be sent again; null where the service is still trying, or never had anything to send. */
  readonly delivery: string | null;
};

export type Delivery = {
  readonly id: string;
  readonly event: string;
  readonly event_type: string;
  readonly checkout: string;
  readonly endpoint: string;
  readonly url: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly last_attempt_at: string | null;
  readonly last_error: string;
};

type Endpoint = { readonly id: string; readonly created_at: string; readonly events: readonly string[] };

/** `receiver` is the id of an endpoint, an origin as of addresses that sessions name, or null for all of them. */
export type Question = { readonly sinceMs: number; readonly receiver: string | null };

/** Look-ups of single events under way at once. */
const LOOK_UPS = 8;
/** The heading of events that nobody was to get. */
const NOBODY = 'no receiver';

export function receiverOfDelivery({ endpoint, url }: Delivery): string {
  return endpoint || receiverOf(url);
}

/** By the service alone: what is not delivered. */
export async function* undelivered(client: Client, { sinceMs, receiver }: Question): AsyncGenerator<Missed> {
  const since = { 'created_at[gte]': new Date(sinceMs).toISOString(), ...endpointQuery(receiver) };
  // First those that may yet become failed, or else they would be counted twice when they are sent again.
  for (const status of ['pending', 'failed']) {
    for await (const page of client.pages<Delivery>('/webhook_delivery', { ...since, status })) {
      for (const delivery of page) {
        if (receiver === null || receiverOfDelivery(delivery) === receiver) yield missedDelivery(delivery);
      }
    }
  }
}

/**
 * By what the receiver has: every event of the feed that it should have and has not. What it has, it has, whatever
 * came of the delivery.
 */
export async function* notReceived(
  client: Client,
  question: Question,
  received: Received,
): AsyncGenerator<Missed> {
  const { receiver, sinceMs } = question;
  const isExpected = await expectation(client, receiver);
  for await (const page of eventsSince(client, sinceMs)) {
    const events = page.filter(({ id }) => !received.take(id));
    for (let at = 0; at < events.length; at += LOOK_UPS) {
      const found = await Promise.all(
        events.slice(at, at + LOOK_UPS).map(async (event) => {
          const deliveries = await deliveriesOf(client, event, receiver);
          if (deliveries.length > 0) return deliveries.map(missedDelivery);
          return isExpected(event) ? [neverDelivered(event, receiver)] : [];
        }),
      );
      yield* found.flat();
    }
  }
}

/** What the receiver has and the feed has not: of another account or mode, or forged. To be asked at the end. */
export function* unknown(received: Received, sinceMs: number): Generator<string> {
  const first = firstIdAt('evt', sinceMs);
  // Earlier events were not looked at.
  for (const id of received.rest()) if (!/^evt_[0-9a-z]{26}$/.test(id) || id >= first) yield id;
}

/** When the first event was made that the feed has, if that is later: what is older is not kept, or never was there. */
export async function firstKept(client: Client, sinceMs: number): Promise<number> {
  const { data } = await client.page<FeedEvent>('/event', { after: '0', limit: '1' });
  return Math.max(sinceMs, Date.parse(data[0]?.created_at ?? '') || 0);
}

async function deliveriesOf(client: Client, { id }: FeedEvent, receiver: string | null): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for await (const page of client.pages<Delivery>('/webhook_delivery', {
    event: id,
    ...endpointQuery(receiver),
  }))
    deliveries.push(...page.filter((each) => receiver === null || receiverOfDelivery(each) === receiver));
  return deliveries;
}

/** Whether there should have been a delivery of an event that has none. */
async function expectation(client: Client, receiver: string | null): Promise<(event: FeedEvent) => boolean> {
  // News of endpoints go to other endpoints only, if any wants them.
  if (receiver === null) return ({ data }) => data.object !== 'webhook_endpoint';
  // A session that names an address has deliveries to it of all that happens to it.
  if (!receiver.startsWith('whe_')) return () => false;
  const { id, created_at, events } = await client.get<Endpoint>(`/webhook_endpoint/${receiver}`);
  const wants = (type: string) =>
    events.some((each) => each === '*' || each === type || each === `${type.split('.')[0]}.*`);
  return (event) => wants(event.type) && subjectOf(event) !== id && event.created_at >= created_at;
}

function endpointQuery(receiver: string | null): Readonly<Record<string, string>> {
  return receiver?.startsWith('whe_') ? { endpoint: receiver } : {};
}

function missedDelivery(delivery: Delivery): Missed {
  const { id, event, event_type, checkout, status } = delivery;
  return {
    receiver: receiverOfDelivery(delivery),
    event,
    type: event_type,
    // News of another endpoint have no session.
    subject: checkout || '-',
    problem: problemOf(delivery),
    delivery: status === 'pending' ? null : id,
  };
}

function problemOf({ status, attempts, last_attempt_at, last_error }: Delivery): string {
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const error = last_error === '' ? '' : `: ${printable(last_error)}`;
  if (status === 'delivered') return `delivered ${last_attempt_at ?? ''} and not there`;
  return `${status} after ${times}${error}`;
}

function neverDelivered(event: FeedEvent, receiver: string | null): Missed {
  return {
    receiver: receiver ?? NOBODY,
    event: event.id,
    type: event.type,
    subject: subjectOf(event),
    problem: 'never delivered: there is no delivery of it',
    delivery: null,
  };
}
