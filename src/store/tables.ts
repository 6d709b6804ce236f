import type { SubjectId } from '../events/event.ts';
import type { Id, IdPrefix } from '../lib/id.ts';

/**
 * The tables, described once: names and types of the columns that both databases have. Rows are typed by it, what SQLite
 * keeps as 0 and 1 is read as a boolean by it, and PostgreSQL takes many rows at once by it. A `?` is behind the type of
 * a column that may be null. A column of ids has their prefix for its type: `chk` for sessions, `subject` for what an
 * event is about. Every table of a tenant begins with `account` and `live`, which are left out. A test compares all of
 * it with the schema of each database.
 */
export const tables = {
  account: `number bigint, name text, created_at bigint, webhook_secret_test text, webhook_secret_live text,
    previous_webhook_secret_test text?, previous_webhook_secret_test_until bigint?,
    previous_webhook_secret_live text?, previous_webhook_secret_live_until bigint?,
    test_clock_offset_ms bigint, settings_test text?, settings_live text?`,
  api_key: `account bigint, live boolean, id text, secret_hash text, permissions text, name text,
    created_at bigint, revoked_at bigint?`,
  customer: 'id cus, email text?, data text',
  checkout: `id chk, version integer, event_count integer, status text, payment_status text,
    invoice_currency text, amount_paid bigint, partially_paid boolean, paid_in_excess boolean,
    reference_id text, customer cus?, email text?, data text`,
  checkout_metadata: 'name text, value text, checkout chk',
  payment_attempt: 'id pat, rail text, reference text, checkout chk',
  payment: `rail text, reference text, checkout chk, attempt pat, amount bigint, currency text,
    booked_at bigint, late boolean`,
  refund: 'id rfd, checkout chk, rail text, state text',
  awaited: 'currency text, amount bigint, attempt pat, checkout chk',
  provider_event: `id pev, rail text, reference text, received_at bigint, state text, due_at bigint?,
    tries integer, attempt_reference text?, payment_reference text?, body text`,
  bank_entry: `id ntc, reference text, received_at bigint, state text, due_at bigint?, tries integer,
    data text`,
  bank_file: 'id bfl, kind text, created_at bigint, hash text, data text, content text',
  event: 'id evt, type text, subject subject, sequence integer, created_at bigint, body text',
  webhook_endpoint: 'id whe, version integer, event_count integer, data text',
  webhook_receiver: `id text, failures integer, failing_since bigint, probes integer, probe_at bigint?,
    announced boolean, last_error text`,
  delivery: `id whd, event evt, subject subject, sequence integer, receiver text, url text?, created_at bigint,
    state text, attempts integer, round_start integer, due_at bigint?, tried_at bigint?,
    last_status integer?, last_error text?`,
  delivery_attempt: `delivery whd, number integer, at bigint, duration_ms integer, status integer?, error text?,
    answer text`,
  idempotency: `idempotency_key text, operation text, request_hash text, status_code integer, headers text,
    body text, created_at bigint`,
  audit: 'subject text, version integer, at bigint, actor text, action text, request_id text',
} as const;

export type Table = keyof typeof tables;

type Space = ' ' | '\n';
type Trim<T extends string> = T extends `${Space}${infer Rest}` ? Trim<Rest> : T;
type Types = { text: string; integer: number; bigint: number; boolean: boolean; subject: SubjectId } & {
  [P in IdPrefix]: Id<P>;
};
type Cell<T extends string> = T extends keyof Types
  ? Types[T]
  : T extends `${infer K}?`
    ? Cell<K> | null
    : never;
type Columns<T extends string> = T extends `${infer One},${infer Rest}`
  ? Columns<One> & Columns<Rest>
  : Trim<T> extends `${infer Name} ${infer Type}`
    ? { readonly [N in Name]: Cell<Type> }
    : never;

/** A row of this table, without the account and mode that it was asked for with. */
export type Row<T extends Table> = Columns<(typeof tables)[T]>;

const sqlTypes = /^(text|integer|bigint|boolean)\??$/;

/** The columns of a table with their types in SQL; ids are text there. */
export function columnsOf(table: Table): readonly (readonly [name: string, type: string])[] {
  return tables[table].split(',').map((each) => {
    const [name = '', type = ''] = each.trim().split(' ');
    if (sqlTypes.test(type)) return [name, type];
    return [name, type.endsWith('?') ? 'text?' : 'text'];
  });
}

/** The same for a SELECT. */
export function columnsIn(table: Table): string {
  return columnsOf(table)
    .map(([name]) => `${table}.${name}`)
    .join(', ');
}

/** Columns whose values are true or false, in whatever table. */
export const booleanColumns: ReadonlySet<string> = new Set([
  'live',
  ...(Object.keys(tables) as Table[]).flatMap((table) =>
    columnsOf(table).flatMap(([name, type]) => (type === 'boolean' ? [name] : [])),
  ),
]);
