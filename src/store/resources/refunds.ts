/** Refunds in lists. A refund is a part of its session, and is shown out of it. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../page.ts';
import { sql } from '../sql.ts';
import type { Row } from '../tables.ts';
import {
  type AskedOf,
  type AskedValues,
  boundsOf,
  conditionsOf,
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

export function refundList(tenant: Tenant, filter: RefundFilter, page: PageRequest): Read<Page<Found>> {
  return pageOf(
    {
      select: sql`SELECT id, checkout FROM refund${indexedBy(indexFor(filters, filter))}`,
      conditions: [owned(tenant), ...conditionsOf(filters, filter)],
      bounds: boundsOf({}, page),
      row: ({ id, checkout }: Found) => ({ id, checkout }),
    },
    page,
  );
}
