/**
 * Lists of sessions, quick for whatever filters come together. What finds few is asked first: how many rows each
 * condition with an index of its own has, counted no further than a limit. If one has fewer, those are looked at one by
 * one; if all have more, a page is usually full after few rows of the list.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import { withoutUndefined } from '../../lib/keys.ts';
import type { CheckoutRow } from '../columns.ts';
import type { Page, PageRequest } from '../page.ts';
import { either, join, nothing, raw, type Sql, sql } from '../sql.ts';
import { rowsOf, type Steps } from '../steps.ts';
import { classed } from './checkout-classes.ts';
import {
  besideClass,
  type CheckoutFilter,
  checkoutFilters,
  indexedIn,
  isClassified,
  isRanged,
} from './checkout-filters.ts';
import { begins, INDEXES, searched } from './checkout-search.ts';
import { checkoutColumns } from './checkouts.ts';
import {
  type Bound,
  boundsOf,
  conditionsOf,
  directionOf,
  indexedBy,
  inTime,
  owned,
  pageOf,
  RARELY,
  upTo,
} from './read.ts';

/** Rows that are looked at one by one at most; tests have fewer sessions. */
export type ListLimits = typeof LIMITS;

const LIMITS = {
  /** A page is found among so many within some ten milliseconds, each of them looked at by its key. */
  few: 10_000,
  /** So many of the list are gone through within a few milliseconds. */
  near: 2_000,
};

/** A condition with an index of its own. */
type Lead = {
  /** Ids of the sessions that fulfil it, within the bounds; where `most` is given, no more have to be found. */
  readonly ids: (most: number | null) => Sql;
  /** What else is asked for, where this one leads. */
  readonly rest: CheckoutFilter;
  /** Set if its index has them in the order of the list: what to read them from, and the column with their ids. */
  readonly inOrder?: { readonly from: Sql; readonly key: Sql; readonly condition: Sql };
};

export function* checkoutPage(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
  { few, near }: ListLimits = LIMITS,
): Steps<Page<CheckoutRow>> {
  const bounds = boundsOf(filter, page);
  const leads = leadsOf(tenant, filter, page, bounds);
  const [only] = leads;
  const asksMore = leads.length > 1 || looksAtOverview(filter);
  if (only === undefined) return yield* walk(tenant, filter, page, bounds);
  if (asksMore) {
    const counts = yield* count(leads, few);
    const fewest = Math.min(...counts);
    const lead = leads[counts.indexOf(fewest)];
    if (lead !== undefined && fewest < few) return yield* among(tenant, lead.rest, page, lead.ids(null));
  }
  // Amounts are at hand in the order of the list, and what is asked for may be rare among them.
  const sorted = isRanged(filter) ? undefined : leads.find(({ inOrder }) => inOrder !== undefined);
  if (sorted !== undefined) return yield* walk(tenant, sorted.rest, page, bounds, sorted.inOrder);
  // Of each class no more than a page is needed.
  if (!asksMore) return yield* among(tenant, {}, page, only.ids(page.limit + 1));
  if (filter.search === undefined) return yield* walk(tenant, filter, page, bounds);
  const amounts = isRanged(filter) ? yield* fewAmounts(tenant, filter, bounds, few) : null;
  if (amounts?.found === 0) return { rows: [], hasMore: false };
  if (amounts !== null) return yield* among(tenant, filter, page, amounts.ids);
  return yield* search(tenant, { ...filter, search: filter.search }, page, bounds, near);
}

/**
 * A search that finds many, all of which may be far from the beginning of the list, as the references of a year ago are. A
 * page may be found near the beginning, or else near the first that is found at all; if it is in neither place, few may
 * fulfil all that is asked for.
 */
