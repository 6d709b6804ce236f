/**
 * Lists of sessions on SQLite of which every condition has many rows: by walks from row to row, of which each takes it a
 * microsecond.
 */
import type { CheckoutRow } from '../columns.ts';
import type { Page } from '../page.ts';
import { raw, type Sql, sql } from '../sql.ts';
import { rowsOf, type Steps } from '../steps.ts';
import { classed } from './checkout-classes.ts';
import { besideClass, isClassified, isRanged, rangeIn } from './checkout-filters.ts';
import { type Many, mostAgain } from './checkout-leads.ts';
import { among, walk } from './checkout-pages.ts';
import { begins, fromFirst, INDEXES, searched } from './checkout-search.ts';
import { type Bound, directionOf, inTime, owned, RARELY, withinOf } from './read.ts';

const nothingFound: Page<CheckoutRow> = { rows: [], hasMore: false };

export function* walked(many: Many): Steps<Page<CheckoutRow>> {
  const { tenant, filter, page, bounds, leads } = many;
  // Amounts are at hand in the order of the list, and what is asked for may be rare among them.
  const sorted = isRanged(filter) ? undefined : leads.find(({ inOrder }) => inOrder !== undefined);
  const { search } = filter;
  if (sorted !== undefined) {
    const from = search === undefined ? bounds : yield* fromWhereItFinds(search, many);
    return from === null ? nothingFound : yield* walk(tenant, sorted.rest, page, from, sorted.inOrder);
  }
  if (search === undefined) return yield* walk(tenant, filter, page, bounds);
  return yield* searchedFor(search, many);
}

/**
 * A search that finds many, all of which may be far from the beginning of the list, as the references of a year ago are. A
 * page may be found near the beginning, or else near the first that is found at all; if it is in neither place, few may
 * fulfil all that is asked for.
 */
function* searchedFor(search: string, many: Many): Steps<Page<CheckoutRow>> {
  const { tenant, filter, page, bounds } = many;
  const { search: _, ...others } = filter;
  const rest = besideClass(others);
  const here = yield* walkNear(many, bounds);
  if (here !== null) return here;
  const within = withinOf(bounds);
  const { createdFrom: __, createdBefore: ___, ...beside } = rest;
  if (!isClassified(filter) && Object.keys(beside).length === 0) {
    const ids = searched(tenant, search, { within, most: null });
    const first = sql`SELECT id FROM (${ids}) AS found ORDER BY id ${directionOf(page)} LIMIT ${INDEXES * (page.limit + 1)}`;
    return yield* among(tenant, {}, page, first);
  }
  const further = yield* fromWhereItFinds(search, many);
  if (further === null) return nothingFound;
  const there = further === bounds ? null : yield* walkNear(many, further);
  if (there !== null) return there;
  const amounts = isRanged(filter) ? yield* fewAmounts(many) : null;
  if (amounts?.found === 0) return nothingFound;
  if (amounts !== null) return yield* among(tenant, filter, page, amounts.ids);
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

/**
 * The bounds of a list that begins at the first session that is found, or null if none is. They stay as they are if that is
 * near the beginning: to look at all that is found would gain nothing.
 */
function* fromWhereItFinds(
  search: string,
  many: Many,
): Generator<Sql, readonly Bound[] | null, readonly object[]> {
  const { tenant, bounds, limits } = many;
  const near = yield* nearest(many, bounds, limits.near);
  const [here] = yield* rowsOf(sql`SELECT 1 FROM checkout INDEXED BY checkout_overview
    WHERE ${inTime(RARELY)} AND ${owned(tenant)}${withinOf(near.bounds)} AND ${begins(search)} LIMIT 1`);
  return here === undefined ? yield* fromFirst(search, many) : bounds;
}

/**
 * The page if the first rows of the list have all of it, or so many more as these suggest, or there are no more; null if it is to
 * be looked for further on.
 */
function* walkNear(many: Many, bounds: readonly Bound[]): Steps<Page<CheckoutRow> | null> {
  const { page, limits } = many;
  const first = yield* amongFirst(many, bounds, limits.near);
  if (first.isWhole) return first.found;
  const most = mostAgain(limits, page, first.found.rows.length);
  if (most === null) return null;
  const more = yield* amongFirst(many, bounds, most);
  return more.isWhole ? more.found : null;
}

/** Those among the first rows of the list that fulfil what is asked for; whole if there is a page of them, or the list has no more. */
function* amongFirst(many: Many, bounds: readonly Bound[], most: number) {
  const { tenant, filter, page } = many;
  const near = yield* nearest(many, bounds, most);
  const found = yield* walk(tenant, filter, page, near.bounds);
  return { found, isWhole: near.isWhole || found.hasMore };
}

/** The bounds of the first rows of a list; whole if it has no more. */
function* nearest(
  { tenant, page }: Many,
  bounds: readonly Bound[],
  most: number,
): Generator<Sql, { readonly bounds: readonly Bound[]; readonly isWhole: boolean }, readonly object[]> {
  const [far] = yield* rowsOf<{ readonly id: string }>(
    sql`SELECT id FROM checkout INDEXED BY checkout_overview WHERE ${owned(tenant)}${withinOf(bounds)}
        ORDER BY id ${directionOf(page)} LIMIT 1 OFFSET ${most}`,
  );
  if (far === undefined) return { bounds, isWhole: true };
  const end = page.before === undefined ? '>' : '<';
  return { bounds: [...bounds.filter(([comparison]) => comparison !== end), [end, far.id]], isWhole: false };
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
