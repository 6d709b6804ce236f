/** Leases of deliveries that are due, left in their rows for all processes: receiver by receiver, in turn. */
import { type Tenant, type TenantTime, tenantName } from '../../checkout/tenant.ts';
import type { EventRow } from '../../events/event.ts';
import type { RealTime } from '../../lib/time.ts';
import type { ClaimedDelivery, DeliveryClaim } from '../../webhooks/delivery.ts';
import { type Health, mayProbe } from '../../webhooks/health.ts';
import { claimedDelivery, type DueDelivery, dueColumns, FEW_DUE, inTurn } from '../claims.ts';
import { endpointFrom, healthFrom } from '../resources/endpoints.ts';
import { all, owned, type Read } from '../resources/read.ts';
import { raw, rowsAs, type Sql, sql } from '../sql.ts';
import type { Work } from '../store.ts';
import { columnsIn } from '../tables.ts';
import { isFree } from './lease-checkouts.ts';
import type { Pool } from './pool.ts';
import { runOn, send } from './run.ts';

type Waiting = {
  readonly receiver: string;
  /** True if something else of theirs is out. */
  readonly out: boolean;
  readonly health: Health | null;
};

/** The receivers that have something due and not out. */
function waitingReceivers(tenant: Tenant, now: TenantTime, realNow: RealTime): Read<Waiting[]> {
  const ofTenant = owned(tenant);
  // Where much is due, from one receiver to the next along the index: what that costs follows from how many there are,
  // not from what waits; where little is, from that, and not from how many receivers wait for another day.
  return all(
    sql`WITH RECURSIVE oldest AS MATERIALIZED (
      SELECT receiver FROM delivery WHERE ${ofTenant} AND due_at <= ${now} ORDER BY due_at LIMIT ${FEW_DUE}
    ), waiting (receiver) AS (
      SELECT CASE WHEN (SELECT count(*) FROM oldest) = ${FEW_DUE} THEN (
        SELECT min(receiver) FROM delivery WHERE ${ofTenant} AND due_at IS NOT NULL
      ) END
      UNION ALL
      SELECT (
        SELECT min(delivery.receiver) FROM delivery
        WHERE ${ofTenant} AND due_at IS NOT NULL AND delivery.receiver > waiting.receiver
      ) FROM waiting WHERE waiting.receiver IS NOT NULL
    ), known AS (SELECT receiver FROM waiting UNION SELECT receiver FROM oldest)
    SELECT receiver, EXISTS (
      SELECT 1 FROM delivery
      WHERE ${ofTenant} AND delivery.receiver = known.receiver AND leased_until > ${realNow}
    ) AS out, ${asJson('webhook_receiver', sql`${ofTenant} AND id = known.receiver`)} AS health
    FROM known WHERE EXISTS (
      SELECT 1 FROM delivery
      WHERE ${ofTenant} AND delivery.receiver = known.receiver AND due_at <= ${now} AND ${isFree(realNow)}
    )`,
    ({ receiver, out, health }: Omit<Waiting, 'health'> & { readonly health: string | null }) => ({
      receiver,
      out,
      health: health === null ? null : healthFrom(JSON.parse(health)),
    }),
  );
}

/** A row of another table as JSON. */
const asJson = (table: 'webhook_receiver' | 'webhook_endpoint', where: Sql): Sql =>
  sql`(SELECT to_json(one)::text FROM (SELECT ${raw(columnsIn(table))} FROM ${raw(table)} WHERE ${where}) AS one)`;

type Wanted = { readonly receiver: string; readonly most: number; readonly probe: boolean };
type Taken = { readonly due: DueDelivery; readonly endpoint: string | null; readonly event: EventRow };

/**
 * Leases what is due of these receivers: what has been due for longest; as a probe what came last, for it tells best
 * how the receiver is now, while others may have been refused for what they are.
 */
