/** Movements of money in lists, the newest first, each with what its session and its refund are now. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { ListedMovement, MovementType } from '../../checkout/movements.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../page.ts';
import { nothing, raw, sql } from '../sql.ts';
import { columnsIn } from '../tables.ts';
import {
  type AskedOf,
  type AskedValues,
  boundsOf,
  conditionsOf,
  indexedBy,
  indexFor,
  inTime,
  isSet,
  owned,
  pageOf,
  RARELY,
  type Read,
  word,
} from './read.ts';

const filters = {
  checkout: { condition: (id: CheckoutId) => sql`checkout = ${id}`, index: 'movement_checkout' },
  reference: { condition: (id: string) => sql`reference = ${id}`, index: 'movement_reference' },
  late: {
    condition: (late: boolean) => isSet('late', late),
    index: ({ late }: AskedValues) => (late === true ? 'movement_late' : null),
  },
  type: {
    // SQLite finds a partial index by its own words alone. Most movements are payments, which have none.
    condition: (type: MovementType) =>
      sql`type = ${word(type)}${type === 'payment' ? nothing : raw(" AND type <> 'payment'")}`,
    index: ({ type }: AskedValues) => (type === 'payment' ? null : 'movement_back'),
  },
  rail: { condition: (rail: string) => sql`rail = ${rail}`, index: 'movement_rail' },
  currency: { condition: (currency: string) => sql`currency = ${currency}`, index: 'movement_currency' },
};

/** Movements that are asked for; times are inclusive at the start and exclusive at the end. */
export type MovementFilter = AskedOf<typeof filters> & {
  readonly createdFrom?: number;
  readonly createdBefore?: number;
};

/** Facts of the session and of the refund, each found by its key. */
const further = (tenant: Tenant) => sql`
  (SELECT reference_id FROM checkout WHERE ${owned(tenant, 'checkout')} AND checkout.id = movement.checkout)
    AS "referenceId",
  CASE WHEN type = 'refund' THEN (
    SELECT state FROM refund WHERE ${owned(tenant, 'refund')} AND refund.id = movement.reference
  ) END AS "refundStatus"`;

export const movements = {
  list: (tenant: Tenant, filter: MovementFilter, page: PageRequest): Read<Page<ListedMovement>> =>
    pageOf(
      {
        select: sql`SELECT ${raw(columnsIn('movement'))}, ${further(tenant)}
          FROM movement${indexedBy(indexFor(filters, filter))}`,
        // Together, conditions may hold for few of many.
        conditions: [owned(tenant), ...conditionsOf(filters, filter), inTime(RARELY)],
        bounds: boundsOf({ ...filter, prefix: 'mov' }, page),
        row: (row: ListedMovement) => ({ ...row, late: Boolean(row.late) }),
        searches: tenant,
      },
      page,
    ),
};
