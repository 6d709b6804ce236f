/**
 * Reads as values: a statement, and what its rows mean. They are written once; each database runs them in its own way,
 * SQLite at once and PostgreSQL over one of its connections.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt, type IdPrefix } from '../../lib/id.ts';
import { keysOf } from '../../lib/keys.ts';
import { PAGE_LENGTH, type Page, type PageRequest } from '../page.ts';
import { either, join, nothing, raw, type Sql, sql } from '../sql.ts';

export type Read<T> = {
  readonly sql: Sql;
  readonly from: (rows: readonly object[]) => T;
  /**
   * `key` finds its rows by a key, so that nobody behind it waits; `page` reads no more rows of an index than it gives;
   * `list` may have to look at many rows for those; `look` is what the service asks by itself, and `count` is that over
   * rows without a bound.
   */
  readonly by: 'key' | 'page' | 'list' | 'look' | 'count';
  /** The tenant whose list it is: tenants have their turns. */
  readonly tenant?: Tenant;
  /** Set if its rows are events of which the outline is wanted alone: it is made where they are read. */
  readonly outlined?: boolean;
  /** Set if it has many forms, each rare: to prepare them all would only fill memory. */
  readonly rare?: boolean;
  /** Names a form in which nothing but values differ, so that its text need not be written each time. */
  readonly form?: string;
};

/** Runs reads one by one. */
export type Run = <T>(read: Read<T>) => Promise<T>;

/** Operations of the store's interface that reads stand for. */
export type Asked<R> = {
  readonly [K in keyof R]: R[K] extends (...args: infer A) => Read<infer T>
    ? (...args: A) => Promise<T>
    : never;
};

export function asked<A extends unknown[], T>(
  run: Run,
  read: (...args: A) => Read<T>,
): (...args: A) => Promise<T> {
  return (...args) => run(read(...args));
}

export function allAsked<R extends object>(run: Run, reads: R): Asked<R> {
  const operations = Object.entries(reads).map(([name, read]) => [name, asked(run, read)]);
  return Object.fromEntries(operations) as Asked<R>;
}

/** For rows that are what they stand for. */
export const asItIs = <R extends object>(row: R): R => row;

/** The columns of `R` are those that the statement selects: here, and in `all`, rows become typed. */
export function one<R, T>(sql: Sql, from: (row: R) => T): Read<T | null> {
  return { sql, by: 'key', from: ([row]) => (row === undefined ? null : from(row as R)) };
}

export function all<R, T>(sql: Sql, from: (row: R) => T, by: Read<T>['by'] = 'key'): Read<T[]> {
  return { sql, by, from: (rows) => rows.map((row) => from(row as R)) };
}

/** For statements that always find a row. */
export function single<R, T>(sql: Sql, from: (row: R) => T, by: Read<T>['by'] = 'key'): Read<T> {
  return { sql, by, from: ([row]) => from(row as R) };
}

export function tenantOf(account: number, live: boolean): Tenant {
  return { account, mode: live ? 'live' : 'test' };
}

/** The condition that every statement on the tables of a tenant begins with. */
export function owned({ account, mode }: Tenant, table?: string): Sql {
  const live = mode === 'live';
  if (table === undefined) return sql`account = ${account} AND live = ${live}`;
  return sql`${raw(table)}.account = ${account} AND ${raw(table)}.live = ${live}`;
}

/** A value of a few that is written out, so that planners see which partial index there is for it. */
export function word(value: string): Sql {
  if (!/^[a-z_]+$/.test(value)) throw new Error(`${value} is no word`);
  return raw(`'${value}'`);
}

/** The same for a column that is true or false. */
export function isSet(column: string, value: boolean): Sql {
  return either({
    sqlite: raw(`${column} = ${Number(value)}`),
    postgres: raw(value ? column : `NOT ${column}`),
  });
}

/** SQLite would often rather go through all in the order of a list than by an index that finds few. */
export function indexedBy(index: string | null): Sql {
  return index === null ? raw('') : either({ sqlite: raw(` INDEXED BY ${index}`) });
}

export const upTo = (most: number | null): Sql => (most === null ? nothing : sql` LIMIT ${most}`);

/** Values that are asked for, by the names of their filters. */
export type AskedValues = Readonly<Record<string, unknown>>;

export type Filter<V> = {
  /** The condition that a value stands for. */
  readonly condition: (value: V) => Sql;
  /**
   * The index that finds what is asked for; it ends with the id by which the list is ordered. Where the other values make
   * a difference it follows from them, and null says that another filter leads.
   */
  readonly index?: string | ((asked: AskedValues) => string | null);
};

/** Filters of a list: an entry for each. Of those that are asked for, the first with an index leads on SQLite. */
export type Filters<F> = { readonly [K in keyof F]: Filter<F[K]> };

/** Values that a list with these filters can be asked for. */
export type AskedOf<C> = {
  readonly [K in keyof C]?: C[K] extends { readonly condition: (value: infer V) => Sql } ? V : never;
};

/** The conditions of what is asked for, in the order of `filters`. */
export function conditionsOf<F extends object>(
  filters: Filters<F>,
  asked: { readonly [K in keyof F]?: F[K] | undefined },
): Sql[] {
  const conditions: Sql[] = [];
  for (const name of keysOf(filters)) {
    const value = asked[name];
    if (value !== undefined) conditions.push(filters[name].condition(value));
  }
  return conditions;
}

