/** Events and sessions of a given time, for the tests of retention. */
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { EventRow } from '../../src/events/event.ts';
import { newId } from '../../src/lib/id.ts';
import type { Store } from '../../src/store/store.ts';
import type { DeliveryResult, DeliveryRow } from '../../src/webhooks/delivery.ts';
import { changed, eventOf, session } from './build.ts';
import { deliveriesOf, finish } from './deliveries.ts';

/** Writes events of a session, or of a new one, at this time, each with a delivery to each receiver. */
export async function happen(
  store: Store,
  before: Checkout | Tenant,
  at: number,
  count = 1,
  receivers: readonly string[] = [],
): Promise<{ session: Checkout; events: EventRow[]; deliveries: DeliveryRow[] }> {
  const isNew = !('id' in before);
  const first = isNew ? 1 : before.eventCount + 1;
  const eventCount = first + count - 1;
  const after = isNew ? session(before, { createdAt: at, eventCount }) : changed(before, { eventCount });
  const events = Array.from({ length: count }, (_, index) =>
    eventOf(after, 'checkout.updated', { id: newId('evt', at), sequence: first + index, createdAt: at }),
  );
  const deliveries = deliveriesOf(events, { receivers, at });
  const checkout = { before: isNew ? null : before, after };
  await store.commit([
    {
      needs: { tenant: after.tenant, ...(isNew ? {} : { checkouts: [after.id] }) },
      decide: () => [{ checkout, events, deliveries }],
    },
  ]);
  // The read gives them their positions in the feed.
  await store.events.end(after.tenant);
  return { session: after, events, deliveries };
}

/** Brings deliveries to their end, after one attempt. */
export function end(
  store: Store,
  tenant: Tenant,
  deliveries: readonly DeliveryRow[],
  state: 'delivered' | 'failed' = 'delivered',
): Promise<void> {
  const results = deliveries.map(({ id, receiver, subject, createdAt }): DeliveryResult => {
    const status = state === 'delivered' ? 200 : 500;
    const attempt = { durationMs: 1, bodyHash: '', answer: '' };
    const about = { id, receiver, subject, lease: null, round: null, failing: false, at: createdAt };
    return { ...about, state, dueAt: null, httpStatus: status, error: null, attempt };
  });
  return finish(store, tenant, ...results);
}
