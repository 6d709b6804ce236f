/** Deliveries as merchants look at them. */
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import type { Delivery, DeliveryAttempt, DeliveryFilter } from '../../webhooks/delivery.ts';
import type { Page, PageRequest } from '../store.ts';
import type { Pool } from './pool.ts';
import { type DeliveryColumns, deliveryFrom, tenantColumns } from './rows.ts';

const columns = `delivery.id, delivery.created_at, delivery.event, delivery.subject, receiver, url, state, attempts, due_at,
  tried_at, last_status, last_error, event.type`;

type AttemptColumns = Omit<DeliveryAttempt, 'durationMs'> & { readonly duration_ms: number };

export function deliveryReader(pool: Pool) {
  return {
    async read(tenant: Tenant, id: string): Promise<Delivery | null> {
      const { text, values } = deliveryQuery(tenant, { id }, { limit: 1 });
      const [row] = await pool.read((sql) => sql.unsafe<DeliveryColumns[]>(text, values, { prepare: true }));
      return row ? deliveryFrom(row) : null;
    },

    async attempts(tenant: Tenant, delivery: string): Promise<DeliveryAttempt[]> {
      const [account, live] = tenantColumns(tenant);
      const rows = await pool.read(
        (sql) => sql<AttemptColumns[]>`
          SELECT number, at, duration_ms, status, error, answer FROM delivery_attempt
          WHERE account = ${account} AND live = ${live} AND delivery = ${delivery} ORDER BY number`,
      );
      return rows.map(({ duration_ms, ...row }) => ({ ...row, durationMs: duration_ms }));
    },

    async list(tenant: Tenant, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>> {
      const { text, values } = deliveryQuery(tenant, filter, page);
      const rows = await pool.search((sql) => sql.unsafe<DeliveryColumns[]>(text, values, { prepare: true }));
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
  filter: DeliveryFilter & { readonly id?: string },
  { limit, after, before }: PageRequest,
): { text: string; values: Array<string | number | boolean> } {
  const values: Array<string | number | boolean> = [...tenantColumns(tenant)];
  const conditions = ['delivery.account = $1 AND delivery.live = $2'];
  const add = (condition: string, value: string | number | undefined) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  };
  const { id, receiver, subject, event, state, createdFrom, createdBefore } = filter;
  add('delivery.id = ?', id);
  add('delivery.event = ?', event);
  // A session has few events, and each has an index of its deliveries.
  add(
    `delivery.event = ANY (ARRAY(
       SELECT told.id FROM event AS told WHERE told.account = $1 AND told.live = $2 AND told.subject = ?))`,
    subject,
  );
  add('receiver = ?', receiver);
  // Written out, so that the planner sees which partial index there is for it.
  if (state !== undefined) conditions.push(`state = '${state}'`);
  add('delivery.id >= ?', createdFrom === undefined ? undefined : firstIdAt('whd', createdFrom));
  add('delivery.id < ?', createdBefore === undefined ? undefined : firstIdAt('whd', createdBefore));
  add('delivery.id < ?', after);
  add('delivery.id > ?', before);
  values.push(limit + 1);
  const direction = before === undefined ? 'DESC' : 'ASC';
  return {
    // Joined by the values and not by its columns, or the planner would not see that an index has the order of ids.
    text: `SELECT ${columns} FROM delivery
           JOIN event ON event.account = $1 AND event.live = $2 AND event.id = delivery.event
           WHERE ${conditions.join(' AND ')} ORDER BY delivery.id ${direction} LIMIT $${values.length}`,
    values,
  };
}
