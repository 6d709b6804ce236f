/** What is due, shared by all processes: whoever takes something leaves a lease in its row, and takes no other's. */

import { type Account, tenantTime } from '../../accounts/account.ts';
import type { CheckoutId } from '../../checkout/ids.ts';
import { type Tenant, type TenantTime, tenantName } from '../../checkout/tenant.ts';
import type { EventRow } from '../../events/event.ts';
import type { RealTime } from '../../lib/time.ts';
import type { Claim, ClaimedDelivery, DeliveryClaim, DeliveryId } from '../../webhooks/delivery.ts';
import { type Health, mayProbe } from '../../webhooks/health.ts';
import { endpointFrom, healthFrom } from '../resources/endpoints.ts';
import { tenantOf } from '../resources/read.ts';
import { textArray } from '../sql.ts';
import type { DueCheckout, TenantClock, WorkKind } from '../store.ts';
import { columnsIn } from '../tables.ts';
import type { Sql } from './connection.ts';
import type { Pool } from './pool.ts';
import { tenantColumns } from './run.ts';

/** Where no more is due than this, only the receivers of that are looked at. */
const FEW_DUE = 500;

type Taken = EventRow & {
  readonly delivery: DeliveryId;
  readonly receiver: string;
  readonly url: string | null;
  readonly tries: number;
  readonly round_start: number;
  readonly due_at: number;
  /** JSON. */
  readonly endpoint: string | null;
};

/** The table with a due_at for each kind of work. */
const tables = {
  checkouts: 'timer',
  deliveries: 'delivery',
  providerEvents: 'provider_event',
  bankEntries: 'bank_entry',
} as const;

type PlaceColumns = { readonly account: number; readonly live: boolean };

