/** Work that is due: sessions at their deadlines, and deliveries to be tried. */

import type { DatabaseSync } from 'node:sqlite';
import type { CheckoutId } from '../../checkout/ids.ts';
import { type Tenant, type TenantTime, tenantName } from '../../checkout/tenant.ts';
import type { RealTime } from '../../lib/time.ts';
import type { Claim, ClaimedDelivery, DeliveryClaim, DeliveryId } from '../../webhooks/delivery.ts';
import { type Health, mayProbe } from '../../webhooks/health.ts';
import { fetchEvent } from '../resources/events.ts';
import { countDueDeliveries } from '../resources/work.ts';
import type { DueCheckout, Writes } from '../store.ts';
import type { EndpointReader } from './endpoints.ts';
import { liveOf, type Row } from './rows.ts';
import type { Runner } from './run.ts';

/** Where no more is due than this, the receivers of all of it are looked at. */
const FEW_DUE = 500;
/** Where more is, so many receivers are asked in turn whether they have something due. */
const IN_TURN = 100;

const someDue = (order: 'ASC' | 'DESC') => `
  SELECT receiver FROM (
    SELECT receiver FROM delivery INDEXED BY delivery_due
    WHERE account = ?1 AND live = ?2 AND due_at <= ?3 ORDER BY due_at ${order} LIMIT ${FEW_DUE})`;

/**
 * Of what is due, so many from either end: who has waited for longest, and who has just come. Exported for the test
 * that holds it to its index.
 */
export const dueReceiversSql = `${someDue('ASC')} UNION ALL ${someDue('DESC')}`;

/** Until when somebody holds something, in real time. */
type Lease = { readonly until: RealTime };
type DeliveryLease = Lease & { readonly receiver: string };

