/**
 * Lists of sessions on PostgreSQL of which every condition has many rows. A page may be found among the first of each. If
 * it is not, few may fulfil all that is asked for: those are found by the indexes alone, of whose entries a hundred cost
 * what one row costs.
 */
import type { CheckoutRow } from '../columns.ts';
import type { Page } from '../page.ts';
import { join, type Sql, sql } from '../sql.ts';
import { rowsOf, type Steps } from '../steps.ts';
import { type Lead, type Many, mostAgain } from './checkout-leads.ts';
import { among, withinOf } from './checkout-pages.ts';
import { INDEXES } from './checkout-search.ts';
import { directionOf, owned } from './read.ts';

type First = Pick<Lead, 'first' | 'rest'>;

export function* intersected(many: Many): Steps<Page<CheckoutRow>> {
  const { tenant, page, limits } = many;
  const again: { readonly lead: First; readonly most: number }[] = [];
  for (const lead of inTheirOrder(many)) {
    const { found, isWhole } = yield* amongFirst(many, lead, limits.near);
    if (isWhole) return found;
    const most = mostAgain(limits, page, found.rows.length);
    if (most !== null) again.push({ lead, most });
  }
  const [best] = again.sort((one, other) => one.most - other.most);
  if (best !== undefined) {
    const { found, isWhole } = yield* amongFirst(many, best.lead, best.most);
    if (isWhole) return found;
  }
  return yield* among(tenant, {}, page, named(yield* inAll(many)));
}

/** The leads, those first that find the first of the list with the least effort: a search goes through all that it finds. */
function inTheirOrder({ tenant, filter, page, bounds, leads }: Many): readonly First[] {
  if (filter.search === undefined) return leads;
  const first = (most: number) =>
    sql`SELECT id FROM checkout WHERE ${owned(tenant)}${withinOf(bounds)} ORDER BY id ${directionOf(page)} LIMIT ${most}`;
  const isSearch = ({ rest }: Lead) => rest.search === undefined;
  return [...leads.filter((lead) => !isSearch(lead)), { first, rest: filter }, ...leads.filter(isSearch)];
}

/** Those among the first of a lead that fulfil the rest; whole if there is a page of them, or the lead has no others. */
function* amongFirst({ tenant, page }: Many, { first, rest }: First, most: number) {
  const rows = yield* rowsOf<{ readonly id: string }>(first(most));
  const found = yield* among(tenant, rest, page, named(rows.map(({ id }) => id)));
  return { found, isWhole: found.hasMore || rows.length < most };
}

const named = (ids: readonly string[]): Sql => sql`SELECT unnest(${{ values: ids }}::text[])`;

/** Ids of the page and one more, by the indexes of all conditions. */
function* inAll({ page, leads }: Many): Generator<Sql, readonly string[], readonly object[]> {
  // PostgreSQL would go through one in the order of ids, and look each up in the next one, but for the OFFSET.
  const common = join(
    leads.map(({ ids }) => sql`(${ids(null)} OFFSET 0)`),
    ' INTERSECT ',
  );
  const inOrder = sql`ORDER BY id ${directionOf(page)}`;
  // A search alone may find the same session by each of its indexes.
  const rows = yield* rowsOf<{ readonly id: string }>(
    sql`SELECT DISTINCT id FROM (
        SELECT id FROM (${common}) AS common ${inOrder} LIMIT ${INDEXES * (page.limit + 1)}) AS first
      ${inOrder} LIMIT ${page.limit + 1}`,
  );
  return rows.map(({ id }) => id);
}
