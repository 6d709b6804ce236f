/** Searches: the condition that something of a session begins with what is asked for, and the indexes that find it. */
import type { Tenant } from '../../checkout/tenant.ts';
import { searchable } from '../columns.ts';
import type { PageRequest } from '../page.ts';
import { either, join, raw, type Sql, sql } from '../sql.ts';
import { rowsOf } from '../steps.ts';
import { type Bound, indexedBy, inTime, owned, RARELY, upTo, withinOf } from './read.ts';

const between = (column: string, prefix: string): Sql =>
  sql`${raw(column)} >= ${prefix} AND ${raw(column)} < ${`${prefix}\u{10ffff}`}`;

/** The condition on a row that something of it begins with this. */
export function begins(search: string): Sql {
  const prefix = searchable(search);
  const description = either({ sqlite: raw('checkout.description'), postgres: raw('overview.description') });
  return sql`(${between('checkout.id', prefix)} OR ${between('checkout.reference_id', search)}
    OR ${between('checkout.email', prefix)} OR (${description} >= ${prefix} AND ${description} < ${`${prefix}\u{10ffff}`}))`;
}

/** Descriptions that are made of items begin with a quantity. */
const MADE_OF_ITEMS = /^\d{1,2}(?:$| $| x(?:$| ))/;

type How = {
  /** Bounds of the ids, each behind an AND. */
  readonly within: Sql;
  /** So many of each index are enough. */
  readonly most: number | null;
  readonly column?: Sql;
};

/** By so many indexes the same session may be found. */
export const INDEXES = 4;

/** The ids, or another column, of what begins with this, by the indexes that are sorted by it. */
export function searched(tenant: Tenant, search: string, { within, most, column = raw('id') }: How): Sql {
  const prefix = searchable(search);
  // On SQLite the index leaves out what is made of items: it changes with each update. That is looked for in narrow rows
  // in the order of the list, of which many match, if any.
  const own = MADE_OF_ITEMS.test(prefix)
    ? sql`checkout INDEXED BY checkout_overview WHERE`
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

  function branch(from: Sql, by: string, prefix: string): Sql {
    return sql`SELECT id FROM (
      SELECT ${column} AS id FROM ${from} ${inTime(RARELY)} AND ${owned(tenant)} AND ${between(by, prefix)}${within}${upTo(most)}) AS ${raw(`by_${by}`)}`;
  }
}

type Asked = { readonly tenant: Tenant; readonly page: PageRequest; readonly bounds: readonly Bound[] };

/** The bounds of a list that begins at the first session that is found at all, or null if none is. */
export function* fromFirst(
  search: string,
  { tenant, page, bounds }: Asked,
): Generator<Sql, readonly Bound[] | null, readonly object[]> {
  const ids = searched(tenant, search, { within: withinOf(bounds), most: null });
  const [first, start, replaced] =
    page.before === undefined ? (['max', '<=', '<'] as const) : (['min', '>=', '>'] as const);
  // PostgreSQL would go through all in the order of ids, and look at what each begins with, but for the OFFSET.
  const all = sql`${ids}${either({ postgres: raw(' OFFSET 0') })}`;
  const [row] = yield* rowsOf<{ readonly id: string | null }>(
    sql`SELECT ${raw(first)}(id) AS id FROM (${all}) AS found`,
  );
  if (row === undefined || row.id === null) return null;
  return [...bounds.filter(([comparison]) => comparison !== replaced), [start, row.id]];
}
