/** Leases of deliveries that are due: receiver by receiver, in turn. */
import { type Tenant, type TenantTime, tenantName } from '../../checkout/tenant.ts';
import type { EventId } from '../../events/event.ts';
import type { RealTime } from '../../lib/time.ts';
import type { ClaimedDelivery, DeliveryClaim } from '../../webhooks/delivery.ts';
import { type Health, mayProbe } from '../../webhooks/health.ts';
import { claimedDelivery, type DueDelivery, dueColumns, FEW_DUE, inTurn } from '../claims.ts';
import { healthOf } from '../resources/endpoints.ts';
import { events } from '../resources/events.ts';
import { all, asItIs, one, owned, type Read } from '../resources/read.ts';
import { isAnyOf, raw, sql } from '../sql.ts';
import type { Writes } from '../store.ts';
import type { EndpointReader } from './endpoints.ts';
import { endExpired, type Lease } from './leases.ts';
import type { Runner } from './run.ts';
import { damagedRow, isDamage } from './unusable.ts';

/** Receivers that are asked in turn whether they have something due, where more is due than `FEW_DUE`. */
const IN_TURN = 100;

type Receiver = { readonly receiver: string };
const receiverOf = ({ receiver }: Receiver): string => receiver;

/**
 * Receivers of what is due: so many from either end, who has waited for longest and who has just come. Exported for the
 * test that holds it to its index.
 */
export function dueReceivers(tenant: Tenant, now: TenantTime): Read<string[]> {
  const some = (order: 'ASC' | 'DESC') => sql`
    SELECT receiver FROM (
      SELECT receiver FROM delivery INDEXED BY delivery_due
      WHERE ${owned(tenant)} AND due_at <= ${now} ORDER BY due_at ${raw(order)} LIMIT ${FEW_DUE})`;
  return all(sql`${some('ASC')} UNION ALL ${some('DESC')}`, receiverOf, 'look');
}

/** First receiver behind this one that has something with a due time. */
const receiverBehind = (tenant: Tenant, behind: string): Read<string | null> =>
  one(
    sql`SELECT receiver FROM delivery WHERE ${owned(tenant)} AND receiver > ${behind} AND due_at IS NOT NULL
        ORDER BY receiver LIMIT 1`,
    receiverOf,
  );

type Due = DueDelivery & { readonly event: EventId };

function dueOf(
  tenant: Tenant,
  receiver: string,
  now: TenantTime,
  {
    out,
    newest,
    limit,
  }: { readonly out: readonly string[]; readonly newest: boolean; readonly limit: number },
): Read<Due[]> {
  return all(
    sql`SELECT ${dueColumns}, event FROM delivery INDEXED BY delivery_receiver_due
        WHERE ${owned(tenant)} AND receiver = ${receiver} AND due_at <= ${now} AND NOT ${isAnyOf('id', out)}
        ORDER BY due_at ${raw(newest ? 'DESC' : 'ASC')} LIMIT ${limit}`,
    asItIs<Due>,
    'look',
  );
}

/** Time for which a delivery whose event is damaged is not looked at again. */
const DAMAGED_MS = 10 * 60_000;
/** Damaged deliveries that are met in one claim, at most, and remembered. */
const MOST_DAMAGED = { atOnce: 100, inAll: 10_000 };

type HeldBy = Lease & Receiver;
/** `lease` tells it from the leases of the same delivery before and behind it. */
type DeliveryLease = HeldBy & { readonly lease: RealTime };

