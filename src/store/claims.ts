/** Claims of due deliveries: the parts that are the same for both databases. */
import type { Tenant } from '../checkout/tenant.ts';
import type { EventRow } from '../events/event.ts';
import type { ClaimedDelivery, DeliveryClaim } from '../webhooks/delivery.ts';
import type { Endpoint } from '../webhooks/endpoint.ts';
import type { Health } from '../webhooks/health.ts';
import { raw } from './sql.ts';

/** Number of due deliveries up to which the receivers of all of them are looked at. */
export const FEW_DUE = 500;

export type DueDelivery = Pick<ClaimedDelivery, 'id' | 'receiver' | 'url' | 'attempts' | 'round' | 'dueAt'>;

/** The columns of a `DueDelivery`. */
export const dueColumns = raw(`delivery.id, delivery.receiver, delivery.url,
  delivery.attempts - delivery.round_start AS attempts, delivery.round_start AS round, delivery.due_at AS "dueAt"`);

type Beside = {
  readonly endpoint: Endpoint | null;
  readonly health: Health | null;
  readonly event: EventRow;
};

export function claimedDelivery(
  tenant: Tenant,
  due: DueDelivery,
  { endpoint, health, event }: Beside,
  { now, realNow, leaseMs }: DeliveryClaim,
): ClaimedDelivery {
  // A delivery that was due while its receiver was suspended is due since the probe is.
  const dueAt = Math.max(due.dueAt, Math.min(health?.probeAt ?? 0, now));
  return { ...due, tenant, endpoint, dueAt, lease: realNow + leaseMs, failing: health !== null, event };
}

/** All of them in the order of their names, beginning behind the one at which the last claim ended. */
export function inTurn<T>(all: readonly T[], nameOf: (each: T) => string, start: string): T[] {
  const sorted = all.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const first = sorted.filter((each) => nameOf(each) > start);
  return [...first, ...sorted.slice(0, sorted.length - first.length)];
}
