/** What is due: sessions that time concerns, deliveries to be tried, answers to be forgotten. */
import type { DatabaseSync } from 'node:sqlite';
import type { Scope } from '../../checkout/session.ts';
import type { ClaimedDelivery, DueCheckout } from '../store.ts';
import type { EventReader } from './events.ts';
import { liveOf, type Row, scopeFrom } from './rows.ts';

/**
 * Each account and mode with the time that its clock shows. Joined to a table of work it makes one look into that
 * table's (account, live, due_at) index for each, which is why due work needs no index across accounts.
 */
const clocks = `
  WITH clock (account, live, now) AS (
    SELECT number, 0, ?1 + test_clock_offset_ms FROM account WHERE (?2 IS NULL OR number = ?2) AND ?3 IS NOT 1
    UNION ALL
    SELECT number, 1, ?1 FROM account WHERE (?2 IS NULL OR number = ?2) AND ?3 IS NOT 0
  )`;

const PURGE_BATCH = 1000;
/** Far more than are ever under way; reached only while results cannot be written. */
const MAX_LEASES = 1024;

export function workQueue(database: DatabaseSync, events: EventReader) {
  // The one process that serves the database is the one that delivers, so who holds what need not be on disk: after
  // a crash nobody holds anything.
  const leases = new Map<string, number>();
  const dueCheckouts = database.prepare(
    `${clocks}
     SELECT checkout.account, checkout.live, checkout.id, checkout.due_at
     FROM clock CROSS JOIN checkout
       ON checkout.account = clock.account AND checkout.live = clock.live AND checkout.due_at <= clock.now
     LIMIT ?4`,
  );
  const dueDeliveries = database.prepare(
    `${clocks}
     SELECT delivery.account, delivery.live, delivery.id, delivery.event, delivery.url, delivery.attempts,
            delivery.due_at
     FROM clock CROSS JOIN delivery
       ON delivery.account = clock.account AND delivery.live = clock.live AND delivery.due_at <= clock.now
     LIMIT ?4`,
  );
  const purge = database.prepare(
    `DELETE FROM idempotency WHERE rowid IN
       (SELECT rowid FROM idempotency WHERE created_at < ? ORDER BY rowid LIMIT ${PURGE_BATCH})`,
  );
  const pending = database.prepare('SELECT count(*) AS pending FROM delivery WHERE due_at IS NOT NULL');

  const narrowed = (scope: Scope | undefined) =>
    [scope?.account ?? null, scope ? liveOf(scope) : null] as const;

  return {
    dueCheckouts(nowMs: number, limit: number, scope?: Scope): DueCheckout[] {
      return dueCheckouts.all(nowMs, ...narrowed(scope), limit).map((row) => ({
        scope: scopeFrom(row as Row),
        id: row.id as string,
        dueAt: row.due_at as number,
      }));
    },

    claimDeliveries(nowMs: number, leaseMs: number, limit: number, scope?: Scope): ClaimedDelivery[] {
      for (const [id, until] of leases) if (until <= nowMs) leases.delete(id);
      if (leases.size >= MAX_LEASES) return [];
      const rows = dueDeliveries.all(nowMs, ...narrowed(scope), limit + leases.size) as Row[];
      const free = rows.filter((row) => !leases.has(row.id as string)).slice(0, limit);
      return free.map((row) => {
        const tenant = scopeFrom(row);
        const id = row.id as string;
        const event = events.read(tenant, row.event as string);
        if (event === null) throw new Error(`the event of delivery ${id} is missing`);
        leases.set(id, nowMs + leaseMs);
        return {
          scope: tenant,
          id,
          url: row.url as string,
          attempts: row.attempts as number,
          dueAt: row.due_at as number,
          event,
        };
      });
    },

    releaseDeliveries(ids: readonly string[]): void {
      for (const id of ids) leases.delete(id);
    },

    purgeAnswers: (createdBeforeMs: number): number => Number(purge.run(createdBeforeMs).changes),
    pendingDeliveries: (): number => pending.get()?.pending as number,
  };
}
