/** Events: one by one, in the feed of a tenant, and as the history of a session. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { aroundData } from '../../events/envelope.ts';
import type { EventId, EventRow, FeedEvent } from '../../events/event.ts';
import { ofSessions, outlined } from '../../events/outline.ts';
import { checksumIn, sound } from '../checksum.ts';
import { PAGE_LENGTH, type Page } from '../page.ts';
import { either, isAnyOf, nothing, raw, type Sql, sql } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import { all, asItIs, endedBy, one, owned, pageFrom, type Read, single } from './read.ts';

const columns = sql`${raw(columnsIn('event'))}${checksumIn('event')}`;

export const eventFrom = <R extends EventRow>(row: R): R => sound('event', row);

function fetch(tenant: Tenant, id: EventId): Read<EventRow | null> {
  return one(sql`SELECT ${columns} FROM event WHERE ${owned(tenant)} AND id = ${id}`, eventFrom<EventRow>);
}

type Wanted = { readonly types: readonly string[]; readonly lookedTo: number };

/** A stretch of the feed behind `after`: the first events there, or the first of some types up to a position. */
export type Stretch = { readonly after: number; readonly most: number; readonly wanted: Wanted | null };

/** The events of a stretch. */
export const feedOf = (tenant: Tenant, stretch: Stretch): Read<FeedEvent[]> =>
  feedRead(tenant, stretch, columns, eventFrom<FeedEvent>);

/** Where they are, and how long: neither database reads a long text for that. */
export const feedLengths = (tenant: Tenant, stretch: Stretch): Read<FeedLength[]> =>
  feedRead(tenant, stretch, sql`octet_length(body) AS bytes`, asItIs<FeedLength>);

export type FeedLength = { readonly position: number; readonly bytes: number };

function feedRead<R extends object>(
  tenant: Tenant,
  { after, most, wanted }: Stretch,
  selected: Sql,
  from: (row: R) => R,
): Read<R[]> {
  // In PostgreSQL a position is given after the commit, in a table of its own.
  const feed = either({
    sqlite: sql`event WHERE ${owned(tenant)}`,
    postgres: sql`feed JOIN event ON ${owned(tenant, 'event')} AND event.id = feed.event
                  WHERE ${owned(tenant, 'feed')}`,
  });
  const ofTypes =
    wanted === null ? raw('') : sql` AND position <= ${wanted.lookedTo} AND ${isAnyOf('type', wanted.types)}`;
  const read = all(
    sql`SELECT ${selected}, position FROM ${feed} AND position > ${after}${ofTypes}
        ORDER BY position LIMIT ${most}`,
    from,
    'page',
  );
  return wanted === null ? read : { ...read, by: 'list', tenant };
}

/**
 * For PostgreSQL, events of which the outline is wanted: of a session, which may be long, no more comes over than what
 * stands around it. The end is cut off as bytes, which need not be counted like characters: a seventh of the time.
 */
const around = sql`${raw(columnsIn('event', 'body'))}, CASE WHEN type ~ ${raw(`'${ofSessions.source}'`)} THEN
  left(body, ${raw(`${aroundData.before}`)}) || encode(
    substr(convert_to(body, 'UTF8'), greatest(1, octet_length(body) - ${raw(`${aroundData.behind}`)})), 'escape')
  ELSE body END AS body`;

/** The events of a session in outline, newest first, from the one before `beforeEvent` or from the newest. */
function timeline(
  tenant: Tenant,
  checkout: CheckoutId,
  beforeEvent: EventId | null,
  limit: number,
): Read<Page<EventRow>> {
  const statement = either({
    sqlite: alongChain(
      tenant,
      beforeEvent === null
        ? newestOf(tenant, [checkout])
        : sql`SELECT previous FROM event WHERE ${owned(tenant)} AND id = ${beforeEvent} AND subject = ${checkout}`,
      limit + 1,
      // CROSS keeps to the chain: by itself SQLite goes through all events of the tenant, which are in this order.
      sql`SELECT ${columns} FROM chain CROSS JOIN ${eventAt(tenant)} ORDER BY position DESC`,
    ),
    postgres: endedBy(
      { length: raw('octet_length(body)'), most: PAGE_LENGTH, order: raw('sequence DESC') },
      sql`SELECT ${around} FROM event WHERE ${owned(tenant)} AND subject = ${checkout}
        ${beforeEvent === null ? raw('') : sql`AND sequence < ${sequenceOf(tenant, checkout, beforeEvent)}`}
        ORDER BY sequence DESC LIMIT ${limit + 1}`,
    ),
  });
  return {
    sql: statement,
    // It looks at no more rows than it gives, but they may be long.
    by: 'list',
    tenant,
    outlined: true,
    from: pageFrom({ limit }, (row: EventRow) => outlined(eventFrom(row))),
  };
}

export const events = { fetch, timeline };

const sequenceOf = (tenant: Tenant, checkout: string, event: string): Sql => sql`(
  SELECT sequence FROM event AS edge
  WHERE ${owned(tenant, 'edge')} AND edge.id = ${event} AND edge.subject = ${checkout})`;

/** The event at a place of a chain, for a join. */
export const eventAt = (tenant: Tenant): Sql =>
  sql`event ON ${owned(tenant, 'event')} AND event.position = chain.at`;

/** The positions at which the chains of these sessions begin. */
export const newestOf = (tenant: Tenant, ids: readonly string[]): Sql =>
  sql`SELECT last_event FROM checkout WHERE ${owned(tenant, 'checkout')} AND ${isAnyOf('checkout.id', ids)}`;

/**
 * For SQLite, which has no index of events by session: there each event names the position of the one before it. Selects
 * from the table `chain` of such positions `at`, from those that `start` selects on, at most so many from each.
 */
export function alongChain(tenant: Tenant, start: Sql, most: number | null, select: Sql): Sql {
  return sql`
    WITH RECURSIVE chain (at, step) AS (
      SELECT start.*, 1 FROM (${start}) AS start
      UNION ALL
      SELECT event.previous, step + 1 FROM chain JOIN ${eventAt(tenant)}
        ${most === null ? nothing : sql`WHERE step < ${most}`}
    ) ${select}`;
}

type Position = { readonly position: number };

/** Position of the last event that is no longer kept; 0 where all are. */
export const feedStart = (tenant: Tenant): Read<number> =>
  single(sql`SELECT ${positionIn('feed_start', tenant)} AS position`, ({ position }: Position) => position);

/** Position of the last event that has one; where all are too old to be kept, the feed ends where it begins. */
export function feedEnd(tenant: Tenant): Read<number> {
  const end = either({
    sqlite: sql`max(${positionIn('feed_start', tenant)},
      coalesce((SELECT max(position) FROM event WHERE ${owned(tenant)}), 0))`,
    postgres: positionIn('feed_end', tenant),
  });
  return single(sql`SELECT ${end} AS position`, ({ position }: Position) => position);
}

/** For SQLite, the position of a session's newest event, where its chain begins. */
export const fetchLastEvent = ({ tenant, id }: Checkout): Read<number> =>
  single(
    sql`SELECT last_event AS position FROM checkout WHERE ${owned(tenant)} AND id = ${id}`,
    ({ position }: Position) => position,
  );

const positionIn = (table: string, tenant: Tenant): Sql =>
  sql`coalesce((SELECT position FROM ${raw(table)} WHERE ${owned(tenant)}), 0)`;
