/** Refunds in lists. A refund is a part of its session, and is shown out of it. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../page.ts';
import { sql } from '../sql.ts';
import type { Row } from '../tables.ts';
import { type AskedOf, boundsOf, conditionsOf, indexedBy, owned, pageOf, type Read } from './read.ts';

const filters = {
  checkout: (id: CheckoutId) => sql`checkout = ${id}`,
  rail: (rail: string) => sql`rail = ${rail}`,
  isPending: (_is: true) => sql`state = 'pending'`,
};

export type RefundFilter = AskedOf<typeof filters>;

/** The index that finds the fewest. */
function indexFor({ checkout, rail, isPending }: RefundFilter): string | null {
  if (checkout !== undefined) return 'refund_checkout';
  if (isPending) return rail === undefined ? 'refund_pending' : 'refund_pending_rail';
  return rail === undefined ? null : 'refund_rail';
}

type Found = Pick<Row<'refund'>, 'id' | 'checkout'>;

export function refundList(tenant: Tenant, filter: RefundFilter, page: PageRequest): Read<Page<Found>> {
  return pageOf(
    {
      select: sql`SELECT id, checkout FROM refund${indexedBy(indexFor(filter))}`,
      conditions: [owned(tenant), ...conditionsOf(filters, filter)],
      bounds: boundsOf({}, page),
      row: ({ id, checkout }: Found) => ({ id, checkout }),
    },
    page,
  );
}
