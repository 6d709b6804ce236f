/** Removes what is not kept for ever: deliveries that have ended, events from the front of the feed. */
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import { firstIdAt } from '../lib/id.ts';
import { owned } from './resources/read.ts';
import { either, isAnyOf, raw, sql } from './sql.ts';
import { rowsOf, type Steps } from './steps.ts';

/** Rows that are removed at once, so that nobody waits for long. */
export const BATCH = 1000;

type Found = { readonly id: string };
type Old = Found & { readonly position: number; readonly goes: boolean | 0 | 1 };

/** Deliveries that have ended and were created before this, with their attempts. */
export function* purgeDeliveries(tenant: Tenant, createdBefore: TenantTime): Steps<number> {
  const first = firstIdAt('whd', createdBefore);
  // Receivers that nobody has asked for since: of the others it is still known how they fare.
  yield sql`DELETE FROM webhook_receiver
    WHERE ${owned(tenant)} AND NOT EXISTS (
      SELECT 1 FROM delivery
      WHERE ${owned(tenant, 'delivery')} AND receiver = webhook_receiver.id AND delivery.id >= ${first}
    ) AND NOT EXISTS (
      SELECT 1 FROM delivery
      WHERE ${owned(tenant, 'delivery')} AND receiver = webhook_receiver.id AND state = 'pending')`;
  // Not what somebody else has in hand: another process removes it, or it is about to be sent again.
  const old = yield* rowsOf<Found>(sql`
    SELECT id FROM delivery WHERE ${owned(tenant)} AND id < ${first} AND state <> 'pending'
    ORDER BY id LIMIT ${BATCH}${either({ postgres: raw(' FOR UPDATE SKIP LOCKED') })}`);
  // Once more, for one may have been sent again meanwhile.
  const gone = yield* rowsOf<Found>(sql`
    DELETE FROM delivery WHERE ${owned(tenant)} AND state <> 'pending'
      AND ${isAnyOf(
        'id',
        old.map(({ id }) => id),
      )} RETURNING id`);
  const ids = gone.map(({ id }) => id);
  yield sql`DELETE FROM delivery_attempt WHERE ${owned(tenant)} AND ${isAnyOf('delivery', ids)}`;
  return ids.length;
}

/** Events created before this, in the order of the feed up to the first that stays: one that is young, or on its way. */
export function* purgeEvents(tenant: Tenant, createdBefore: TenantTime): Steps<number> {
  // A transaction that numbers events, or removes them, waits here.
  yield either({ postgres: sql`SELECT 1 FROM feed_end WHERE ${owned(tenant)} FOR UPDATE` });
  const feed = either({
    sqlite: raw('event'),
    postgres: sql`feed JOIN event ON ${owned(tenant, 'event')} AND event.id = feed.event`,
  });
  const oldest = yield* rowsOf<Old>(sql`
    SELECT position, event.id, created_at < ${createdBefore} AND NOT EXISTS (
      SELECT 1 FROM delivery WHERE ${owned(tenant, 'delivery')} AND delivery.event = event.id
    ) AS goes
    FROM ${feed} WHERE ${either({ sqlite: owned(tenant), postgres: owned(tenant, 'feed') })}
    ORDER BY position LIMIT ${BATCH}`);
  const stays = oldest.findIndex(({ goes }) => !goes);
  const going = stays < 0 ? oldest : oldest.slice(0, stays);
  const last = going.at(-1);
  if (last === undefined) return 0;
  const ids = going.map(({ id }) => id);
  yield either({ postgres: sql`DELETE FROM feed WHERE ${owned(tenant)} AND position <= ${last.position}` });
  yield sql`DELETE FROM event WHERE ${owned(tenant)} AND ${isAnyOf('id', ids)}`;
  yield sql`INSERT INTO feed_start (account, live, position)
    VALUES (${tenant.account}, ${tenant.mode === 'live'}, ${last.position})
    ON CONFLICT (account, live) DO UPDATE SET position = ${either({
      sqlite: raw('max(feed_start.position, excluded.position)'),
      postgres: raw('greatest(feed_start.position, excluded.position)'),
    })}`;
  return going.length;
}
