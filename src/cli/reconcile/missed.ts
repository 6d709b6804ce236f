/** Events that a receiver has missed: by the deliveries of the service alone, or by the receiver's own list. */
import { firstIdAt } from '../../lib/id.ts';
import type { Client } from '../client.ts';
import { eventsSince, type FeedEvent } from '../events/feed.ts';
import {
  type Delivery,
  type Missed,
  missedDelivery,
  neverDelivered,
  receiverOfDelivery,
} from '../webhooks/delivery.ts';
import { type Endpoint, type Endpoints, endpointIn, isFor } from './endpoints.ts';
import { createIdSet, type Received } from './received.ts';

/** `receiver` is the id of an endpoint, an origin as of addresses that sessions name, or null for all of them. */
export type Question = {
  readonly sinceMs: number;
  readonly receiver: string | null;
  readonly endpoints: Endpoints;
};

/** Findings beside the missed events. */
export type Aside = {
  /** Deliveries to endpoints that were removed: nobody waits for them any more. */
  removed: number;
  /** Endpoints that are off, and so are not compared with the feed. */
  off: readonly string[];
  /** Beginning of the comparison with the feed, if that is later than was asked. */
  comparedFromMs: number | null;
};

/** Look-ups of single events under way at once. */
const LOOK_UPS = 8;
/** Least time for which the service keeps deliveries. */
const SHORTEST_LOG_MS = 4 * 86_400_000;
const EARLIEST_DELIVERY = `whd_${'0'.repeat(26)}`;

/** Missed events as the service alone knows them: undelivered ones, and those without a delivery to an endpoint. */
export async function* undelivered(client: Client, question: Question, aside: Aside): AsyncGenerator<Missed> {
  const { sinceMs, receiver, endpoints } = question;
  const compared = [...comparedOf(question, aside)];
  const made = createIdSet();
  try {
    const since = { 'created_at[gte]': new Date(sinceMs).toISOString(), ...endpointQuery(receiver) };
    // Without a comparison those that arrived are of no interest. Of the others first those that may yet become
    // failed, or else they would be counted twice when they are sent again.
    const queries = compared.length > 0 ? [{}] : [{ status: 'pending' }, { status: 'failed' }];
    for (const query of queries) {
      for await (const page of client.pages<Delivery>('/webhook_delivery', { ...since, ...query })) {
        for (const delivery of page) {
          if (receiver !== null && receiverOfDelivery(delivery) !== receiver) continue;
          if (compared.length > 0) made.add(keyOf(delivery.event, delivery.endpoint));
          if (delivery.status === 'delivered') continue;
          if (delivery.endpoint === '' || endpoints.has(delivery.endpoint)) yield missedDelivery(delivery);
          else aside.removed++;
        }
      }
    }
    if (compared.length > 0) yield* withoutDelivery(client, sinceMs, compared, made, aside);
  } finally {
    made.close();
  }
}

/** Endpoints whose deliveries are compared with the feed. A disabled one gets nothing on purpose, so it has to be asked for. */
function comparedOf({ receiver, endpoints }: Question, aside: Aside): readonly Endpoint[] {
  if (receiver?.startsWith('whe_')) return [endpointIn(endpoints, receiver)];
  if (receiver !== null) return [];
  const all = [...endpoints.values()];
  aside.off = all.filter(({ status }) => status === 'disabled').map(({ id }) => id);
  return all.filter(({ status }) => status === 'enabled');
}

async function* withoutDelivery(
  client: Client,
  sinceMs: number,
  compared: readonly Endpoint[],
  made: Received,
  aside: Aside,
): AsyncGenerator<Missed> {
  const fromMs = Math.max(sinceMs, await logStart(client));
  for await (const page of eventsSince(client, sinceMs)) {
    const lacking = page.flatMap((event) =>
      compared
        .filter((endpoint) => isFor(endpoint, event) && !made.take(keyOf(event.id, endpoint.id)))
        .map(({ id }) => ({ event, endpoint: id })),
    );
    const certain = lacking.filter(({ event }) => Date.parse(event.created_at) >= fromMs);
    if (certain.length < lacking.length) aside.comparedFromMs = fromMs;
    yield* lookedUp(certain, async ({ event, endpoint }) => {
      // It may have been made since the deliveries were looked through.
      const deliveries = await deliveriesOf(client, event, endpoint);
      return deliveries.length === 0 ? [neverDelivered(event, endpoint)] : [];
    });
  }
}

/** A few look-ups at a time. */
async function* lookedUp<T>(
  all: readonly T[],
  lookUp: (one: T) => Promise<readonly Missed[]>,
): AsyncGenerator<Missed> {
  for (let at = 0; at < all.length; at += LOOK_UPS) {
    const found = await Promise.all(all.slice(at, at + LOOK_UPS).map(lookUp));
    yield* found.flat();
  }
}

/** The time since which a missing delivery means that there was none: older ones may have been removed. */
async function logStart(client: Client): Promise<number> {
  const { data } = await client.page<Delivery>('/webhook_delivery', {
    before: EARLIEST_DELIVERY,
    limit: '1',
  });
  const oldestMs = Date.parse(data[0]?.created_at ?? '');
  return Math.min(Number.isNaN(oldestMs) ? Number.POSITIVE_INFINITY : oldestMs, Date.now() - SHORTEST_LOG_MS);
}

const keyOf = (event: string, endpoint: string) => `${event} ${endpoint}`;

/**
 * Missed events by what the receiver has: every event of the feed that it should have and has not. What it has, it has, whatever
 * came of the delivery.
 */
export async function* notReceived(
  client: Client,
  question: Question,
  received: Received,
): AsyncGenerator<Missed> {
  const { receiver, sinceMs, endpoints } = question;
  const isExpected = expectation(question);
  const isThere = ({ endpoint }: Delivery) => endpoint === '' || endpoints.has(endpoint);
  for await (const page of eventsSince(client, sinceMs)) {
    const lacking = page.filter(({ id }) => !received.take(id));
    yield* lookedUp(lacking, async (event) => {
      const deliveries = await deliveriesOf(client, event, receiver);
      // One to an endpoint that was removed counts only if nobody else was to get the event.
      const current = deliveries.filter(isThere);
      if (deliveries.length > 0) return (current.length > 0 ? current : deliveries).map(missedDelivery);
      return isExpected(event) ? [neverDelivered(event, receiver)] : [];
    });
  }
}

/** Ids that the receiver has and the feed has not: of another account or mode, or forged. To be asked at the end. */
export function* unknown(received: Received, sinceMs: number): Generator<string> {
  const first = firstIdAt('evt', sinceMs);
  // Earlier events were not looked at.
  for (const id of received.rest()) if (!/^evt_[0-9a-z]{26}$/.test(id) || id >= first) yield id;
}

/** Time of the feed's first event if that is later than the wanted start: older events are not kept, or never existed. */
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

/** Tells if there should have been a delivery of an event that has none. */
function expectation({ receiver, endpoints }: Question): (event: FeedEvent) => boolean {
  // News of endpoints go to other endpoints only, if any wants them.
  if (receiver === null) return ({ data }) => data.object !== 'webhook_endpoint';
  // A session that names an address has deliveries to it of all that happens to it.
  if (!receiver.startsWith('whe_')) return () => false;
  const endpoint = endpointIn(endpoints, receiver);
  return (event) => isFor(endpoint, event);
}

function endpointQuery(receiver: string | null): Readonly<Record<string, string>> {
  return receiver?.startsWith('whe_') ? { endpoint: receiver } : {};
}