function* search(
  tenant: Tenant,
  filter: CheckoutFilter & { readonly search: string },
  page: PageRequest,
  bounds: readonly Bound[],
  near: number,
): Steps<Page<CheckoutRow>> {
  const { search, ...others } = filter;
  const rest = besideClass(others);
  const within = withinOf(bounds);
  // PostgreSQL would go through all in the order of ids and look at what each begins with, but for the OFFSET.
  const ids = sql`${searched(tenant, search, { within, most: null })}${either({ postgres: raw(' OFFSET 0') })}`;
  const here = yield* walkNear(tenant, filter, page, bounds, near);
  if (here !== null) return here;
  const { createdFrom: _, createdBefore: __, ...beside } = rest;
  if (!isClassified(filter) && Object.keys(beside).length === 0) {
    const first = sql`SELECT id FROM (${ids}) AS found ORDER BY id ${directionOf(page)} LIMIT ${INDEXES * (page.limit + 1)}`;
    return yield* among(tenant, {}, page, first);
  }
  const [first] = yield* rowsOf<{ readonly id: string | null }>(
    sql`SELECT ${raw(page.before === undefined ? 'max' : 'min')}(id) AS id FROM (${ids}) AS found`,
  );
  if (first === undefined || first.id === null) return { rows: [], hasMore: false };
  const further = fromThere(bounds, page, first.id);
  const there = yield* walkNear(tenant, filter, page, further, near);
  if (there !== null) return there;
  if (!isClassified(filter)) return yield* walk(tenant, filter, page, further);
  // SQLite compares numbers sooner than ids.
  const rowids = searched(tenant, search, { within, most: null, column: raw('rowid') });
  const ofClass = (isFound: Sql) =>
    classed(tenant, filter, {
      page,
      within: sql`${withinOf(bounds, raw('checkout.id'))}${isFound}`,
      most: null,
    });
  const both = either({
    sqlite: ofClass(sql` AND checkout.rowid IN (${rowids})`),
    // As a condition of the index, all that is found would be put in order once for each class.
    postgres: sql`SELECT of_class.id FROM (${ofClass(nothing)}) AS of_class WHERE of_class.id IN (${ids})`,
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
    sql`SELECT id FROM checkout${indexedBy('checkout_overview')} WHERE ${owned(tenant)}${withinOf(bounds)}
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

const looksAtOverview = (filter: CheckoutFilter) => isRanged(filter) || filter.search !== undefined;

/** The bounds, each behind an AND. */
const withinOf = (bounds: readonly Bound[], key = raw('id')): Sql =>
  join([nothing, ...bounds.map(([comparison, id]) => sql`${key} ${raw(comparison)} ${id}`)], ' AND ');

function leadsOf(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
  bounds: readonly Bound[],
): Lead[] {
  const { search, ...besideSearch } = filter;
  const { metadata = [] } = filter;
  const leads: Lead[] = [];
  const within = (key: Sql) => withinOf(bounds, key);
  for (const { index, conditions, rest } of indexedIn(filter)) {
    const from = sql`checkout${indexedBy(index)}`;
    const key = raw('checkout.id');
    const condition = join(conditions, ' AND ');
    leads.push({
      ids: (most) =>
        sql`SELECT id FROM ${from} WHERE ${owned(tenant)} AND ${condition}${within(raw('id'))}${upTo(most)}`,
      rest,
      inOrder: { from, key, condition },
    });
  }
  for (const each of metadata) {
    const [name, value] = each;
    const condition = sql`${owned(tenant, 'found')} AND found.name = ${name} AND found.value = ${value}`;
    const key = raw('found.checkout');
    // SQLite keeps to the order of tables in a cross join.
    const joined = either({ sqlite: raw('CROSS JOIN'), postgres: raw('JOIN') });
    leads.push({
      ids: (most) =>
        sql`SELECT found.checkout AS id FROM checkout_metadata AS found WHERE ${condition}${within(key)}${upTo(most)}`,
      rest: { ...filter, metadata: metadata.filter((other) => other !== each) },
      inOrder: {
        from: sql`checkout_metadata AS found ${joined} checkout${indexedBy('checkout_overview')} ON checkout.id = found.checkout`,
        key,
        condition,
      },
    });
  }
  if (search !== undefined) {
    leads.push({
      ids: (most) => searched(tenant, search, { within: within(raw('id')), most }),
      rest: besideSearch,
    });
  }
  if (isClassified(filter)) {
    leads.push({
      ids: (most) => classed(tenant, filter, { page, within: within(raw('id')), most }),
      rest: besideClass(filter),
    });
  }
  return leads;
}

/**
 * Sessions with an amount that is asked for, if there are few. SQLite tells amounts by one narrow index; a search would look
 * for what nothing has in three places. PostgreSQL would have to read a row for each session, and is not asked.
 */
function* fewAmounts(
  tenant: Tenant,
  { amountFrom, amountTo }: CheckoutFilter,
  bounds: readonly Bound[],
  few: number,
): Generator<Sql, { readonly found: number; readonly ids: Sql } | null, readonly object[]> {
  const asked = withoutUndefined({ amountFrom, amountTo });
  const rows = join([owned(tenant), ...conditionsOf(checkoutFilters, asked)], ' AND ');
  const ids = sql`SELECT id FROM checkout${indexedBy('checkout_overview')}
    WHERE ${inTime(RARELY)} AND ${rows}${withinOf(bounds)}`;
  const [row] = yield* rowsOf<{ readonly found: number }>(
    either({ sqlite: sql`SELECT count(*) AS found FROM (${ids} LIMIT ${few}) AS few` }),
  );
  const found = row?.found ?? few;
  return found < few ? { found, ids } : null;
}

/** The number of rows that each has, counted no further than `few`. */
function* count(leads: readonly Lead[], few: number): Generator<Sql, number[], readonly object[]> {
  const counts = leads.map(
    ({ ids }, place) =>
      sql`(SELECT count(*) FROM (SELECT 1 FROM (${ids(few)}) AS found LIMIT ${few}) AS few) AS ${raw(`lead${place}`)}`,
  );
  const [row = {}] = yield* rowsOf<Record<string, number>>(sql`SELECT ${join(counts, ', ')}`);
  return leads.map((_, place) => Number(row[`lead${place}`]));
}

/** The page of those with these ids that fulfil the filter. */
function* among(tenant: Tenant, filter: CheckoutFilter, page: PageRequest, ids: Sql) {
  const isIn = either({
    sqlite: sql`checkout.id IN (${ids})`,
    postgres: sql`checkout.id = ANY (ARRAY(${ids}))`,
  });
  const from = looksAtOverview(filter) ? sql`checkout${overview(tenant)}` : raw('checkout');
  return yield* read(tenant, filter, page, { from, key: raw('checkout.id'), bounds: [], also: [isIn] });
}

/** The page from row to row in the order of the list, of an index that has it or of all. */
function* walk(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
  bounds: readonly Bound[],
  inOrder?: Lead['inOrder'],
) {
  const joined = looksAtOverview(filter) ? overview(tenant) : nothing;
  if (inOrder !== undefined) {
    const { from, key, condition } = inOrder;
    return yield* read(tenant, filter, page, { from: sql`${from}${joined}`, key, bounds, also: [condition] });
  }
  const isPlain = !looksAtOverview(filter) && !isClassified(filter);
  const key = isRanged(filter)
    ? either({ sqlite: raw('checkout.id'), postgres: raw('overview.id') })
    : raw('checkout.id');
  const from = sql`checkout${indexedBy(isPlain ? null : 'checkout_overview')}${joined}`;
  // PostgreSQL infers no bound of one side of a join from that of the other, and would begin with the newest sessions.
  const also = isRanged(filter)
    ? [either({ sqlite: raw('true'), postgres: sql`true${withinOf(bounds, raw('checkout.id'))}` })]
    : [];
  return yield* read(tenant, filter, page, { from, key, bounds, also });
}

type How = {
  readonly from: Sql;
  readonly key: Sql;
  readonly bounds: readonly Bound[];
  readonly also: readonly Sql[];
};

function* read(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
  { from, key, bounds, also }: How,
): Steps<Page<CheckoutRow>> {
  const { createdFrom: _, createdBefore: __, metadata = [], search, ...asked } = filter;
  const { sql: statement, from: pageFrom } = pageOf(
    {
      select: sql`SELECT ${checkoutColumns(tenant)} FROM ${from}`,
      conditions: [
        inTime(`checkout.${RARELY}`),
        owned(tenant, 'checkout'),
        ...also,
        ...conditionsOf(checkoutFilters, asked),
        ...(search === undefined ? [] : [begins(search)]),
        ...metadata.map(
          ([name, value]) => sql`EXISTS (
            SELECT 1 FROM checkout_metadata AS further WHERE ${owned(tenant, 'further')}
              AND further.name = ${name} AND further.value = ${value} AND further.checkout = ${key})`,
        ),
      ],
      key,
      bounds,
      length: sql`octet_length(data) + coalesce(octet_length(payments), 0)`,
      row: (row: CheckoutRow) => row,
    },
    page,
  );
  return pageFrom(yield statement);
}

/** PostgreSQL has what changes with the items in rows of their own, which are narrow. */
const overview = (tenant: Tenant): Sql =>
  either({
    postgres: sql` JOIN checkout_overview AS overview ON ${owned(tenant, 'overview')} AND overview.id = checkout.id`,
  });