export function deliveryLeases({ read }: Runner, endpoints: EndpointReader) {
  const leases = new Map<string, DeliveryLease>();
  // Deliveries that cannot be sent as they are: those behind them would be starved, were they looked at each time.
  const damaged = new Map<string, HeldBy>();
  // Receivers at which the last claim of each tenant ended, so that the next begins with others.
  const turns = new Map<string, string>();

  /** Delivery with what it takes to send it; null if something of that is damaged. */
  function claimed(
    tenant: Tenant,
    due: Due,
    claim: DeliveryClaim,
    health: Health | null,
  ): ClaimedDelivery | null {
    try {
      const event = read(events.fetch(tenant, due.event));
      if (event === null) return null;
      const endpoint = endpoints.list(tenant).find(({ id }) => id === due.receiver) ?? null;
      return claimedDelivery(tenant, due, { endpoint, health, event }, claim);
    } catch (error) {
      if (damagedRow(error) === null && !isDamage(error)) throw error;
      return null;
    }
  }

  /** Leases up to `most` deliveries of a receiver. Damaged ones wait for whoever repairs them, and the next do not. */
  function lease(
    tenant: Tenant,
    claim: DeliveryClaim,
    of: { receiver: string; most: number; health: Health | null; newest: boolean; out: readonly string[] },
  ): ClaimedDelivery[] {
    const { now, elapsedMs, leaseMs } = claim;
    const { receiver, most, health, newest } = of;
    const passed = [...of.out, ...(heldBy(damaged).get(receiver) ?? [])];
    const taken: ClaimedDelivery[] = [];
    let met = 0;
    let due: Due[];
    do {
      due = read(dueOf(tenant, receiver, now, { out: passed, newest, limit: most - taken.length }));
      for (const each of due) {
        const delivery = claimed(tenant, each, claim, health);
        passed.push(each.id);
        if (delivery === null) {
          met++;
          if (damaged.size < MOST_DAMAGED.inAll)
            damaged.set(each.id, { endsAtMs: elapsedMs + DAMAGED_MS, receiver });
          claim.onDamaged?.({ tenant, id: each.id, receiver });
        } else {
          leases.set(each.id, { endsAtMs: elapsedMs + leaseMs, lease: delivery.lease, receiver });
          taken.push(delivery);
        }
      }
    } while (met > 0 && due.length > 0 && taken.length < most && met < MOST_DAMAGED.atOnce);
    return taken;
  }

  /** Receivers with a due time, in turn: behind the one at which the last claim ended, and then from the start. */
  function* receiversFrom(tenant: Tenant, start: string): Generator<string> {
    const next = (behind: string) => read(receiverBehind(tenant, behind));
    for (let at = next(start); at !== null; at = next(at)) yield at;
    for (let at = next(''); at !== null && at <= start; at = next(at)) yield at;
  }

  /**
   * Receivers to ask for what is due, each once. Nothing due costs one look. Where there is much, it may all be somebody's
   * who is suspended or busy: so some get their turn first, whatever waits for others, and a claim goes on where the
   * one before has ended; and if there are many of those, the ones with something due need not wait for it.
   */
  function* candidates(tenant: Tenant, now: TenantTime, name: string): Generator<string> {
    const due = read(dueReceivers(tenant, now));
    const known = [...new Set(due)].sort();
    const start = turns.get(name) ?? '';
    const asked = new Set<string>();
    const hasAll = due.length < 2 * FEW_DUE;
    for (const receiver of hasAll ? inTurn(known, String, start) : receiversFrom(tenant, start)) {
      if (!hasAll && asked.size === IN_TURN) break;
      asked.add(receiver);
      turns.set(name, receiver);
      yield receiver;
    }
    for (const receiver of known) if (!asked.has(receiver)) yield receiver;
  }

  return {
    claim(tenant: Tenant, claim: DeliveryClaim): ClaimedDelivery[] {
      const { now, elapsedMs, limit, room } = claim;
      endExpired(leases, elapsedMs);
      endExpired(damaged, elapsedMs);
      let held: Map<string, string[]> | undefined;
      const taken: ClaimedDelivery[] = [];
      for (const receiver of candidates(tenant, now, tenantName(tenant))) {
        held ??= heldBy(leases);
        const health = read(healthOf(tenant, receiver));
        const out = held.get(receiver) ?? [];
        const probing = health !== null && health.probeAt !== null;
        if (probing && (!mayProbe(health, now) || out.length > 0)) continue;
        const most = probing ? 1 : Math.min(room(receiver), limit - taken.length);
        if (most <= 0) continue;
        // The newest tells best how the receiver is now: others may have been refused for what they are.
        taken.push(...lease(tenant, claim, { receiver, most, health, newest: probing, out }));
        if (taken.length >= limit) break;
      }
      return taken;
    },

    /** Ends the leases of deliveries whose results were committed. */
    end({ deliveryResults = [] }: Writes): void {
      for (const { id, lease } of deliveryResults) {
        if (lease === null || leases.get(id)?.lease === lease) leases.delete(id);
      }
    },
  };
}

/** Deliveries that are out, by receiver. */
function heldBy(leases: ReadonlyMap<string, HeldBy>): Map<string, string[]> {
  const held = new Map<string, string[]>();
  for (const [id, { receiver }] of leases) {
    const out = held.get(receiver);
    if (out) out.push(id);
    else held.set(receiver, [id]);
  }
  return held;
}
