/** What is due, shared by all processes: whoever takes something leaves a lease in its row, and takes no other's. */
import type { Scope } from '../../checkout/session.ts';
import { addressesInUse, choose, fullAddresses } from '../lanes.ts';
import type { Account, Claim, ClaimedDelivery, DueCheckout, Place } from '../store.ts';
import type { Pool } from './pool.ts';
import { type EventColumns, eventFrom, scopeOf, tenantOf, textArray } from './rows.ts';

const PURGE_BATCH = 1000;

type DeliveryColumns = {
  readonly id: string;
  readonly checkout: string;
  readonly url: string;
  readonly attempts: number;
  readonly due_at: number;
};

type PlaceColumns = { readonly account: number; readonly live: boolean };

export function workQueue(pool: Pool, accounts: () => Promise<readonly Account[]>) {
  /** The addresses of the deliveries that this process has claimed, for as long as it holds them. */
  const underWay = new Map<string, { readonly url: string; readonly until: number }>();

  function endExpired(realNow: number): void {
    for (const [id, { until }] of underWay) if (until <= realNow) underWay.delete(id);
  }

  return {
    /** One question for all accounts: with thousands of them most have nothing to do at most times. */
    async duePlaces(work: 'checkouts' | 'deliveries', realNow: number): Promise<Place[]> {
      const offsets = new Map(
        (await accounts()).map(({ number, testClockOffsetMs }) => [number, testClockOffsetMs]),
      );
      const table = work === 'checkouts' ? 'timer' : 'delivery';
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
        scope: scopeOf(account, live),
        now: realNow + (live ? 0 : (offsets.get(account) ?? 0)),
      }));
    },

    async dueCheckouts(scope: Scope, now: number, limit: number): Promise<DueCheckout[]> {
      const [account, live] = tenantOf(scope);
      const rows = await pool.lookOut(
        (sql) => sql<Array<{ checkout: string; due_at: number }>>`
          SELECT checkout, due_at FROM timer WHERE account = ${account} AND live = ${live} AND due_at <= ${now}
          ORDER BY due_at LIMIT ${limit}`,
      );
      return rows.map((row) => ({ id: row.checkout, dueAt: row.due_at }));
    },

    async claimCheckouts(scope: Scope, { now, realNow, leaseMs, limit }: Claim): Promise<DueCheckout[]> {
      const [account, live] = tenantOf(scope);
      const rows = await pool.write(
        (sql) => sql<Array<{ checkout: string; due_at: number }>>`
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

    async releaseCheckouts(scope: Scope, ids: readonly string[]): Promise<void> {
      const [account, live] = tenantOf(scope);
      await pool.write(
        (sql) => sql`
          UPDATE timer SET leased_until = NULL
          WHERE account = ${account} AND live = ${live} AND checkout = ANY (${textArray(ids)}::text[])
            AND leased_until IS NOT NULL`,
      );
    },

    /**
     * One process at a time claims in an account and mode, behind the lock of its row in delivery_claim: which session
     * has a delivery out can only be told when nobody else is taking one.
     */
    async claimDeliveries(scope: Scope, { now, realNow, leaseMs, limit }: Claim): Promise<ClaimedDelivery[]> {
      const [account, live] = tenantOf(scope);
      endExpired(realNow);
      const inUse = addressesInUse(underWay.values());
      const rows = await pool.transaction(async ({ sql, commit }) => {
        const [, candidates] = await Promise.all([
          sql`SELECT 1 FROM delivery_claim WHERE account = ${account} AND live = ${live} FOR UPDATE`,
          sql<DeliveryColumns[]>`
            SELECT id, checkout, url, attempts, due_at FROM delivery
            WHERE account = ${account} AND live = ${live} AND due_at <= ${now}
              AND (leased_until IS NULL OR leased_until <= ${realNow}) AND url <> ALL (${textArray(fullAddresses(inUse))}::text[])
              AND checkout NOT IN (
                SELECT busy.checkout FROM delivery AS busy
                WHERE busy.account = ${account} AND busy.live = ${live} AND busy.leased_until > ${realNow}
              )
            ORDER BY due_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED`,
        ]);
        const chosen = textArray(choose(candidates, [], inUse).map(({ id }) => id));
        const [taken] = await commit([
          sql<Array<DeliveryColumns & { delivery: string } & EventColumns>>`
            UPDATE delivery SET leased_until = ${realNow + leaseMs} FROM event
            WHERE delivery.account = ${account} AND delivery.live = ${live} AND delivery.id = ANY (${chosen}::text[])
              AND event.account = ${account} AND event.live = ${live} AND event.id = delivery.event
            RETURNING delivery.id AS delivery, url, attempts, due_at, event.*`,
        ]);
        return taken;
      });
      for (const { delivery, url } of rows) underWay.set(delivery, { url, until: realNow + leaseMs });
      return rows
        .toSorted((a, b) => a.due_at - b.due_at || (a.delivery < b.delivery ? -1 : 1))
        .map(({ delivery, url, attempts, due_at, ...event }) => ({
          scope,
          id: delivery,
          url,
          attempts,
          dueAt: due_at,
          event: eventFrom(event),
        }));
    },

    /** Results of these were written. */
    finished(ids: readonly string[]): void {
      for (const id of ids) underWay.delete(id);
    },

    async countDueDeliveries(scope: Scope, now: number): Promise<number> {
      const [account, live] = tenantOf(scope);
      const [row] = await pool.lookOut(
        (sql) => sql<Array<{ due: number }>>`
          SELECT count(*) AS due FROM delivery
          WHERE account = ${account} AND live = ${live} AND due_at <= ${now}`,
      );
      return row?.due ?? 0;
    },

    async purgeAnswers(createdBeforeMs: number): Promise<number> {
      const places = await pool.lookOut(
        (sql) => sql<PlaceColumns[]>`
          SELECT number AS account, true AS live FROM account WHERE EXISTS (
            SELECT 1 FROM idempotency WHERE account = number AND live AND created_at < ${createdBeforeMs})
          UNION ALL
          SELECT number, false FROM account WHERE EXISTS (
            SELECT 1 FROM idempotency WHERE account = number AND NOT live AND created_at < ${createdBeforeMs})`,
      );
      let removed = 0;
      for (const { account, live } of places) {
        const { count } = await pool.write(
          (sql) => sql`
            WITH old AS (
              SELECT idempotency_key, operation FROM idempotency
              WHERE account = ${account} AND live = ${live} AND created_at < ${createdBeforeMs}
              ORDER BY created_at LIMIT ${PURGE_BATCH - removed}
            )
            DELETE FROM idempotency USING old
            WHERE account = ${account} AND live = ${live} AND idempotency.idempotency_key = old.idempotency_key
              AND idempotency.operation = old.operation`,
        );
        removed += count;
        if (removed >= PURGE_BATCH) break;
      }
      return removed;
    },

    async pendingDeliveries(): Promise<number> {
      const [row] = await pool.lookOut(
        (sql) =>
          sql<Array<{ pending: number }>>`SELECT count(*) AS pending FROM delivery WHERE due_at IS NOT NULL`,
      );
      return row?.pending ?? 0;
    },
  };
}
