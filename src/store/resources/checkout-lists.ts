/**
 * Lists of sessions, quick for whatever filters come together. What finds few is asked first: how many rows each
 * condition with an index of its own has, counted no further than a limit. If one has fewer, those are looked at one by
 * one; if all have more, a page is usually full after few rows of the list. Where it is not, few may fulfil all that is
 * asked for, and each database has its own way to find those.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import type { CheckoutRow } from '../columns.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Dialect } from '../sql.ts';
import type { Steps } from '../steps.ts';
import type { CheckoutFilter } from './checkout-filters.ts';
import { intersected } from './checkout-intersection.ts';
import { fewest, type ListLimits, leadsOf } from './checkout-leads.ts';
import { among, looksAtOverview, walk } from './checkout-pages.ts';
import { walked } from './checkout-walk.ts';
import { boundsOf } from './read.ts';

/** A row costs PostgreSQL ten times as much as SQLite. */
const listLimits: Readonly<Record<Dialect, ListLimits>> = {
  sqlite: { few: 10_000, near: 2_000, again: 50_000, sorted: 0 },
  postgres: { few: 2_000, near: 500, again: 8_000, sorted: 20_000 },
};

export function* checkoutPage(
  dialect: Dialect,
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
  limits = listLimits[dialect],
): Steps<Page<CheckoutRow>> {
  const bounds = boundsOf(filter, page);
  const asked = { tenant, filter, page, bounds };
  const leads = leadsOf(dialect, asked);
  const [only] = leads;
  if (only === undefined) return yield* walk(tenant, filter, page, bounds);
  if (leads.length > 1 || looksAtOverview(filter)) {
    const few = yield* fewest(leads, limits);
    if (few?.found === 0) return { rows: [], hasMore: false };
    if (few !== undefined) return yield* among(tenant, few.lead.rest, page, few.lead.ids(null));
    const many = { ...asked, leads, limits };
    return yield* dialect === 'postgres' ? intersected(many) : walked(many);
  }
  if (only.inOrder !== undefined) return yield* walk(tenant, only.rest, page, bounds, only.inOrder);
  // Of each class no more than a page is needed.
  return yield* among(tenant, {}, page, only.ids(page.limit + 1));
}