export function workQueue(pool: Pool, accounts: () => Promise<ReadonlyMap<number, Account>>) {
  // Where the last claim ended in each account and mode, so that the next begins with others.
  const turns = new Map<string, string>();

  return {
    /** One question for all accounts: with thousands of them most have nothing to do at most times. */
    async listTenants(work: WorkKind, realNow: RealTime): Promise<TenantClock[]> {
      const known = await accounts();
      const table = tables[work];
      const rows = await pool.lookOut(
        (sql) => sql<PlaceColumns[]>`
          SELECT number AS account, true AS live FROM account WHERE EXISTS (
            SELECT 1 FROM ${sql(table)} WHERE account = number AND live AND due_at <= ${realNow})
          UNION ALL
          SELECT number, false FROM account WHERE EXISTS (
            SELECT 1 FROM ${sql(table)}
            WHERE account = number AND NOT live AND due_at <= ${realNow} + test_clock_offset_ms)`,
      );
      return rows.map(({ account, live }) => ({
        tenant: tenantOf(account, live),
        now: tenantTime(realNow, live ? 0 : (known.get(account)?.testClockOffsetMs ?? 0)),
      }));
    },

    async listDueCheckouts(tenant: Tenant, now: TenantTime, limit: number): Promise<DueCheckout[]> {
      const [account, live] = tenantColumns(tenant);
      const rows = await pool.lookOut(
        (sql) => sql<Array<{ checkout: CheckoutId; due_at: number }>>`
          SELECT checkout, due_at FROM timer WHERE account = ${account} AND live = ${live} AND due_at <= ${now}
          ORDER BY due_at LIMIT ${limit}`,
      );
      return rows.map((row) => ({ id: row.checkout, dueAt: row.due_at }));
    },

    async claimCheckouts(tenant: Tenant, { now, realNow, leaseMs, limit }: Claim): Promise<DueCheckout[]> {
      const [account, live] = tenantColumns(tenant);
      const rows = await pool.write(
        (sql) => sql<Array<{ checkout: CheckoutId; due_at: number }>>`
          WITH due AS MATERIALIZED (
            SELECT checkout FROM timer
            WHERE account = ${account} AND live = ${live} AND due_at <= ${now}
              AND (leased_until IS NULL OR leased_until <= ${realNow})
            ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          UPDATE timer SET leased_until = ${realNow + leaseMs} FROM due
          WHERE timer.account = ${account} AND timer.live = ${live} AND timer.checkout = due.checkout
          RETURNING timer.checkout, due_at`,
      );
      return rows
        .toSorted((a, b) => a.due_at - b.due_at)
        .map((row) => ({ id: row.checkout, dueAt: row.due_at }));
    },

    async releaseCheckouts(tenant: Tenant, ids: readonly string[]): Promise<void> {
      const [account, live] = tenantColumns(tenant);
      await pool.write(
        (sql) => sql`
          UPDATE timer SET leased_until = NULL
          WHERE account = ${account} AND live = ${live} AND checkout = ANY (${textArray(ids)}::text[])
            AND leased_until IS NOT NULL`,
      );
    },

    /**
     * One process at a time claims in an account and mode, behind the lock of its row in delivery_claim: whether a
     * receiver is being probed can only be told when nobody else is taking a delivery.
     */
    async claimDeliveries(tenant: Tenant, { room, ...claim }: DeliveryClaim): Promise<ClaimedDelivery[]> {
      const [account, live] = tenantColumns(tenant);
      const { now, realNow, leaseMs, limit } = claim;
      const place = tenantName(tenant);
      const lease = realNow + leaseMs;
      let failing = new Map<string, Health>();
      const rows = await pool.transaction(async ({ sql, commit }) => {
        const [, receivers] = await Promise.all([
          sql`SELECT 1 FROM delivery_claim WHERE account = ${account} AND live = ${live} FOR UPDATE`.execute(),
          waitingReceivers(sql, tenant, now, realNow).execute(),
        ]);
        failing = new Map(
          receivers.flatMap(({ receiver, health }) =>
            health === null ? [] : [[receiver, healthFrom(JSON.parse(health))] as const],
          ),
        );
        const able = inTurn(receivers, turns.get(place) ?? '')
          .flatMap(({ receiver, out }): Wanted[] => {
            const health = failing.get(receiver);
            if ((health?.probeAt ?? null) === null) {
              return [{ receiver, most: room(receiver), probe: false }];
            }
            return health && mayProbe(health, now) && !out ? [{ receiver, most: 1, probe: true }] : [];
          })
          .filter(({ most }) => most > 0)
          .slice(0, limit);
        if (able.length === 0) {
          await commit([]);
          return [];
        }
        const [taken] = await commit([take(sql, tenant, able, [now, realNow, lease, limit])]);
        // The limit may have been reached before the last of them had its turn.
        const served = new Set(taken.map(({ receiver }) => receiver));
        turns.set(place, able.findLast(({ receiver }) => served.has(receiver))?.receiver ?? '');
        return taken;
      });
      return rows
        .map(({ delivery, url, tries, round_start, due_at, receiver, endpoint, ...event }) => ({
          tenant,
          id: delivery,
          receiver,
          url,
          endpoint: endpoint === null ? null : endpointFrom(tenant, JSON.parse(endpoint)),
          attempts: tries,
          round: round_start,
          dueAt: Math.max(due_at, Math.min(failing.get(receiver)?.probeAt ?? 0, now)),
          lease,
          failing: failing.has(receiver),
          event,
        }))
        .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
    },
  };
}

type Waiting = {
  readonly receiver: string;
  /** Whether something else of theirs is out. */
  readonly out: boolean;
  /** JSON. */
  readonly health: string | null;
};