export function workQueue(database: DatabaseSync, { read }: Runner, endpoints: EndpointReader) {
  // The one process that serves the database is the one that delivers, so who holds what need not be on disk: after
  // a crash nobody holds anything.
  const checkoutLeases = new Map<string, Lease>();
  const deliveryLeases = new Map<string, DeliveryLease>();
  const dueCheckouts = database.prepare(
    `SELECT id, due_at FROM checkout
     WHERE account = ? AND live = ? AND due_at <= ? AND id NOT IN (SELECT value FROM json_each(?))
     ORDER BY due_at LIMIT ?`,
  );
  const dueReceivers = database.prepare(dueReceiversSql);
  const nextReceiver = database.prepare(
    `SELECT receiver FROM delivery
     WHERE account = ? AND live = ? AND receiver > ? AND due_at IS NOT NULL
     ORDER BY receiver LIMIT 1`,
  );
  const due = (order: 'ASC' | 'DESC') =>
    database.prepare(
      `SELECT id, event, receiver, url, attempts - round_start AS attempts, round_start, due_at
       FROM delivery INDEXED BY delivery_receiver_due
       WHERE account = ? AND live = ? AND receiver = ? AND due_at <= ? AND id NOT IN (SELECT value FROM json_each(?))
       ORDER BY due_at ${order} LIMIT ?`,
    );
  const longestDue = due('ASC');
  const newestDue = due('DESC');
  // Where the last claim ended in each account and mode, so that the next begins with others.
  const turns = new Map<string, string>();

  function dueExcept(held: readonly string[], tenant: Tenant, now: TenantTime, limit: number): DueCheckout[] {
    return dueCheckouts
      .all(tenant.account, liveOf(tenant), now, JSON.stringify(held), limit)
      .map((row) => ({ id: row.id as CheckoutId, dueAt: row.due_at as number }));
  }

  function claimed(
    tenant: Tenant,
    row: Row,
    { now, realNow, leaseMs }: DeliveryClaim,
    health: Health | null,
  ): ClaimedDelivery {
    const event = read(fetchEvent(tenant, row.event as string));
    if (event === null) throw new Error(`the event of delivery ${row.id} is missing`);
    return {
      tenant,
      id: row.id as DeliveryId,
      receiver: row.receiver as string,
      url: row.url as string | null,
      endpoint: endpoints.list(tenant).find(({ id }) => id === row.receiver) ?? null,
      attempts: row.attempts as number,
      round: row.round_start as number,
      dueAt: Math.max(row.due_at as number, Math.min(health?.probeAt ?? 0, now)),
      lease: realNow + leaseMs,
      failing: health !== null,
      event,
    };
  }

  /** The receivers with a due time, in turn: behind the one at which the last claim ended, and then from the start. */
  function* receiversFrom(tenant: Tenant, start: string): Generator<string> {
    const next = (behind: string) =>
      nextReceiver.get(tenant.account, liveOf(tenant), behind)?.receiver as string | undefined;
    for (let at = next(start); at !== undefined; at = next(at)) yield at;
    for (let at = next(''); at !== undefined && at <= start; at = next(at)) yield at;
  }

  /**
   * Whom to ask for what is due, each once. Nothing due costs one look. Where there is much, it may all be somebody's
   * who is suspended or busy: so some get their turn first, whatever waits for others, and a claim goes on where the
   * one before has ended; and if there are many of those, the ones with something due need not wait for it.
   */
  function* candidates(tenant: Tenant, now: TenantTime, place: string): Generator<string> {
    const due = dueReceivers
      .all(tenant.account, liveOf(tenant), now)
      .map(({ receiver }) => receiver as string);
    const known = [...new Set(due)].sort();
    const start = turns.get(place) ?? '';
    const asked = new Set<string>();
    const all = due.length < 2 * FEW_DUE;
    for (const receiver of all ? inTurn(known, start) : receiversFrom(tenant, start)) {
      if (!all && asked.size === IN_TURN) break;
      asked.add(receiver);
      turns.set(place, receiver);
      yield receiver;
    }
    for (const receiver of known) if (!asked.has(receiver)) yield receiver;
  }

  /** What is out, by receiver. */
  function heldNow(): Map<string, string[]> {
    const held = new Map<string, string[]>();
    for (const [id, { receiver }] of deliveryLeases) {
      const out = held.get(receiver);
      if (out) out.push(id);
      else held.set(receiver, [id]);
    }
    return held;
  }

  return {
    listDueCheckouts: (tenant: Tenant, now: TenantTime, limit: number): DueCheckout[] =>
      dueExcept([], tenant, now, limit),

    claimCheckouts(tenant: Tenant, { now, realNow, leaseMs, limit }: Claim): DueCheckout[] {
      endExpired(checkoutLeases, realNow);
      const taken = dueExcept([...checkoutLeases.keys()], tenant, now, limit);
      for (const { id } of taken) checkoutLeases.set(id, { until: realNow + leaseMs });
      return taken;
    },

    releaseCheckouts(_tenant: Tenant, ids: readonly string[]): void {
      for (const id of ids) checkoutLeases.delete(id);
    },

    claimDeliveries(tenant: Tenant, claim: DeliveryClaim): ClaimedDelivery[] {
      const { now, realNow, leaseMs, limit, room } = claim;
      endExpired(deliveryLeases, realNow);
      const place = tenantName(tenant);
      let held: Map<string, string[]> | undefined;
      const taken: ClaimedDelivery[] = [];
      for (const receiver of candidates(tenant, now, place)) {
        held ??= heldNow();
        const health = endpoints.health(tenant, receiver);
        const out = held.get(receiver) ?? [];
        const probing = health !== null && health.probeAt !== null;
        if (probing && (!mayProbe(health, now) || out.length > 0)) continue;
        const most = probing ? 1 : Math.min(room(receiver), limit - taken.length);
        if (most <= 0) continue;
        // What came last tells best how the receiver is now: others may have been refused for what they are.
        const rows = (probing ? newestDue : longestDue).all(
          tenant.account,
          liveOf(tenant),
          receiver,
          now,
          JSON.stringify(out),
          most,
        ) as Row[];
        for (const row of rows) {
          deliveryLeases.set(row.id as string, { until: realNow + leaseMs, receiver });
          taken.push(claimed(tenant, row, claim, health));
        }
        if (taken.length >= limit) break;
      }
      return taken;
    },

    countDueDeliveries: (tenant: Tenant, now: TenantTime): number => read(countDueDeliveries(tenant, now)),

    /** To be called when these were committed: who held what they are about is done with it. */
    endLeases({ checkout, deliveryResults = [] }: Writes): void {
      if (checkout) checkoutLeases.delete(checkout.after.id);
      for (const { id, lease } of deliveryResults) {
        if (lease === null || deliveryLeases.get(id)?.until === lease) deliveryLeases.delete(id);
      }
    },
  };
}

function endExpired(leases: Map<string, Lease>, realNow: RealTime): void {
  for (const [id, { until }] of leases) if (until <= realNow) leases.delete(id);
}

/** Begins behind the one at which the last claim ended. */
function inTurn(receivers: readonly string[], start: string): string[] {
  const first = receivers.filter((receiver) => receiver > start);
  return [...first, ...receivers.slice(0, receivers.length - first.length)];
}
