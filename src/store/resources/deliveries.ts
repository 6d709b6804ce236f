/** Deliveries as merchants look at them. */

import type { Tenant } from '../../checkout/tenant.ts';
import type { EventId, SubjectId } from '../../events/event.ts';
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryId,
  DeliveryState,
  PlacedDelivery,
} from '../../webhooks/delivery.ts';
import { byKey, load } from '../loads.ts';
import type { Page, PageRequest } from '../page.ts';
import { either, isAnyOf, nothing, raw, type Sql, sql } from '../sql.ts';
import { columnsIn, type Row } from '../tables.ts';
import { alongChain, eventAt, newestOf } from './events.ts';
import {
  type AskedOf,
  type AskedValues,
  all,
  boundsOf,
  conditionsOf,
  indexedBy,
  indexFor,
  inTime,
  one,
  owned,
  pageOf,
  type Read,
  word,
} from './read.ts';

/** No session has more events that are looked at for their deliveries. */
const MAX_EVENTS = 1000;

type Found = Row<'delivery'> & Pick<Row<'event'>, 'type'>;

function deliveryFrom({ type: eventType, sequence, roundStart, ...delivery }: Found): Delivery {
  return { ...delivery, eventType };
}

/** Joined by the values and not by its columns, or PostgreSQL would not see that an index has the order of ids. */
const selectFrom = (tenant: Tenant, index: string | null, further = nothing): Sql => sql`
  SELECT ${raw(columnsIn('delivery'))}, event.type${further} FROM delivery${indexedBy(index)}
  JOIN event ON ${owned(tenant, 'event')} AND event.id = delivery.event`;

const filtersOf = (tenant: Tenant) => ({
  event: { condition: (id: EventId) => sql`delivery.event = ${id}`, index: 'delivery_event' },
  // A session has few events, and each has an index of its deliveries.
  subject: {
    condition: (id: SubjectId) =>
      either({
        sqlite: sql`delivery.event IN (${newestEvents(tenant, id)})`,
        postgres: sql`delivery.event = ANY (ARRAY(
          SELECT told.id FROM event AS told WHERE ${owned(tenant, 'told')} AND told.subject = ${id}))`,
      }),
    index: 'delivery_event',
  },
  state: {
    condition: (state: DeliveryState) => sql`state = ${word(state)}`,
    index({ state, receiver }: AskedValues) {
      if (state === 'failed') return 'delivery_failed';
      if (state !== 'pending') return null;
      return receiver === undefined ? 'delivery_pending' : 'delivery_ordering';
    },
  },
  receiver: {
    condition: (receiver: string) => sql`receiver = ${receiver}`,
    index: 'delivery_receiver',
  },
});

export type DeliveryFilter = AskedOf<ReturnType<typeof filtersOf>> & {
  readonly createdFrom?: number;
  readonly createdBefore?: number;
};

/** Ids of the newest events of a session. CROSS keeps to their chain: by itself SQLite goes through all. */
const newestEvents = (tenant: Tenant, checkout: string): Sql =>
  alongChain(
    tenant,
    newestOf(tenant, [checkout]),
    MAX_EVENTS,
    sql`SELECT event.id FROM chain CROSS JOIN ${eventAt(tenant)}`,
  );

const isAbsent = (value: unknown): boolean => value === undefined;

/** Pending deliveries of the same ordering key before it; of one event, in the order of their ids. */
const earlierOf = (tenant: Tenant): Sql => sql`
  SELECT 1 FROM delivery AS earlier
  WHERE ${owned(tenant, 'earlier')} AND earlier.receiver = delivery.receiver
    AND earlier.subject = delivery.subject AND earlier.state = 'pending'
    AND (earlier.sequence, earlier.id) < (delivery.sequence, delivery.id)`;

/**
 * Deliveries to be made again. Units that change deliveries have statements to do so, which say what becomes of others:
 * behind those, everything is read anew (`changesDeliveries`). Their ordering keys keep other batches away.
 */
export const loadDeliveries = load({
  keyOf: (id: DeliveryId): string => id,
  read: (tenant, ids: readonly DeliveryId[]) =>
    byKey(
      sql`${selectFrom(tenant, null, sql`, EXISTS (${earlierOf(tenant)}) AS "isBehind"`)}
          WHERE ${owned(tenant, 'delivery')} AND ${isAnyOf('delivery.id', ids)}`,
      ({ isBehind, ...row }: Found & { readonly isBehind: boolean | number }): [string, PlacedDelivery] => [
        row.id,
        { ...deliveryFrom(row), sequence: row.sequence, isBehind: Boolean(isBehind) },
      ],
    ),
  isShared: true,
});

export const deliveries = {
  fetch: (tenant: Tenant, id: DeliveryId): Read<Delivery | null> =>
    one(
      sql`${selectFrom(tenant, null)} WHERE ${owned(tenant, 'delivery')} AND delivery.id = ${id}`,
      deliveryFrom,
    ),

  list: (tenant: Tenant, filter: DeliveryFilter, page: PageRequest): Read<Page<Delivery>> => {
    const { createdFrom, createdBefore, ...asked } = filter;
    const filters = filtersOf(tenant);
    const { state, ...others } = asked;
    // The index of the state has these rows alone, in the order of the list.
    const isPage = (state === 'pending' || state === 'failed') && Object.values(others).every(isAbsent);
    return pageOf(
      {
        select: selectFrom(tenant, indexFor(filters, asked)),
        conditions: [
          ...(isPage ? [] : [inTime()]),
          owned(tenant, 'delivery'),
          ...conditionsOf(filters, asked),
        ],
        key: raw('delivery.id'),
        bounds: boundsOf({ ...filter, prefix: 'whd' }, page),
        row: deliveryFrom,
        ...(isPage ? {} : { searches: tenant }),
      },
      page,
    );
  },

  listAttempts: (tenant: Tenant, delivery: DeliveryId): Read<DeliveryAttempt[]> =>
    all(
      sql`SELECT ${raw(columnsIn('delivery_attempt'))} FROM delivery_attempt
          WHERE ${owned(tenant)} AND delivery = ${delivery} ORDER BY number`,
      ({ delivery: _, ...attempt }: Row<'delivery_attempt'>) => attempt,
    ),
};
