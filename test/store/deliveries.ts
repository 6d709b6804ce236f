/** Deliveries as the suites make, claim and finish them. */
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { EventRow } from '../../src/events/event.ts';
import { newId } from '../../src/lib/id.ts';
import { hashOfBody } from '../../src/store/redact.ts';
import type { Store, Unit, Writes } from '../../src/store/store.ts';
import type {
  ClaimedDelivery,
  Delivery,
  DeliveryClaim,
  DeliveryId,
  DeliveryResult,
  DeliveryRow,
  SentAttempt,
} from '../../src/webhooks/delivery.ts';
import { type Endpoint, MAX_ENDPOINTS } from '../../src/webhooks/endpoint.ts';
import type { Health } from '../../src/webhooks/health.ts';
import { changed, eventOf, session, T, write } from './build.ts';

export const HOUR = 3_600_000;
export const LEASE = 60_000;
/** A receiver as a session names it: the origin of its address. */
export const HOST = 'http://shop.example';
export const ELSEWHERE = 'http://other.example';

export const inOrder = <Id extends string>(rows: readonly { readonly id: Id }[]): Id[] =>
  rows.map(({ id }) => id);
/** Ids to be compared where no order is promised. */
export const ids = <Id extends string>(rows: readonly { readonly id: Id }[]): Id[] => inOrder(rows).sort();

type Destined = {
  /** Ids of endpoints, and origins. */
  readonly receivers?: readonly string[];
  /** The time at which the deliveries are made, and so are due. */
  readonly at?: number;
};

/** A delivery of each event to each of the receivers. */
export function deliveriesOf(
  events: readonly EventRow[],
  { receivers = [HOST], at = T }: Destined = {},
): DeliveryRow[] {
  return events.flatMap(({ id: event, subject, sequence }) =>
    receivers.map((receiver) => ({
      id: newId('whd', at),
      event,
      subject,
      sequence,
      receiver,
      url: receiver.startsWith('whe_') ? null : `${receiver}/hook`,
      createdAt: at,
    })),
  );
}

/** Further events of a session, or the first ones of a new one, and their deliveries. */
export function telling(
  before: Checkout | Tenant,
  count: number,
  destined: Destined = {},
): Required<Pick<Writes, 'checkout' | 'events' | 'deliveries'>> {
  const isNew = !('id' in before);
  const first = isNew ? 1 : before.eventCount + 1;
  const eventCount = first + count - 1;
  const after = isNew ? session(before, { eventCount }) : changed(before, { eventCount });
  const events = Array.from({ length: count }, (_, index) =>
    eventOf(after, 'checkout.updated', { sequence: first + index }),
  );
  const checkout = { before: isNew ? null : before, after };
  return { checkout, events, deliveries: deliveriesOf(events, destined) };
}

export type Told = { readonly session: Checkout; readonly ids: readonly DeliveryId[] };

/** Stores what `telling` makes; the ids are those of the deliveries. */
export async function tell(
  store: Store,
  before: Checkout | Tenant,
  count = 1,
  destined: Destined = {},
): Promise<Told> {
  const writes = telling(before, count, destined);
  const { after } = writes.checkout;
  const checkout = 'id' in before ? { checkouts: [after.id] } : {};
  await store.commit([{ needs: { tenant: after.tenant, ...checkout }, decide: () => [writes] }]);
  return { session: after, ids: inOrder(writes.deliveries) };
}

/** Writes a session with one delivery for each of these times. */
export async function apart(
  store: Store,
  tenant: Tenant,
  dueAt: readonly number[],
  receiver = HOST,
): Promise<DeliveryId[]> {
  const all: DeliveryId[] = [];
  for (const at of dueAt) all.push(...(await tell(store, tenant, 1, { receivers: [receiver], at })).ids);
  return all;
}

/** A claim at this time, in real time and by the clock of the process as well unless others are given. */
export function claimAt(now: number, given: Partial<DeliveryClaim> = {}): DeliveryClaim {
  const { realNow = now, elapsedMs = realNow } = given;
  return { now, leaseMs: LEASE, limit: 10, room: () => 100, ...given, realNow, elapsedMs };
}

export function claim(
  store: Store,
  tenant: Tenant,
  now: number,
  given: Partial<DeliveryClaim> = {},
): Promise<readonly ClaimedDelivery[]> {
  return store.work.claimDeliveries(tenant, claimAt(now, given));
}

