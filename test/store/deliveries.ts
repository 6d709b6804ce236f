/** Deliveries as the suites make, claim and finish them. */
import type { Scope } from '../../src/checkout/session.ts';
import { newId } from '../../src/id.ts';
import type { Claim, ClaimedDelivery, DeliveryResult, Store } from '../../src/store/store.ts';
import { eventOf, session, T, write } from './build.ts';

export const HOUR = 3_600_000;
export const LEASE = 60_000;
export const HOOK = 'http://shop.example/hook';

export const inOrder = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);
/** Ids to be compared where no order is promised. */
export const ids = (rows: readonly { readonly id: string }[]): string[] => inOrder(rows).sort();

/** A session with one delivery for each of these times. */
export async function together(
  store: Store,
  scope: Scope,
  dueAt: readonly number[],
  webhookUrl = HOOK,
): Promise<string[]> {
  const after = session(scope, { webhookUrl });
  const event = eventOf(after, 'checkout.created');
  const rows = dueAt.map((at) => ({
    id: newId('whd', T),
    event: event.id,
    checkout: after.id,
    url: webhookUrl,
    dueAt: at,
  }));
  await write(store, scope, { checkout: { before: null, after }, events: [event], deliveries: rows });
  return rows.map(({ id }) => id);
}

/** For each of these times a session with one delivery. */
export async function apart(
  store: Store,
  scope: Scope,
  dueAt: readonly number[],
  webhookUrl = HOOK,
): Promise<string[]> {
  const all: string[] = [];
  for (const at of dueAt) all.push(...(await together(store, scope, [at], webhookUrl)));
  return all;
}

/** A claim at this time, in real time as well unless another is given. */
export function claimAt(now: number, given: Partial<Claim> = {}): Claim {
  return { now, realNow: now, leaseMs: LEASE, limit: 10, ...given };
}

export function claim(
  store: Store,
  scope: Scope,
  now: number,
  given: Partial<Claim> = {},
): Promise<readonly ClaimedDelivery[]> {
  return store.claimDeliveries(scope, claimAt(now, given));
}

export function result(id: string, given: Partial<DeliveryResult> = {}): DeliveryResult {
  return { id, state: 'delivered', dueAt: null, httpStatus: 200, error: null, ...given };
}

/** What came of a delivery that is to be tried again then. */
export function tryAgain(id: string, dueAt: number): DeliveryResult {
  return result(id, { state: 'pending', dueAt, httpStatus: 503, error: 'HTTP 503' });
}

/** Writes what came of deliveries of one account and mode. */
export function finish(store: Store, scope: Scope, ...deliveryResults: DeliveryResult[]): Promise<void> {
  return write(store, scope, { deliveryResults });
}
