/** Lists of sessions, read where a slow one holds up nobody else. */
import { serialized } from '../lists.ts';
import { checkoutPage } from '../resources/checkout-lists.ts';
import type { Checkouts } from '../store.ts';
import type { CheckoutCache } from './checkouts.ts';
import type { Pool } from './pool.ts';
import { searchFor } from './run.ts';

export function lists(pool: Pool, { same }: CheckoutCache): Pick<Checkouts, 'list' | 'listSerialized'> {
  const list: Checkouts['list'] = async (tenant, filter, page) => {
    const { rows, hasMore } = await searchFor(pool, tenant, checkoutPage(tenant, filter, page));
    return { rows: rows.map((row) => same(tenant, row)), hasMore };
  };
  return { list, listSerialized: serialized(list) };
}
