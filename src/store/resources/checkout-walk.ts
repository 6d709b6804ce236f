/**
 * Lists of sessions on SQLite of which every condition has many rows: by walks from row to row, of which each takes it a
 * microsecond.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import type { CheckoutRow } from '../columns.ts';
import type { Page, PageRequest } from '../page.ts';
import { raw, type Sql, sql } from '../sql.ts';
import { rowsOf, type Steps } from '../steps.ts';
import { classed } from './checkout-classes.ts';
import { besideClass, type CheckoutFilter, isClassified, isRanged, rangeIn } from './checkout-filters.ts';
import type { Many } from './checkout-leads.ts';
import { among, walk, withinOf } from './checkout-pages.ts';
import { INDEXES, searched } from './checkout-search.ts';
import { type Bound, directionOf, inTime, owned, RARELY } from './read.ts';

export function* walked(many: Many): Steps<Page<CheckoutRow>> {
  const { tenant, filter, page, bounds, leads } = many;
  // Amounts are at hand in the order of the list, and what is asked for may be rare among them.
  const sorted = isRanged(filter) ? undefined : leads.find(({ inOrder }) => inOrder !== undefined);
  if (sorted !== undefined) return yield* walk(tenant, sorted.rest, page, bounds, sorted.inOrder);
  const { search } = filter;
  if (search === undefined) return yield* walk(tenant, filter, page, bounds);
  const amounts = isRanged(filter) ? yield* fewAmounts(many) : null;
  if (amounts?.found === 0) return { rows: [], hasMore: false };
  if (amounts !== null) return yield* among(tenant, filter, page, amounts.ids);
  return yield* searchedFor(search, many);
}

/**
 * A search that finds many, all of which may be far from the beginning of the list, as the references of a year ago are. A
 * page may be found near the beginning, or else near the first that is found at all; if it is in neither place, few may
 * fulfil all that is asked for.
 */
function* searchedFor(search: string, { tenant, filter, page, bounds, limits }: Many) {
  const { search: _, ...others } = filter;
  const rest = besideClass(others);
  const within = withinOf(bounds);
  const ids = searched(tenant, search, { within, most: null });
  const here = yield* walkNear(tenant, filter, page, bounds, limits.near);
  if (here !== null) return here;
  const { createdFrom: __, createdBefore: ___, ...beside } = rest;
  if (!isClassified(filter) && Object.keys(beside).length === 0) {
    const first = sql`SELECT id FROM (${ids}) AS found ORDER BY id ${directionOf(page)} LIMIT ${INDEXES * (page.limit + 1)}`;
    return yield* among(tenant, {}, page, first);
  }
  const [first] = yield* rowsOf<{ readonly id: string | null }>(
    sql`SELECT ${raw(page.before === undefined ? 'max' : 'min')}(id) AS id FROM (${ids}) AS found`,
  );
  if (first === undefined || first.id === null) return { rows: [], hasMore: false };
  const further = fromThere(bounds, page, first.id);
  const there = yield* walkNear(tenant, filter, page, further, limits.near);
  if (there !== null) return there;
  if (!isClassified(filter)) return yield* walk(tenant, filter, page, further);
  // SQLite compares numbers sooner than ids.
  const rowids = searched(tenant, search, { within, most: null, column: raw('rowid') });
  const both = classed(tenant, filter, {
    page,
    within: sql`${withinOf(bounds, raw('checkout.id'))} AND checkout.rowid IN (${rowids})`,
    most: null,
  });
  return yield* among(tenant, rest, page, both);
}

/** The bounds, but for where the list begins. */
function fromThere(bounds: readonly Bound[], { before }: PageRequest, id: string): Bound[] {
  const [start, replaced] = before === undefined ? (['<=', '<'] as const) : (['>=', '>'] as const);
  return [...bounds.filter(([comparison]) => comparison !== replaced), [start, id]];
}

/** The page if the first rows of the list have all of it, or there are no more; null if it is to be looked for further on. */
function* walkNear(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
  bounds: readonly Bound[],
  near: number,
): Steps<Page<CheckoutRow> | null> {
  const [far] = yield* rowsOf<{ readonly id: string }>(
    sql`SELECT id FROM checkout INDEXED BY checkout_overview WHERE ${owned(tenant)}${withinOf(bounds)}
        ORDER BY id ${directionOf(page)} LIMIT 1 OFFSET ${near}`,
  );
  const end = page.before === undefined ? '>' : '<';
  const nearer =
    far === undefined
      ? bounds
      : [...bounds.filter(([comparison]) => comparison !== end), [end, far.id] as const];
  const found = yield* walk(tenant, filter, page, nearer);
  return far === undefined || found.hasMore ? found : null;
}

/**
 * Sessions with an amount that is asked for, if there are few. One narrow index tells amounts; a search would look for what
 * nothing has in three places.
 */
function* fewAmounts({
  tenant,
  filter,
  bounds,
  limits: { few },
}: Many): Generator<Sql, { readonly found: number; readonly ids: Sql } | null, readonly object[]> {
  const ids = sql`SELECT id FROM checkout INDEXED BY checkout_overview
    WHERE ${inTime(RARELY)} AND ${owned(tenant)} AND ${rangeIn(filter)}${withinOf(bounds)}`;
  const [row] = yield* rowsOf<{ readonly found: number }>(
    sql`SELECT count(*) AS found FROM (${ids} LIMIT ${few}) AS few`,
  );
  const found = row?.found ?? few;
  return found < few ? { found, ids } : null;
}
