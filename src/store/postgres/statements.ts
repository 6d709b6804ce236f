/** Statements on many rows at once: the rows travel as one JSON parameter, whatever their number. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Sql } from './connection.ts';
import { tenantColumns } from './rows.ts';

export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Columns and their types, as in the schema; without account and live, which all rows of a statement share. */
export const columns = {
  customer: 'id text, email text, data text',
  checkout: `id text, version integer, event_count integer, status text, payment_status text, invoice_currency text,
    amount_paid bigint, partially_paid boolean, paid_in_excess boolean, reference_id text, customer text, email text,
    data text`,
  checkout_overview: 'id text, amount bigint, description text',
  checkout_metadata: 'name text, value text, checkout text',
  timer: 'checkout text, due_at bigint',
  payment_attempt: 'id text, rail text, reference text, checkout text',
  payment: `rail text, reference text, checkout text, line integer, attempt text, amount bigint, currency text,
    booked_at bigint, late boolean`,
  refund: 'id text, checkout text, rail text, state text',
  awaited: 'currency text, amount bigint, attempt text, checkout text',
  notice: `id text, rail text, reference text, received_at bigint, state text, due_at bigint, tries integer, data text`,
  bank_file: 'id text, kind text, created_at bigint, hash text, data text, content text',
  event: 'id text, type text, subject text, sequence integer, created_at bigint, body text',
  feed: 'position bigint, event text',
  feed_waiting: 'subject text, sequence integer, event text',
  webhook_endpoint: 'id text, version integer, event_count integer, data text',
  webhook_receiver: `id text, failures integer, failing_since bigint, probes integer, probe_at bigint, announced boolean,
    last_error text`,
  idempotency: `idempotency_key text, operation text, request_hash text, status_code integer, headers text, body text,
    event text, created_at bigint`,
  audit: 'subject text, version integer, at bigint, actor text, action text, request_id text',
} as const;

export type Table = keyof typeof columns;

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
  columns[table].split(',').map((each) => each.trim().split(' ')[0] as string);

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
    columns[table],
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
    columns[table],
    (r) => `UPDATE ${table} SET ${assignments} FROM ${r}
            WHERE ${table}.account = $1 AND ${table}.live = $2 AND ${table}.${key} = r.${key}`,
  );
}
