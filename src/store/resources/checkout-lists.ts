/**
 * Lists of sessions, quick for whatever filters come together. What finds few is asked first: how many rows each
 * condition with an index of its own has, counted no further than `FEW`. If one has fewer, those are looked at one by
 * one; if all have more, a page is full after few rows of the list. So no list sorts, or goes through, what is many.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import { type CheckoutRow, searchable } from '../columns.ts';
import type { Page, PageRequest } from '../page.ts';
import { either, join, nothing, raw, type Sql, sql } from '../sql.ts';
import { rowsOf, type Steps } from '../steps.ts';
import { classed, isClassified } from './checkout-classes.ts';
import { type CheckoutFilter, checkoutColumns, checkoutFilters } from './checkouts.ts';
import { type Bound, boundsOf, conditionsOf, indexedBy, inTime, owned, pageOf } from './read.ts';

/** A page of a list is found among so many rows within some ten milliseconds, each of them looked at by its key. */
export const FEW = 10_000;

/** True for most rows of a session. */
const RARELY = 'rowid & 1023';

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
): Steps<Page<CheckoutRow>> {
  const bounds = boundsOf(filter, page);
  const leads = leadsOf(tenant, filter, page, bounds);
  const [only] = leads;
  const asksMore = leads.length > 1 || looksAtOverview(filter);
  if (only === undefined) return yield* walk(tenant, filter, page, bounds);
  if (asksMore) {
    const counts = yield* count(leads);
    const fewest = Math.min(...counts);
    const lead = leads[counts.indexOf(fewest)];
    if (lead !== undefined && fewest < FEW) return yield* among(tenant, lead.rest, page, lead.ids(null));
  }
  // Amounts are at hand in the order of the list, and what is asked for may be rare among them.
  const sorted = isRanged(filter) ? undefined : leads.find(({ inOrder }) => inOrder !== undefined);
  if (sorted !== undefined) return yield* walk(tenant, sorted.rest, page, bounds, sorted.inOrder);
  // Of each class no more than a page is needed.
  if (!asksMore) return yield* among(tenant, {}, page, only.ids(page.limit + 1));
  return yield* walk(tenant, filter, page, bounds);
}

const isRanged = ({ amountFrom, amountTo }: CheckoutFilter) =>
  amountFrom !== undefined || amountTo !== undefined;

const looksAtOverview = (filter: CheckoutFilter) => isRanged(filter) || filter.search !== undefined;

function leadsOf(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
  bounds: readonly Bound[],
): Lead[] {
  const { referenceId, ...besideReference } = filter;
  const { customer, ...besideCustomer } = filter;
  const { search, ...besideSearch } = filter;
  const { metadata = [] } = filter;
  const leads: Lead[] = [];
  const within = (key: Sql) =>
    join([nothing, ...bounds.map(([comparison, id]) => sql`${key} ${raw(comparison)} ${id}`)], ' AND ');
  function equal(index: string, condition: Sql, rest: CheckoutFilter): void {
    const from = sql`checkout${indexedBy(index)}`;
    const key = raw('checkout.id');
    leads.push({
      ids: (most) =>
        sql`SELECT id FROM ${from} WHERE ${owned(tenant)} AND ${condition}${within(raw('id'))}${upTo(most)}`,
      rest,
      inOrder: { from, key, condition },
    });
  }
  if (referenceId !== undefined) {
    equal('checkout_reference', checkoutFilters.referenceId(referenceId), besideReference);
  }
  if (customer !== undefined) {
    equal('checkout_customer', checkoutFilters.customer(customer), besideCustomer);
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
        from: sql`checkout_metadata AS found ${joined} checkout ON checkout.id = found.checkout`,
        key,
        condition,
      },
    });
  }
  if (search !== undefined) {
    leads.push({
      ids: (most) => searched(tenant, search, within(raw('id')), most),
      rest: besideSearch,
    });
  }
  if (isClassified(filter)) {
    const { status: _, paymentStatus, currency, partiallyPaid, paidInExcess, ...rest } = filter;
    leads.push({ ids: (most) => classed(tenant, filter, { page, within: within(raw('id')), most }), rest });
  }
  return leads;
}

const upTo = (most: number | null): Sql => (most === null ? nothing : sql` LIMIT ${most}`);

/** How many rows each has, but not beyond `FEW`. */
function* count(leads: readonly Lead[]): Generator<Sql, number[], readonly object[]> {
  const counts = leads.map(
    ({ ids }, place) =>
      sql`(SELECT count(*) FROM (SELECT 1 FROM (${ids(FEW)}) AS found LIMIT ${FEW}) AS few) AS ${raw(`lead${place}`)}`,
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
  return yield* read(tenant, filter, page, { from, key, bounds, also: [] });
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

const between = (column: string, prefix: string): Sql =>
  sql`${raw(column)} >= ${prefix} AND ${raw(column)} < ${`${prefix}\u{10ffff}`}`;

/** The condition on a row that something of it begins with this. */
function begins(search: string): Sql {
  const prefix = searchable(search);
  const description = either({ sqlite: raw('checkout.description'), postgres: raw('overview.description') });
  return sql`(${between('checkout.id', prefix)} OR ${between('checkout.reference_id', search)}
    OR ${between('checkout.email', prefix)} OR (${description} >= ${prefix} AND ${description} < ${`${prefix}\u{10ffff}`}))`;
}

/** Descriptions that are made of items begin with a quantity. */
const MADE_OF_ITEMS = /^\d{1,2}(?:$| $| x(?:$| ))/;

/** The ids of what begins with this, by the indexes that are sorted by it. */
function searched(tenant: Tenant, search: string, within: Sql, most: number | null): Sql {
  const prefix = searchable(search);
  // On SQLite the index leaves out what is made of items: it changes with each update. That is looked for in narrow rows
  // in the order of the list, of which many match, if any.
  const own = MADE_OF_ITEMS.test(prefix)
    ? sql`checkout INDEXED BY checkout_overview WHERE ${inTime(RARELY)} AND`
    : sql`checkout INDEXED BY checkout_description
        WHERE description NOT GLOB '[0-9] x *' AND description NOT GLOB '[0-9][0-9] x *' AND`;
  const description = either({ sqlite: own, postgres: raw('checkout_overview WHERE') });
  const branches = [
    branch(raw('checkout WHERE'), 'id', prefix),
    branch(sql`checkout${indexedBy('checkout_reference')} WHERE`, 'reference_id', search),
    branch(sql`checkout${indexedBy('checkout_email')} WHERE`, 'email', prefix),
    branch(description, 'description', prefix),
  ];
  return join(branches, ' UNION ALL ');

  function branch(from: Sql, column: string, prefix: string): Sql {
    return sql`SELECT id FROM (
      SELECT id FROM ${from} ${owned(tenant)} AND ${between(column, prefix)}${within}${upTo(most)}) AS ${raw(`by_${column}`)}`;
  }
}
