/** Refunds in lists. A refund is part of its session, and is shown out of it. */
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest, RefundFilter } from '../store.ts';
import { pageOf, pageQuery } from './pages.ts';
import type { Pool } from './pool.ts';

type ReadCheckout = (tenant: Tenant, id: string) => Promise<Checkout | null>;

export function refundReader(pool: Pool, readCheckout: ReadCheckout) {
  return {
    /** The sessions are read behind the list, each once however many of its refunds are in there. */
    async list(
      tenant: Tenant,
      filter: RefundFilter,
      page: PageRequest,
    ): Promise<Page<{ id: string; checkout: Checkout }>> {
      const { text, values } = refundQuery(tenant, filter, page);
      const found = await pool.search((sql) =>
        sql.unsafe<Array<{ id: string; checkout: string }>>(text, values, { prepare: true }),
      );
      const { rows, hasMore } = pageOf(found, page);
      const whole = await Promise.all(
        rows.map(async ({ id, checkout }) => ({ id, checkout: await readCheckout(tenant, checkout) })),
      );
      return {
        // No session is ever removed.
        rows: whole.flatMap(({ id, checkout }) => (checkout === null ? [] : [{ id, checkout }])),
        hasMore,
      };
    },
  };
}

/** Exported for the tests that hold every filter to an index. */
export function refundQuery(tenant: Tenant, { checkout, rail, isPending }: RefundFilter, page: PageRequest) {
  const state = isPending ? 'pending' : undefined;
  return pageQuery(
    tenant,
    { table: 'refund', columns: 'id, checkout', equal: { checkout, rail }, state },
    page,
  );
}