function leaseDeliveries(
  tenant: Tenant,
  wanted: readonly Wanted[],
  { now, realNow, leaseMs, limit }: DeliveryClaim,
): Read<Taken[]> {
  const rows = wanted.map((each, turn) => ({ ...each, turn }));
  const due = sql`${owned(tenant)} AND receiver = r.receiver AND due_at <= ${now} AND ${isFree(realNow)}`;
  return all(
    sql`WITH due AS MATERIALIZED (
      SELECT found.id FROM ${rowsAs('r', 'receiver text, most integer, probe boolean, turn integer', rows)}
      CROSS JOIN LATERAL (
        (SELECT id, due_at FROM delivery WHERE ${due} AND NOT r.probe ORDER BY due_at LIMIT r.most)
        UNION ALL
        (SELECT id, due_at FROM delivery WHERE ${due} AND r.probe ORDER BY due_at DESC LIMIT 1)
      ) AS found
      ORDER BY r.turn, found.due_at LIMIT ${limit}
    )
    UPDATE delivery SET leased_until = ${realNow + leaseMs} FROM due, event
    WHERE ${owned(tenant, 'delivery')} AND delivery.id = due.id
      -- Once more, for its ordering key may just have changed under a lease that had run out.
      AND delivery.due_at <= ${now} AND ${isFree(realNow)}
      AND ${owned(tenant, 'event')} AND event.id = delivery.event
    RETURNING ${dueColumns},
      ${asJson('webhook_endpoint', sql`${owned(tenant)} AND id = delivery.receiver`)} AS endpoint,
      event.id AS event, event.type, event.subject, event.sequence, event.created_at AS "createdAt", event.cause, event.body`,
    ({ type, subject, sequence, createdAt, cause, body, event: id, endpoint, ...due }: Found): Taken => ({
      due,
      endpoint,
      event: { id, type, subject, sequence, createdAt, cause, body },
    }),
  );
}

type Found = DueDelivery &
  Omit<EventRow, 'id'> & { readonly event: EventRow['id']; readonly endpoint: string | null };

/** Receivers to ask, in turn, and for how many deliveries. */
function ableOf(
  receivers: readonly Waiting[],
  { now, limit, room }: DeliveryClaim,
  start: string,
): readonly Wanted[] {
  return inTurn(receivers, ({ receiver }) => receiver, start)
    .flatMap(({ receiver, out, health }): Wanted[] => {
      if ((health?.probeAt ?? null) === null) return [{ receiver, most: room(receiver), probe: false }];
      return health && mayProbe(health, now) && !out ? [{ receiver, most: 1, probe: true }] : [];
    })
    .filter(({ most }) => most > 0)
    .slice(0, limit);
}

/**
 * Claims deliveries. One process at a time does for a tenant, behind the lock of its row in delivery_claim: whether a
 * receiver is being probed can only be told when nobody else is taking a delivery.
 */
export function deliveryLeases(pool: Pool): Work['claimDeliveries'] {
  // Receivers at which the last claim of each tenant ended, so that the next begins with others.
  const turns = new Map<string, string>();

  return (tenant, claim) =>
    pool.transaction(tenant, async ({ sql: on, commit }): Promise<ClaimedDelivery[]> => {
      const name = tenantName(tenant);
      const [, receivers] = await Promise.all([
        send(on, sql`SELECT 1 FROM delivery_claim WHERE ${owned(tenant)} FOR UPDATE`),
        runOn(on, waitingReceivers(tenant, claim.now, claim.realNow)),
      ]);
      const able = ableOf(receivers, claim, turns.get(name) ?? '');
      if (able.length === 0) {
        await commit([]);
        return [];
      }
      const [taken] = await commit([runOn(on, leaseDeliveries(tenant, able, claim))]);
      // The limit may have been reached before the last of them had its turn.
      const served = new Set(taken.map(({ due }) => due.receiver));
      turns.set(name, able.findLast(({ receiver }) => served.has(receiver))?.receiver ?? '');
      const healthOf = new Map(receivers.map(({ receiver, health }) => [receiver, health]));
      return taken
        .map(({ due, endpoint, event }) => {
          const health = healthOf.get(due.receiver) ?? null;
          const known = endpoint === null ? null : endpointFrom(tenant, JSON.parse(endpoint));
          return claimedDelivery(tenant, due, { endpoint: known, health, event }, claim);
        })
        .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
    });
}
