/** Leads: conditions of a list of sessions with an index of their own, by which a page may be found. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { PageRequest } from '../page.ts';
import { type Dialect, either, join, raw, type Sql, sql } from '../sql.ts';
import { rowsOf } from '../steps.ts';
import { classed } from './checkout-classes.ts';
import {
  besideClass,
  besideRange,
  type CheckoutFilter,
  indexedIn,
  isClassified,
  isRanged,
  rangeIn,
} from './checkout-filters.ts';
import type { InOrder } from './checkout-pages.ts';
import { searched } from './checkout-search.ts';
import { type Bound, directionOf, indexedBy, owned, upTo, withinOf } from './read.ts';

export type Lead = {
  /** Ids of the sessions that fulfil it, within the bounds; where `most` is given, no more have to be found. */
  readonly ids: (most: number | null) => Sql;
  /** So many of them, the first in the order of the list. */
  readonly first: (most: number) => Sql;
  /** Rest of what is asked for, where this one leads. */
  readonly rest: CheckoutFilter;
  /** Set if its index has them in the order of the list. */
  readonly inOrder?: InOrder;
  /** True if it looks at whatever the list has, until so many are found: to count them may cost more than all else. */
  readonly isWalked?: boolean;
};

/** Rows that a database looks at one by one at most. */
export type ListLimits = {
  /** A page is found among so many within some ten milliseconds, each of them looked at by its key. */
  readonly few: number;
  /** So many of the list are gone through within a few milliseconds. */
  readonly near: number;
  /** So many, where those suggest that the page is among them. */
  readonly again: number;
  /** So many of a search PostgreSQL sorts within some ten milliseconds. */
  readonly sorted: number;
};

/** Times as many rows as are expected to be enough. */
const MARGIN = 2;

/** Rows among which the page should be, by how many the near ones have of it; null if these are too many. */
export function mostAgain({ near, again }: ListLimits, { limit }: PageRequest, found: number): number | null {
  const most = Math.ceil((MARGIN * near * (limit + 1)) / found);
  return most <= again ? most : null;
}

type Asked = {
  readonly tenant: Tenant;
  readonly filter: CheckoutFilter;
  readonly page: PageRequest;
  readonly bounds: readonly Bound[];
};

/** A list of which every condition has many rows. */
export type Many = Asked & { readonly leads: readonly Lead[]; readonly limits: ListLimits };

/** The leads of a list, those that find the first rows of the list with the least effort first. */
export function leadsOf(dialect: Dialect, asked: Asked): Lead[] {
  const range = dialect === 'postgres' ? rangeLead(asked) : [];
  return [...sortedLeads(asked), ...classLead(asked), ...range, ...searchLead(asked)];
}

/** Ids in the order of the list. */
const firstOf = (ids: Sql, page: PageRequest, most: number): Sql =>
  sql`SELECT id FROM (${ids}) AS sorted ORDER BY id ${directionOf(page)} LIMIT ${most}`;

function sortedLeads({ tenant, filter, page, bounds }: Asked): Lead[] {
  const { metadata = [] } = filter;
  const within = (key: Sql) => withinOf(bounds, key);
  const leads: Lead[] = [];
  const add = (lead: Omit<Lead, 'first'>) =>
    leads.push({ ...lead, first: (most) => firstOf(lead.ids(null), page, most) });
  for (const { index, conditions, rest } of indexedIn(filter)) {
    const from = sql`checkout${indexedBy(index)}`;
    const key = raw('checkout.id');
    const condition = join(conditions, ' AND ');
    add({
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
    add({
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
  return leads;
}

function classLead({ tenant, filter, page, bounds }: Asked): Lead[] {
  if (!isClassified(filter)) return [];
  const ids = (most: number | null) => classed(tenant, filter, { page, within: withinOf(bounds), most });
  return [{ ids, first: (most) => firstOf(ids(most), page, most), rest: besideClass(filter) }];
}

/** PostgreSQL has amounts in narrow entries of the index of ids, in the order of the list: all may have to be looked at. */
function rangeLead({ tenant, filter, page, bounds }: Asked): Lead[] {
  if (!isRanged(filter)) return [];
  const ids = (most: number | null) => sql`SELECT id FROM checkout_overview AS overview
    WHERE ${owned(tenant)} AND ${rangeIn(filter)}${withinOf(bounds)}${upTo(most)}`;
  const first = (most: number) => firstOf(ids(null), page, most);
  return [{ ids, first, rest: besideRange(filter), isWalked: true }];
}

function searchLead({ tenant, filter, page, bounds }: Asked): Lead[] {
  const { search, ...rest } = filter;
  if (search === undefined) return [];
  const ids = (most: number | null) => searched(tenant, search, { within: withinOf(bounds), most });
  // PostgreSQL would go through all in the order of ids, and look at what each begins with, but for the OFFSET.
  const all = sql`${ids(null)}${either({ postgres: raw(' OFFSET 0') })}`;
  return [{ ids, first: (most) => firstOf(all, page, most), rest }];
}

/** The lead that has fewest rows, with their number, if any has few. */
export function* fewest(
  leads: readonly Lead[],
  { few }: ListLimits,
): Generator<Sql, { readonly lead: Lead; readonly found: number } | undefined, readonly object[]> {
  const counted = leads.filter(({ isWalked = false }) => !isWalked);
  if (counted.length === 0) return undefined;
  const counts = counted.map(
    ({ ids }, place) =>
      sql`(SELECT count(*) FROM (SELECT 1 FROM (${ids(few)}) AS found LIMIT ${few}) AS few) AS ${raw(`lead${place}`)}`,
  );
  const [row = {}] = yield* rowsOf<Record<string, number>>(sql`SELECT ${join(counts, ', ')}`);
  const [first] = counted
    .map((lead, place) => ({ lead, found: Number(row[`lead${place}`]) }))
    .filter(({ found }) => found < few)
    .sort((one, other) => one.found - other.found);
  return first;
}
