/** Statements on many rows at once: the rows travel as one JSON parameter, whatever their number. */
import type { Tenant } from '../../checkout/tenant.ts';
import { columnsOf, type Table as Shared } from '../tables.ts';
import type { Sql } from './connection.ts';
import { tenantColumns } from './run.ts';

export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Tables of which PostgreSQL has more columns than both databases have, and those that it has alone. */
const own = {
  checkout_overview: 'id text, amount bigint, description text',
  timer: 'checkout text, due_at bigint',
  payment: `${recordOf('payment')}, line integer`,
  idempotency: `${recordOf('idempotency')}, event text`,
  feed: 'position bigint, event text',
  feed_waiting: 'subject text, sequence integer, event text',
} as const;

/** All rows of a statement share account and live. */
function recordOf(table: Shared): string {
  return columnsOf(table)
    .map(([name, type]) => `${name} ${type.replace('?', '')}`)
    .join(', ');
}

export type Table = Shared | keyof typeof own;

function recordIn(table: Table): string {
  return table in own ? own[table as keyof typeof own] : recordOf(table as Shared);
}

/** The statement for these rows, or none if there are none. */
export function some(
  rows: readonly Row[],
  statement: (rows: readonly Row[]) => PromiseLike<unknown>,
): PromiseLike<unknown>[] {
  return rows.length > 0 ? [statement(rows)] : [];
}

export function sorted(rows: readonly Row[], column: string): readonly Row[] {
  return rows.toSorted((a, b) => (String(a[column]) < String(b[column]) ? -1 : 1));
}

const namesOf = (table: Table): string[] =>
  recordIn(table)
    .split(', ')
    .map((each) => each.split(' ')[0] as string);

/** A statement on `rows`, which stand in it as `r`; account and live are $1 and $2. */
export function onRows(
  sql: Sql,
  tenant: Tenant,
  rows: readonly Row[],
  recordColumns: string,
  text: (r: string) => string,
) {
  const r = `json_to_recordset($3::text::json) AS r (${recordColumns})`;
  return sql.unsafe(text(r), [...tenantColumns(tenant), JSON.stringify(rows)], { prepare: true });
}

export function insert(sql: Sql, tenant: Tenant, table: Table, rows: readonly Row[], onConflict = '') {
  const names = namesOf(table).join(', ');
  return onRows(
    sql,
    tenant,
    rows,
    recordIn(table),
    (r) =>
      `INSERT INTO ${table} (account, live, ${names}) SELECT $1::bigint, $2::boolean, ${names} FROM ${r} ${onConflict}`,
  );
}

/** Sets all columns of the rows that the first of them, the id, finds. */
export function update(sql: Sql, tenant: Tenant, table: Table, rows: readonly Row[]) {
  const [key, ...names] = namesOf(table);
  const assignments = names.map((name) => `${name} = r.${name}`).join(', ');
  return onRows(
    sql,
    tenant,
    rows,
    recordIn(table),
    (r) => `UPDATE ${table} SET ${assignments} FROM ${r}
            WHERE ${table}.account = $1 AND ${table}.live = $2 AND ${table}.${key} = r.${key}`,
  );
}