/** The index that leads; null where the list is walked through. */
export function indexFor<F extends object>(
  filters: Filters<F>,
  asked: { readonly [K in keyof F]?: F[K] | undefined },
): string | null {
  for (const name of Object.keys(filters) as (keyof F)[]) {
    const { index = null } = filters[name];
    if (asked[name] === undefined || index === null) continue;
    const found = typeof index === 'string' ? index : index({ ...asked });
    if (found !== null) return found;
  }
  return null;
}

/**
 * A condition for statements that may look at many rows: it holds until the read has taken too long, and ends it then.
 * `rarely` is true for most rows, of which nothing further is asked. (PostgreSQL has a time limit of its own.)
 */
export function inTime(rarely: string | null = null): Sql {
  const asked = raw(rarely === null ? 'in_time()' : `(${rarely} OR in_time())`);
  return either({ sqlite: asked, postgres: raw('true') });
}

/** True for most rows of a table. */
export const RARELY = 'rowid & 1023';

type Between = {
  readonly createdFrom?: number;
  readonly createdBefore?: number;
  /** Prefix of the ids, where there is a time. */
  readonly prefix?: IdPrefix;
};
export type Bound = readonly [comparison: '<' | '>' | '<=' | '>=', id: string];

/** The bounds, each behind an AND. */
export const withinOf = (bounds: readonly Bound[], key = raw('id')): Sql =>
  join([nothing, ...bounds.map(([comparison, id]) => sql`${key} ${raw(comparison)} ${id}`)], ' AND ');

/**
 * Ids begin with the time at which they were made, so the order of ids serves ranges of time as well as pages. At most
 * one bound to each side: of two, SQLite would seek by one and check every row with the other. What makes the first id of
 * a time is shorter than an id, and no id itself.
 */
export function boundsOf(
  { createdFrom, createdBefore, prefix = 'chk' }: Between,
  { after, before }: PageRequest,
): Bound[] {
  const firstAt = (time: number | undefined) => (time === undefined ? [] : [firstIdAt(prefix, time)]);
  const start = [...firstAt(createdFrom), ...(before === undefined ? [] : [before])].sort().at(-1);
  const end = [...firstAt(createdBefore), ...(after === undefined ? [] : [after])].sort()[0];
  return [
    ...(start === undefined ? [] : [['>', start] as const]),
    ...(end === undefined ? [] : [['<', end] as const]),
  ];
}

type List<R, T> = {
  /** Up to the conditions. */
  readonly select: Sql;
  readonly conditions: readonly Sql[];
  /** The column with the ids that are the order of the list. */
  readonly key?: Sql;
  readonly bounds: readonly Bound[];
  readonly row: (row: R) => T;
  /** Length of a row in bytes, of its columns, where rows may be long: the page ends by it. */
  readonly length?: Sql;
  readonly rare?: boolean;
  /** Set if it may look at more rows than the page has: the tenant whose list it is. */
  readonly searches?: Tenant;
};

export const directionOf = ({ before }: PageRequest): Sql => raw(before === undefined ? 'DESC' : 'ASC');

/** A page of a list in the order of ids, the newest first. */
export function pageOf<R, T>(
  { select, conditions, key = raw('id'), bounds, row, length, rare = false, searches }: List<R, T>,
  page: PageRequest,
): Read<Page<T>> {
  const { limit, most = PAGE_LENGTH } = page;
  const within = bounds.map(([comparison, id]) => sql`${key} ${raw(comparison)} ${id}`);
  const where = join([...conditions, ...within], ' AND ');
  // One row more than the page: it tells whether there is more.
  const rows = sql`${select} WHERE ${where} ORDER BY ${key} ${directionOf(page)} LIMIT ${limit + 1}`;
  return {
    sql: length === undefined ? rows : endedBy({ length, most, order: sql`id ${directionOf(page)}` }, rows),
    ...(searches ? { by: 'list', tenant: searches } : { by: 'page' }),
    rare,
    from: pageFrom(page, row),
  };
}

type End = { readonly length: Sql; readonly most: number; readonly order: Sql };

/**
 * The rows, which are in this order, until their lengths come to `most`; the last one says whether others follow. The
 * thread that answers would have to read the others: PostgreSQL sends none of them, and knows how long a text is without
 * reading it. SQLite is asked for no more (`sqlite/run.ts`).
 */
export function endedBy({ length, most, order }: End, rows: Sql): Sql {
  const ended = either({
    sqlite: rows,
    postgres: sql`
      SELECT * FROM (
        SELECT *, coalesce(sum(${length}) OVER before, 0) AS "lengthBefore", lead(true, 1, false) OVER before AS follows
        FROM (${rows}) AS found
        WINDOW before AS (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
      ) AS page WHERE "lengthBefore" < ${raw(`${most}`)} ORDER BY ${order}`,
  });
  return { ...ended, most };
}

/** Further columns of rows that end by their length. */
export type Ended = { readonly lengthBefore?: number; readonly follows?: boolean };

/** Bytes of all texts of a row, or those that it says will be read for it. */
export function lengthOf(row: object): number {
  if ('bytes' in row) return Number(row.bytes);
  let length = 0;
  for (const cell of Object.values(row)) if (typeof cell === 'string') length += Buffer.byteLength(cell);
  return length;
}

/** A page of the rows that were found, of which there is one more than it has room for where there are more. */
export function pageFrom<R, T>({ limit, before }: PageRequest, row: (row: R) => T): Read<Page<T>>['from'] {
  return (found) => {
    const rows = found.slice(0, limit).map((each) => {
      const { lengthBefore: _, follows: __, ...rest }: Ended = each;
      return row(rest as R);
    });
    const { follows = false }: Ended = found.at(-1) ?? {};
    const hasMore = found.length > limit || follows;
    return { rows: before === undefined ? rows : rows.reverse(), hasMore };
  };
}