/** Claims the only one that is due. */
export async function claimOne(
  store: Store,
  tenant: Tenant,
  now: number,
  given: Partial<DeliveryClaim> = {},
): Promise<ClaimedDelivery> {
  const [claimed, ...others] = await claim(store, tenant, now, given);
  if (claimed === undefined || others.length > 0) {
    throw new Error(`${others.length + (claimed ? 1 : 0)} are due`);
  }
  return claimed;
}

/** An attempt that was answered so. */
export function sent({ event }: ClaimedDelivery, answer: string, durationMs = 12): SentAttempt {
  return { durationMs, bodyHash: hashOfBody(event.body), answer };
}

/** The result of a delivery that has arrived, unless something else is given. */
export function result(claimed: ClaimedDelivery, given: Partial<DeliveryResult> = {}): DeliveryResult {
  const { id, receiver, event, lease, round, failing, dueAt } = claimed;
  return {
    id,
    receiver,
    subject: event.subject,
    lease,
    round,
    failing,
    at: dueAt,
    state: 'delivered',
    dueAt: null,
    httpStatus: 200,
    error: null,
    attempt: sent(claimed, 'thanks'),
    ...given,
  };
}

/** The result of a delivery that failed and is to be tried again then. */
export function tryAgain(
  claimed: ClaimedDelivery,
  dueAt: number,
  given: Partial<DeliveryResult> = {},
): DeliveryResult {
  return result(claimed, { state: 'pending', dueAt, httpStatus: 503, error: 'status 503', ...given });
}

/** The result of a delivery that was given up. */
export function giveUp(claimed: ClaimedDelivery, given: Partial<DeliveryResult> = {}): DeliveryResult {
  return result(claimed, { state: 'failed', httpStatus: null, error: 'timeout', ...given });
}

/** The unit that writes what came of deliveries, with the locks that it needs. */
export function finishing(tenant: Tenant, deliveryResults: readonly DeliveryResult[]): Unit {
  const deliverySubjects = [...new Set(deliveryResults.map(({ subject }) => subject))];
  return { needs: { tenant, deliverySubjects }, decide: () => [{ deliveryResults }] };
}

/** Writes what came of deliveries of one account and mode. */
export function finish(store: Store, tenant: Tenant, ...results: DeliveryResult[]): Promise<void> {
  return store.commit([finishing(tenant, results)]);
}

/** Makes these deliveries again. */
export async function resend(store: Store, tenant: Tenant, at: number, ...all: DeliveryId[]): Promise<void> {
  const found = await Promise.all(all.map((id) => store.deliveries.fetch(tenant, id)));
  const resends = found.map((each) => {
    const { id, receiver, subject } = each as Delivery;
    return { id, receiver, subject, at };
  });
  const deliverySubjects = resends.map(({ subject }) => subject);
  await store.commit([{ needs: { tenant, deliverySubjects }, decide: () => [{ resends }] }]);
}

/** Delivers everything that comes due by then, and says in which order. */
export async function drain(store: Store, tenant: Tenant, now: number): Promise<ClaimedDelivery[]> {
  const all: ClaimedDelivery[] = [];
  for (;;) {
    const claimed = await claim(store, tenant, now, { limit: 100 });
    if (claimed.length === 0) return all;
    all.push(...claimed);
    await finish(store, tenant, ...claimed.map((each) => result(each)));
  }
}

/** The health of a failing receiver, suspended if `probeAt` is given. */
export function health(given: Partial<Health> = {}): Health {
  return {
    failures: 3,
    failingSince: T,
    probes: 0,
    probeAt: null,
    announced: false,
    lastError: 'timeout',
    ...given,
  };
}

/** Writes how a receiver fares; null for well. */
export function setHealth(store: Store, tenant: Tenant, id: string, now: Health | null): Promise<void> {
  return write(store, tenant, { receivers: [{ id, health: now }] });
}

let slotsTaken = 0;

export function endpoint(tenant: Tenant, given: Partial<Endpoint> = {}): Endpoint {
  return {
    id: newId('whe', T),
    tenant,
    version: 1,
    eventCount: 0,
    slot: 1 + (slotsTaken++ % MAX_ENDPOINTS),
    url: 'https://shop.example/opentill',
    events: ['*'],
    description: '',
    disabled: null,
    secret: 'whsec_c2VjcmV0',
    previousSecret: null,
    createdAt: T,
    updatedAt: T,
    ...given,
  };
}

export async function addEndpoint(store: Store, made: Endpoint): Promise<Endpoint> {
  await write(store, made.tenant, { endpoints: [{ before: null, after: made }] });
  return made;
}
