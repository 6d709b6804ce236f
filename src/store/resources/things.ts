/** Reads of a table whose rows stand for things of the domain, each by itself. */
import type { Tenant, TenantTime } from '../../checkout/tenant.ts';
import { checksumIn, sound } from '../checksum.ts';
import { byKey, counterIn, type Load, locking } from '../loads.ts';
import type { Page, PageRequest } from '../page.ts';
import { isAnyOf, nothing, raw, type Sql, sql } from '../sql.ts';
import { columnsIn, counterOf, type Row, type Table } from '../tables.ts';
import { all, boundsOf, indexedBy, lengthOf, one, owned, pageOf, type Read } from './read.ts';

type Field<T extends Table> = keyof Row<T> & string;

export function thingsIn<T extends Table, D>(table: T, from: (row: Row<T>) => D) {
  const columns = sql`${raw(columnsIn(table))}${checksumIn(table)}`;
  const select = sql`SELECT ${columns} FROM ${raw(table)}`;
  const thing = (row: Row<T>): D => from(sound(table, row));

  return {
    columns,
    thing,

    /** The row that has this in a column, which is unique, and fulfils further conditions. */
    fetch: (tenant: Tenant, column: Field<T>, value: string, and: readonly Sql[] = []): Read<D | null> =>
      one(sql`${select} WHERE ${owned(tenant)}${each(and)} AND ${raw(column)} = ${value}`, thing),

    /** Loads rows by the values of a column, as units name them, and locks the same rows. */
    loadedBy: (
      column: Field<T>,
      {
        and = [],
        how = 'UPDATE',
      }: { readonly and?: readonly Sql[]; readonly how?: 'UPDATE' | 'KEY SHARE' } = {},
    ): Pick<Load<string, D, never>, 'read' | 'lock' | 'counted'> => ({
      ...(counterOf(table) === null ? {} : { counted: table }),
      read: (tenant, values) =>
        byKey(
          sql`SELECT ${columns}${counterIn(table)} FROM ${raw(table)}
              WHERE ${owned(tenant)}${each(and)} AND ${isAnyOf(column, values)}`,
          (row: Row<T>) => [String(row[column]), thing(row)],
        ),
      lock: (tenant, values) =>
        locking(
          sql`${raw(table)} WHERE ${owned(tenant)}${each(and)} AND ${isAnyOf(column, values)}`,
          column,
          { how },
        ),
    }),

    /** A page in the order of ids, of rows with `data` that may be long; `source` selects the rows where not all columns are wanted. */
    page: (
      tenant: Tenant,
      conditions: readonly Sql[],
      page: PageRequest,
      { index = null, source = select }: { readonly index?: string | null; readonly source?: Sql } = {},
    ): Read<Page<D>> => {
      const read = pageOf(
        {
          select: sql`${source}${indexedBy(index)}`,
          conditions: [owned(tenant), ...conditions],
          bounds: boundsOf({}, page),
          length: raw('octet_length(data)'),
          row: thing,
        },
        page,
      );
      const measured = (rows: readonly object[]) =>
        rows.slice(0, page.limit).reduce((sum, row) => sum + lengthOf(row), 0);
      return { ...read, from: (rows) => ({ ...read.from(rows), length: measured(rows) }) };
    },

    /** Rows that are due by `now` but for these, the longest due first. */
    listDue: (tenant: Tenant, now: TenantTime, limit: number, except: readonly string[] = []): Read<D[]> =>
      all(
        sql`${select}${indexedBy(`${table}_due`)}
            WHERE ${owned(tenant)} AND due_at <= ${now}
            ${except.length === 0 ? nothing : sql`AND NOT ${isAnyOf('id', except)}`}
            ORDER BY due_at LIMIT ${limit}`,
        thing,
        'look',
      ),
  };
}

const each = (conditions: readonly Sql[]): Sql => ({
  texts: [...conditions.map(() => ' AND '), ''],
  parts: conditions,
});
