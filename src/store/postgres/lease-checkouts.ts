/** Leases of sessions that are due: whichever process takes one leaves a lease in its row, and takes no other's. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { RealTime } from '../../lib/time.ts';
import type { Claim } from '../../webhooks/delivery.ts';
import { all, asItIs, owned, type Read } from '../resources/read.ts';
import type { DueCheckout } from '../resources/work.ts';
import type { Parts } from '../shared.ts';
import { isAnyOf, type Sql, sql } from '../sql.ts';
import type { Pool } from './pool.ts';
import { runOn, send } from './run.ts';

export const isFree = (realNow: RealTime): Sql => sql`(leased_until IS NULL OR leased_until <= ${realNow})`;

/** Leases sessions that are due, the longest due first. */
function leaseCheckouts(tenant: Tenant, { now, realNow, leaseMs, limit }: Claim): Read<DueCheckout[]> {
  const leased = all(
    sql`WITH due AS MATERIALIZED (
          SELECT checkout FROM timer WHERE ${owned(tenant)} AND due_at <= ${now} AND ${isFree(realNow)}
          ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )
        UPDATE timer SET leased_until = ${realNow + leaseMs} FROM due
        WHERE ${owned(tenant, 'timer')} AND timer.checkout = due.checkout
          -- Once more: what another process has written meanwhile counts, whatever became of the lock.
          AND timer.due_at <= ${now} AND ${isFree(realNow)}
        RETURNING timer.checkout AS id, due_at AS "dueAt"`,
    asItIs<DueCheckout>,
  );
  return { ...leased, from: (rows) => leased.from(rows).sort((a, b) => a.dueAt - b.dueAt) };
}

export function checkoutLeases(pool: Pool): Pick<Parts['claims'], 'claimCheckouts' | 'releaseCheckouts'> {
  return {
    claimCheckouts: (tenant, claim) => pool.write(tenant, (on) => runOn(on, leaseCheckouts(tenant, claim))),

    async releaseCheckouts(tenant, ids) {
      const released = sql`UPDATE timer SET leased_until = NULL
        WHERE ${owned(tenant)} AND ${isAnyOf('checkout', ids)} AND leased_until IS NOT NULL`;
      await pool.write(tenant, (on) => send(on, released));
    },
  };
}
