/**
 * Lists of sessions on PostgreSQL of which every condition has many rows. A page may be found among the first of each. If
 * it is not, few may fulfil all that is asked for: those are found by the indexes alone, of whose entries a hundred cost
 * what one row costs.
 */
import type { CheckoutRow } from '../columns.ts';
import type { Page } from '../page.ts';
import { join, type Sql, sql } from '../sql.ts';
import { rowsOf, type Steps } from '../steps.ts';
import { type Lead, leadsOf, type Many, mostAgain } from './checkout-leads.ts';
import { among } from './checkout-pages.ts';
import { begins, fromFirst, INDEXES } from './checkout-search.ts';
import { directionOf, owned, withinOf } from './read.ts';

type First = Pick<Lead, 'first' | 'rest' | 'isWalked'>;

export function* intersected(many: Many): Steps<Page<CheckoutRow>> {
  const { search } = many.filter;
  if (search === undefined) return (yield* amongFirst(many, many.leads)) ?? (yield* inAll(many));
  const here = yield* amongFirst(many, besideSearch(many));
  if (here !== null) return here;
  if (yield* findsNear(search, many)) return yield* byIndexes(many);
  // All that it finds may be far from the beginning of the list, as the references of a year ago are.
  const bounds = yield* fromFirst(search, many);
  if (bounds === null) return { rows: [], hasMore: false };
  const further = { ...many, bounds, leads: leadsOf('postgres', { ...many, bounds }) };
  return (yield* amongFirst(further, besideSearch(further))) ?? (yield* byIndexes(further));
}

const isSearch = ({ rest }: Lead): boolean => rest.search === undefined;

/** The leads of a search beside itself, and the list, which is none. */
function besideSearch(many: Many): readonly First[] {
  return [...many.leads.filter((lead) => !isSearch(lead)), listOf(many)];
}

/** The page by the index of the search, if that has few enough to sort them, or by those of all conditions. */
function* byIndexes(many: Many): Steps<Page<CheckoutRow>> {
  for (const lead of many.leads.filter(isSearch)) {
    const found = (yield* hasFewer(lead, many.limits.sorted)) ? yield* amongFirst(many, [lead]) : null;
    if (found !== null) return found;
  }
  return yield* inAll(many);
}

function* hasFewer({ ids }: Lead, most: number): Generator<Sql, boolean, readonly object[]> {
  const [row] = yield* rowsOf<{ readonly found: number }>(
    sql`SELECT count(*)::int AS found FROM (SELECT 1 FROM (${ids(most)}) AS found LIMIT ${most}) AS few`,
  );
  return (row?.found ?? most) < most;
}

/** The list itself. */
function listOf({ tenant, filter, page, bounds }: Many): First {
  const first = (most: number) =>
    sql`SELECT id FROM checkout WHERE ${owned(tenant)}${withinOf(bounds)} ORDER BY id ${directionOf(page)} LIMIT ${most}`;
  return { first, rest: filter };
}

/** True if a search finds one of the first of the list. */
function* findsNear(search: string, many: Many): Generator<Sql, boolean, readonly object[]> {
  const { tenant, limits } = many;
  const found = yield* rowsOf(sql`SELECT 1 FROM checkout
    JOIN checkout_overview AS overview ON ${owned(tenant, 'overview')} AND overview.id = checkout.id
    WHERE ${owned(tenant, 'checkout')} AND checkout.id = ANY (ARRAY(${listOf(many).first(limits.near)})) AND ${begins(search)} LIMIT 1`);
  return found.length > 0;
}

/** The page, if it is found among the first rows of one of these, or among as many as these suggest. */
function* amongFirst(many: Many, leads: readonly First[]): Steps<Page<CheckoutRow> | null> {
  const { page, limits } = many;
  const again: { readonly lead: First; readonly most: number }[] = [];
  for (const lead of leads) {
    const { found, isWhole } = yield* firstOf(many, lead, limits.near);
    if (isWhole) return found;
    // To go further along what has to be walked costs as much as all indexes.
    const most = lead.isWalked ? null : mostAgain(limits, page, found.rows.length);
    if (most !== null) again.push({ lead, most });
  }
  const [best] = again.sort((one, other) => one.most - other.most);
  if (best === undefined) return null;
  const { found, isWhole } = yield* firstOf(many, best.lead, best.most);
  return isWhole ? found : null;
}

/** Those among the first of a lead that fulfil the rest; whole if there is a page of them, or the lead has no others. */
function* firstOf({ tenant, page }: Many, { first, rest }: First, most: number) {
  const rows = yield* rowsOf<{ readonly id: string }>(first(most));
  const found = yield* among(tenant, rest, page, named(rows.map(({ id }) => id)));
  return { found, isWhole: found.hasMore || rows.length < most };
}

const named = (ids: readonly string[]): Sql => sql`SELECT unnest(${{ values: ids }}::text[])`;

/** The page by the indexes of all conditions. */
function* inAll({ tenant, page, leads }: Many): Steps<Page<CheckoutRow>> {
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
  return yield* among(tenant, {}, page, named(rows.map(({ id }) => id)));
}
