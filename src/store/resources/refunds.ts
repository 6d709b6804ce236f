/** Refunds in lists. A refund is a part of its session, and is shown out of it. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../page.ts';
import { either, raw, type Sql, sql } from '../sql.ts';
import type { Row } from '../tables.ts';
import {
  type AskedOf,
  type AskedValues,
  boundsOf,
  conditionsOf,
  directionOf,
  indexedBy,
  indexFor,
  owned,
  pageOf,
  type Read,
} from './read.ts';

const filters = {
  checkout: { condition: (id: CheckoutId) => sql`checkout = ${id}`, index: 'refund_checkout' },
  isPending: {
    condition: (_is: true) => sql`state = 'pending'`,
    index: ({ rail }: AskedValues) => (rail === undefined ? 'refund_pending' : 'refund_pending_rail'),
  },
  rail: { condition: (rail: string) => sql`rail = ${rail}`, index: 'refund_rail' },
};

export type RefundFilter = AskedOf<typeof filters>;

type Found = Pick<Row<'refund'>, 'id' | 'checkout'>;

/**
 * Bytes of the session that a refund is shown out of: the page ends by what is read for it. PostgreSQL, which looks at all
 * rows of the page at once, leaves a session out that the row before has, too.
 */
function bytesOf(tenant: Tenant, page: PageRequest): Sql {
  const bytes = sql`(
    SELECT octet_length(data) FROM checkout AS whole WHERE ${owned(tenant, 'whole')} AND whole.id = refund.checkout
  )`;
  const isSame = sql`lag(checkout) OVER (ORDER BY id ${directionOf(page)}) = checkout`;
  return either({ sqlite: bytes, postgres: sql`CASE WHEN ${isSame} THEN 0 ELSE ${bytes} END` });
}

export function refundList(tenant: Tenant, filter: RefundFilter, page: PageRequest): Read<Page<Found>> {
  return pageOf(
    {
      select: sql`SELECT id, checkout, ${bytesOf(tenant, page)} AS bytes FROM refund${indexedBy(indexFor(filters, filter))}`,
      conditions: [owned(tenant), ...conditionsOf(filters, filter)],
      bounds: boundsOf({}, page),
      length: raw('bytes'),
      row: ({ id, checkout }: Found) => ({ id, checkout }),
    },
    page,
  );
}
