/** Stored answers that are too old, in one tenant after the other: each is on one node. */
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import { type Round, UNTRIED } from '../../lib/rounds.ts';
import type { RealTime } from '../../lib/time.ts';
import { installation } from '../../users/user.ts';
import { owned, type Run } from '../resources/read.ts';
import { type Reachable, tenantsWith } from '../resources/tenants.ts';
import { BATCH } from '../retention.ts';
import { sql } from '../sql.ts';
import type { Pool } from './pool.ts';
import { send } from './run.ts';

export async function purgeAnswers(
  pool: Pool,
  run: Run,
  createdBefore: RealTime,
  reachable: Reachable,
  round: Round,
): Promise<number> {
  const tenants = await run(tenantsWith('idempotency', () => sql`created_at < ${createdBefore}`, reachable));
  // The installation is no account. While nodes are away, nobody says whether its rows are on one of them.
  const all = reachable.among === null ? [...tenants, installation] : tenants;
  let removed = 0;
  async function removeOf(tenant: Tenant): Promise<unknown> {
    if (removed >= BATCH) return UNTRIED;
    const old = sql`SELECT idempotency_key, operation FROM idempotency
      WHERE ${owned(tenant)} AND created_at < ${createdBefore} ORDER BY created_at LIMIT ${BATCH - removed}`;
    const { count } = await pool.write(tenant, (on) =>
      send(
        on,
        sql`WITH old AS (${old}) DELETE FROM idempotency USING old
            WHERE ${owned(tenant, 'idempotency')} AND idempotency.idempotency_key = old.idempotency_key
              AND idempotency.operation = old.operation`,
      ),
    );
    removed += count;
    return count;
  }
  await round(all.map((tenant) => ({ name: `${tenantName(tenant)}: answers`, run: () => removeOf(tenant) })));
  return removed;
}