/** The receivers that have something due and not out. */
function waitingReceivers(sql: Sql, tenant: Tenant, now: TenantTime, realNow: RealTime) {
  const [account, live] = tenantColumns(tenant);
  // Where much is due, from one receiver to the next along the index: what that costs follows from how many there are,
  // not from what waits; where little is, from that, and not from how many receivers wait for another day.
  return sql<Waiting[]>`
    WITH RECURSIVE oldest AS MATERIALIZED (
      SELECT receiver FROM delivery WHERE account = ${account} AND live = ${live} AND due_at <= ${now}
      ORDER BY due_at LIMIT ${FEW_DUE}
    ), waiting (receiver) AS (
      SELECT CASE WHEN (SELECT count(*) FROM oldest) = ${FEW_DUE} THEN (
        SELECT min(receiver) FROM delivery WHERE account = ${account} AND live = ${live} AND due_at IS NOT NULL
      ) END
      UNION ALL
      SELECT (
        SELECT min(delivery.receiver) FROM delivery
        WHERE account = ${account} AND live = ${live} AND due_at IS NOT NULL
          AND delivery.receiver > waiting.receiver
      ) FROM waiting WHERE waiting.receiver IS NOT NULL
    ), known AS (SELECT receiver FROM waiting UNION SELECT receiver FROM oldest)
    SELECT receiver, EXISTS (
      SELECT 1 FROM delivery
      WHERE account = ${account} AND live = ${live} AND delivery.receiver = known.receiver
        AND leased_until > ${realNow}
    ) AS out, (
      SELECT to_json(found)::text FROM (
        SELECT ${sql.unsafe(columnsIn('webhook_receiver'))} FROM webhook_receiver
        WHERE account = ${account} AND live = ${live} AND id = known.receiver
      ) AS found
    ) AS health
    FROM known WHERE EXISTS (
      SELECT 1 FROM delivery
      WHERE account = ${account} AND live = ${live} AND delivery.receiver = known.receiver AND due_at <= ${now}
        AND (leased_until IS NULL OR leased_until <= ${realNow})
    )`;
}

/** Begins behind the one at which the last claim ended. */
function inTurn<T extends { readonly receiver: string }>(receivers: readonly T[], start: string): T[] {
  const sorted = receivers.toSorted((a, b) => (a.receiver < b.receiver ? -1 : 1));
  return [
    ...sorted.filter(({ receiver }) => receiver > start),
    ...sorted.filter(({ receiver }) => receiver <= start),
  ];
}

type Wanted = { readonly receiver: string; readonly most: number; readonly probe: boolean };

/**
 * Leases what is due of these receivers: what has been due for longest; as a probe what came last, for it tells best
 * how the receiver is now, while others may have been refused for what they are.
 */
function take(
  sql: Sql,
  tenant: Tenant,
  wanted: readonly Wanted[],
  [now, realNow, lease, limit]: readonly [now: TenantTime, realNow: RealTime, lease: RealTime, limit: number],
) {
  const rows = JSON.stringify(wanted.map((each, turn) => ({ ...each, turn })));
  const due = `account = $1 AND live = $2 AND receiver = r.receiver AND due_at <= $4
    AND (leased_until IS NULL OR leased_until <= $5)`;
  return sql.unsafe<Taken[]>(
    `WITH due AS MATERIALIZED (
       SELECT found.id
       FROM json_to_recordset($3::text::json) AS r (receiver text, most integer, probe boolean, turn integer)
       CROSS JOIN LATERAL (
         (SELECT id, due_at FROM delivery WHERE ${due} AND NOT r.probe ORDER BY due_at LIMIT r.most)
         UNION ALL
         (SELECT id, due_at FROM delivery WHERE ${due} AND r.probe ORDER BY due_at DESC LIMIT 1)
       ) AS found
       ORDER BY r.turn, found.due_at LIMIT $7
     )
     UPDATE delivery SET leased_until = $6
     FROM due, event
     WHERE delivery.account = $1 AND delivery.live = $2 AND delivery.id = due.id
       -- Once more, for its ordering key may just have changed under a lease that had run out.
       AND delivery.due_at <= $4 AND (delivery.leased_until IS NULL OR delivery.leased_until <= $5)
       AND event.account = $1 AND event.live = $2 AND event.id = delivery.event
     RETURNING delivery.id AS delivery, receiver, url, attempts - round_start AS tries, round_start, due_at,
       ${columnsIn('event')}, (
         SELECT to_json(found)::text FROM (
           SELECT ${columnsIn('webhook_endpoint')} FROM webhook_endpoint
           WHERE account = $1 AND live = $2 AND id = delivery.receiver
         ) AS found
       ) AS endpoint`,
    [...tenantColumns(tenant), rows, now, realNow, lease, limit],
    { prepare: true },
  );
}
