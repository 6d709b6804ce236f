/** Refunds in lists. A refund is a part of its session, and is shown out of it. */
import type { Tenant } from '../../checkout/tenant.ts';
import { sql } from '../sql.ts';
import type { Page, PageRequest, RefundFilter } from '../store.ts';
import type { Row } from '../tables.ts';
import { boundsOf, conditionsOf, type Filters, indexedBy, owned, pageOf, type Read } from './read.ts';

const filters: Filters<RefundFilter> = {
  checkout: (id) => sql`checkout = ${id}`,
  rail: (rail) => sql`rail = ${rail}`,
  isPending: () => sql`state = 'pending'`,
};

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
      bounds: boundsOf('rfd', {}, page),
      row: ({ id, checkout }: Found) => ({ id, checkout }),
    },
    page,
  );
}
