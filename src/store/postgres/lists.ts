/** Lists of sessions, read where a slow one holds up nobody else. */
import type { Tenant } from '../../checkout/tenant.ts';
import { createOneATurn } from '../../lib/one-a-turn.ts';
import { serializerOf, TURN_MS } from '../lists.ts';
import { type PageRequest, serializedInTurns } from '../page.ts';
import type { CheckoutFilter } from '../resources/checkout-filters.ts';
import { checkoutPage } from '../resources/checkout-lists.ts';
import type { Checkouts } from '../store.ts';
import type { CheckoutCache } from './checkouts.ts';
import type { Pool } from './pool.ts';
import { searchFor } from './run.ts';

export function lists(pool: Pool, { same }: CheckoutCache): Pick<Checkouts, 'list' | 'listSerialized'> {
  /** Turns of the lists of all tenants: their rows are parsed and serialized by the thread that answers. */
  const ownTurn = createOneATurn(TURN_MS);
  const search = (tenant: Tenant, filter: CheckoutFilter, page: PageRequest) =>
    searchFor(pool, tenant, checkoutPage('postgres', tenant, filter, page));

  return {
    async list(tenant, filter, page) {
      const { rows, hasMore } = await search(tenant, filter, page);
      return { rows: rows.map((row) => same(tenant, row)), hasMore };
    },
    async listSerialized(tenant, filter, page, form) {
      const serialize = serializerOf(form);
      const found = await search(tenant, filter, page);
      return serializedInTurns(found, page, (row) => serialize(same(tenant, row)), ownTurn);
    },
  };
}
