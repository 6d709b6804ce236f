/** Deliveries as merchants look at them. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import type { Delivery, DeliveryAttempt, DeliveryFilter } from '../../webhooks/delivery.ts';
import type { Page, PageRequest } from '../store.ts';
import { attemptFrom, deliveryFrom, liveOf, type Row } from './rows.ts';

/** No session has more events that are looked at for their deliveries. */
const MAX_EVENTS = 1000;

const columns = `delivery.id, delivery.created_at, delivery.event, delivery.subject, receiver, url, state, attempts, due_at,
  tried_at, last_status, last_error, event.type`;
const withEvent = `JOIN event ON event.account = delivery.account AND event.live = delivery.live
  AND event.id = delivery.event`;

export function deliveryReader(database: DatabaseSync) {
  const byId = database.prepare(
    `SELECT ${columns} FROM delivery ${withEvent}
     WHERE delivery.account = ? AND delivery.live = ? AND delivery.id = ?`,
  );
  const attempts = database.prepare(
    'SELECT * FROM delivery_attempt WHERE account = ? AND live = ? AND delivery = ? ORDER BY number',
  );

  return {
    read(tenant: Tenant, id: string): Delivery | null {
      const row = byId.get(tenant.account, liveOf(tenant), id);
      return row === undefined ? null : deliveryFrom(row as Row);
    },

    attempts: (tenant: Tenant, delivery: string): DeliveryAttempt[] =>
      attempts.all(tenant.account, liveOf(tenant), delivery).map((row) => attemptFrom(row as Row)),

    list(tenant: Tenant, filter: DeliveryFilter, page: PageRequest): Page<Delivery> {
      const { sql, values } = deliveryQuery(tenant, filter, page);
      const rows = database.prepare(sql).all(...values) as Row[];
      const shown = rows.slice(0, page.limit).map(deliveryFrom);
      return {
        rows: page.before === undefined ? shown : shown.reverse(),
        hasMore: rows.length > page.limit,
      };
    },
  };
}

/** Exported for the tests that hold every filter to an index. */
export function deliveryQuery(
  tenant: Tenant,
  { receiver, subject, event, state, createdFrom, createdBefore }: DeliveryFilter,
  { limit, after, before }: PageRequest,
): { sql: string; values: SQLInputValue[] } {
  const tenantKey: SQLInputValue[] = [tenant.account, liveOf(tenant)];
  const conditions = ['delivery.account = ? AND delivery.live = ?'];
  const values = [...tenantKey];
  const add = (condition: string, ...bound: SQLInputValue[]) => {
    conditions.push(condition);
    values.push(...bound);
  };
  if (event !== undefined) add('delivery.event = ?', event);
  // A session has few events, and each has an index of its deliveries.
  if (subject !== undefined)
    add(`delivery.event IN (${eventsOf})`, ...tenantKey, subject, ...tenantKey, MAX_EVENTS, ...tenantKey);
  if (receiver !== undefined) add('receiver = ?', receiver);
  if (state !== undefined) add(`state = '${state}'`);
  const ends = [
    ...(createdBefore === undefined ? [] : [firstIdAt('whd', createdBefore)]),
    after ?? [],
  ].flat();
  const [end] = ends.sort();
  if (end !== undefined) add('delivery.id < ?', end);
  // Of two lower bounds SQLite would search the index for one, and go through all from there to the other. What makes
  // the first id of a time is shorter than an id, and no id itself.
  const starts = [...(createdFrom === undefined ? [] : [firstIdAt('whd', createdFrom)]), before ?? []].flat();
  const start = starts.sort().at(-1);
  if (start !== undefined) add('delivery.id > ?', start);
  const direction = before === undefined ? 'DESC' : 'ASC';
  values.push(limit + 1);
  return {
    sql: `SELECT ${columns} FROM delivery${indexFor({ receiver, subject, event, state })} ${withEvent}
          WHERE ${conditions.join(' AND ')} ORDER BY delivery.id ${direction} LIMIT ?`,
    values,
  };
}

/** Ids of the newest events of a session, along their chain. CROSS keeps to that: by itself SQLite goes through all. */
const eventsOf = `
  WITH RECURSIVE chain (at, step) AS (
    SELECT last_event, 1 FROM checkout WHERE checkout.account = ? AND checkout.live = ? AND checkout.id = ?
    UNION ALL
    SELECT told.previous, step + 1 FROM chain
      JOIN event AS told ON told.account = ? AND told.live = ? AND told.position = chain.at
      WHERE step < ?
  )
  SELECT told.id FROM chain
    CROSS JOIN event AS told ON told.account = ? AND told.live = ? AND told.position = chain.at`;

/** What finds few among many is asked first; SQLite would rather go through all in the order of the list. */
function indexFor({
  receiver,
  subject,
  event,
  state,
}: Partial<Record<keyof DeliveryFilter, unknown>>): string {
  if (event !== undefined || subject !== undefined) return ' INDEXED BY delivery_event';
  if (state === 'failed') return ' INDEXED BY delivery_failed';
  if (state === 'pending')
    return ` INDEXED BY ${receiver === undefined ? 'delivery_pending' : 'delivery_lane'}`;
  return receiver === undefined ? '' : ' INDEXED BY delivery_receiver';
}
