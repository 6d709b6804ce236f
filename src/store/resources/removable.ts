/** Numbers of what retention would remove: deliveries, and events. */
import type { Tenant, TenantTime } from '../../checkout/tenant.ts';
import { firstIdAt, type IdPrefix } from '../../lib/id.ts';
import { raw, type Sql, sql } from '../sql.ts';
import { inTime, owned, RARELY, type Read, single } from './read.ts';

/** Times before which they were created; null keeps events for ever. */
export type Ages = { readonly deliveries: TenantTime; readonly events: TenantTime | null };
export type Removable = { readonly deliveries: number; readonly events: number };

/** Ids begin with the time at which they were made, and their index alone is read. SQLite keeps deliveries without numbers of rows. */
const older = (tenant: Tenant, table: 'delivery' | 'event', prefix: IdPrefix, before: TenantTime): Sql =>
  sql`(SELECT count(*) FROM ${raw(table)}
    WHERE ${owned(tenant)} AND id < ${firstIdAt(prefix, before)} AND ${inTime(table === 'event' ? RARELY : null)})`;

/**
 * Deliveries that still wait are among them, since they are given up first; and events go with their deliveries, which are
 * no younger. Reads as lists do, for a limited time: there may be much to count.
 */
export const countRemovable = (tenant: Tenant, { deliveries, events }: Ages): Read<Removable> => ({
  ...single(
    sql`SELECT ${older(tenant, 'delivery', 'whd', deliveries)} AS deliveries,
          ${events === null ? raw('0') : older(tenant, 'event', 'evt', events)} AS events`,
    (counts: Removable) => ({ deliveries: Number(counts.deliveries), events: Number(counts.events) }),
    'list',
  ),
  tenant,
  rare: true,
});
