/** Numbers of what retention would remove: deliveries, and events from the front of the feed. */
import type { Tenant, TenantTime } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import { either, raw, type Sql, sql } from '../sql.ts';
import { inTime, owned, type Read, single } from './read.ts';

/** `events` are created before this; null keeps them for ever. */
export type Ages = { readonly deliveries: TenantTime; readonly events: TenantTime | null };
export type Removable = { readonly deliveries: number; readonly events: number };

/** Events in front of the first that is young. Their deliveries are older than deliveries may be, and go as well. */
function eventsBefore(tenant: Tenant, { events }: Ages): Sql {
  if (events === null) return raw('0');
  const feed = either({
    sqlite: raw('event'),
    postgres: sql`feed JOIN event ON ${owned(tenant, 'event')} AND event.id = feed.event`,
  });
  const isOwned = either({ sqlite: owned(tenant), postgres: owned(tenant, 'feed') });
  const young = sql`SELECT position FROM ${feed} WHERE ${isOwned} AND ${inTime()} AND created_at >= ${events}
    ORDER BY position LIMIT 1`;
  const counted = either({ sqlite: raw('event'), postgres: raw('feed') });
  return sql`(SELECT count(*) FROM ${counted} WHERE ${owned(tenant)} AND ${inTime()}
    AND position < coalesce((${young}), ${Number.MAX_SAFE_INTEGER}))`;
}

/** Reads as lists do, for a limited time: there may be much to count. */
export const countRemovable = (tenant: Tenant, ages: Ages): Read<Removable> => ({
  ...single(
    sql`SELECT (SELECT count(*) FROM delivery
          WHERE ${owned(tenant)} AND id < ${firstIdAt('whd', ages.deliveries)} AND ${inTime()}) AS deliveries,
        ${eventsBefore(tenant, ages)} AS events`,
    ({ deliveries, events }: Removable) => ({ deliveries: Number(deliveries), events: Number(events) }),
    'list',
  ),
  tenant,
  rare: true,
});
