/** Sessions, many with one statement. */
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { checkoutPage } from '../resources/checkout-lists.ts';
import type { Checkouts } from '../store.ts';
import type { CheckoutCache } from './cache.ts';
import type { Pool } from './pool.ts';
import { searchFor } from './run.ts';

/** Sessions that are read with one statement. */
const MAX_GATHERED = 256;

/**
 * Reads with one statement what is asked for in one turn of the event loop, for each tenant: a statement costs
 * more than a row. It is sent after the last of them has asked, so nobody gets what was older than the question.
 */
export function gatheringReader(pool: Pool, cache: CheckoutCache) {
  type Gathering = { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, Checkout>> };
  const gatherings = new Map<number, Gathering>();

  function gather(tenant: Tenant, key: number): Gathering {
    const ids = new Set<string>();
    const turnIsOver = new Promise((resolve) => setImmediate(resolve));
    const found = turnIsOver.then(() => {
      if (gatherings.get(key)?.ids === ids) gatherings.delete(key);
      return pool.read(tenant, (sql) => cache.read(sql, tenant, [...ids]));
    });
    const gathering = { ids, found };
    gatherings.set(key, gathering);
    return gathering;
  }

  return async (tenant: Tenant, id: string): Promise<Checkout | null> => {
    const key = 2 * tenant.account + Number(tenant.mode === 'live');
    const open = gatherings.get(key);
    const { ids, found } = open && open.ids.size < MAX_GATHERED ? open : gather(tenant, key);
    ids.add(id);
    return (await found).get(id) ?? null;
  };
}

export function lists(pool: Pool, { same }: CheckoutCache): Pick<Checkouts, 'list' | 'listSerialized'> {
  const list: Checkouts['list'] = async (tenant, filter, page) => {
    const { rows, hasMore } = await searchFor(pool, tenant, checkoutPage(tenant, filter, page));
    return { rows: rows.map((row) => same(tenant, row)), hasMore };
  };
  return {
    list,
    async listSerialized(tenant, filter, page, serializer) {
      const { rows, hasMore } = await list(tenant, filter, page);
      return { rows: rows.map((each) => ({ id: each.id, json: serializer.checkout(each) })), hasMore };
    },
  };
}
