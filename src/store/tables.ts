import type { Cause, SubjectId } from '../events/event.ts';
import type { Id, IdPrefix } from '../lib/id.ts';
import type { Dialect } from './sql.ts';

/**
 * The tables, described once: names and types of the columns that both databases have. Rows are typed by it, statements
 * that write them are made from it, and it is what moves from SQLite to PostgreSQL. A `*` is behind the name of a column
 * of the key, a `+` behind that of one that counts the changes of a row, which PostgreSQL asks for, and a `?` behind the
 * type of a column that may be null. A column of ids has their prefix for its type: `chk`
 * for sessions, `subject` for what an event is about, `cause` for why it happened; one with a few words for its values has these. Every table of a
 * tenant begins with `account` and `live`, which are left out. A test compares all of it with the schema of each
 * database.
 */
export const tables = {
  account: `number* bigint, name text, created_at bigint, webhook_secret_test text, webhook_secret_live text,
    test_clock_offset_ms bigint, previous_webhook_secret_test text?, previous_webhook_secret_test_until bigint?,
    previous_webhook_secret_live text?, previous_webhook_secret_live_until bigint?,
    settings_test text?, settings_live text?,
    rail_credentials_test text?, rail_credentials_live text?, logo_test text?, logo_live text?`,
  logo: 'name text, content text',
  api_key: `id* text, account bigint, live boolean, secret_hash text, permissions text, name text,
    created_at bigint, revoked_at bigint?`,
  clock_move: 'at* bigint, offset_ms bigint',
  dashboard_user: 'id* usr, email text?, identity text?, accounts text, data text',
  installation_secret: 'name* text, value text',
  customer: 'id* cus, email text?, data text',
  checkout: `id* chk, version integer, event_count integer, status text, payment_status text,
    invoice_currency text, amount_paid bigint, partially_paid boolean, paid_in_excess boolean,
    reference_id text, customer cus?, email text?, data text`,
  checkout_metadata: 'name* text, value* text, checkout* chk',
  payment_attempt: 'id* pat, rail text, reference text, checkout chk',
  payment: `rail* text, reference* text, checkout chk, attempt pat, amount bigint, currency text,
    booked_at bigint, late boolean`,
  refund: 'id* rfd, checkout chk, rail text, state pending|succeeded|failed, payment_file bfl?',
  movement: `id* mov, type payment|refund|reversal, created_at bigint, checkout chk, rail text, reference text,
    currency text, amount bigint, late boolean, time_to_pay_ms bigint?, fee bigint?, fee_currency text?`,
  awaited: 'currency* text, amount* bigint, attempt* pat, checkout chk',
  provider_event: `id* pev, rail text, reference text, received_at bigint, state waiting|open|done,
    due_at bigint?, tries integer, reason no_session|no_answer|key_refused|request_refused|answer_unclear?,
    attempt_reference text?, payment_reference text?, body text`,
  bank_entry: `id* ntc, reference text, received_at bigint, state waiting|open|done|ignored, due_at bigint?,
    tries integer, data text`,
  bank_file:
    'id* bfl, kind statement|ingesting|payments, created_at bigint, hash text, data text, content text',
  event: 'id* evt, type text, subject subject, sequence integer, created_at bigint, cause cause?, body text',
  feed_start: 'position bigint',
  webhook_endpoint: 'id* whe, version+ integer, event_count integer, slot integer, data text',
  webhook_receiver: `id* text, failures integer, failing_since bigint, probes integer, probe_at bigint?,
    announced boolean, last_error text`,
  delivery: `id* whd, event evt, subject subject, sequence integer, receiver text, url text?, created_at bigint,
    state pending|delivered|failed, attempts integer, round_start integer, due_at bigint?, tried_at bigint?,
    last_status integer?, last_error text?`,
  delivery_attempt: `delivery* whd, number* integer, at bigint, duration_ms integer, status integer?, error text?,
    answer text`,
  idempotency: `idempotency_key* text, operation* text, request_hash text, status_code integer, headers text,
    body text, created_at bigint`,
  audit: 'subject text, version integer, at bigint, actor text, action text, request_id text',
  request_log: `id* rql, at bigint, request_id text, actor text, method text, path text, operation text, subject text?,
    status integer, errors text, duration_ms integer, idempotency none|key|replayed, left_out integer`,
} as const;

/** Columns and tables that only one of the databases has. */
const own = {
  sqlite: {
    account: 'changed_in bigint, checksum bigint',
    logo: 'checksum bigint',
    api_key: 'checksum bigint',
    dashboard_user: 'checksum bigint',
    customer: 'checksum bigint',
    checkout: 'amount bigint, description text?, due_at bigint?, last_event bigint, checksum bigint',
    provider_event: 'checksum bigint',
    bank_entry: 'checksum bigint',
    bank_file: 'checksum bigint',
    event: 'position bigint, previous bigint, checksum bigint',
    webhook_endpoint: 'checksum bigint',
    idempotency: 'event bigint?, checksum bigint',
    audit: 'checksum bigint',
    request_log: 'checksum bigint',
  },
  postgres: {
    account: 'changed_in bigint',
    checkout_overview: `id* chk, amount bigint, description text?, currency text, amount_open bigint,
      amount_excess bigint`,
    timer: 'checkout* chk, due_at bigint, leased_until bigint?',
    checkout: 'revision+ integer',
    dashboard_user: 'revision+ integer',
    customer: 'revision+ integer',
    payment: 'line integer',
    provider_event: 'revision+ integer',
    bank_entry: 'revision+ integer',
    webhook_receiver: 'revision+ integer',
    audit: 'id* aud',
    feed: 'position* bigint, event evt',
    feed_end: 'position bigint',
    feed_waiting: 'subject* subject, sequence* integer, event evt',
    delivery: 'leased_until bigint?',
    delivery_claim: '',
    idempotency: 'event evt?',
  },
} as const;

/** Columns that every table of a tenant begins with. SQLite tells the lines of the log of changes apart by their numbers alone. */
const ofTenant = (table: string, dialect: Dialect): string => {
  if (table === 'account' || table === 'api_key') return '';
  const hasKey = table !== 'audit' || dialect === 'postgres';
  return hasKey ? 'account* bigint, live* boolean' : 'account bigint, live boolean';
};

export type Table = keyof typeof tables;
/** Any table of a database. */
export type TableIn<D extends Dialect> = Table | keyof (typeof own)[D];
/** Tables that PostgreSQL alone has. */
type Further = Exclude<keyof (typeof own)['postgres'], Table>;
export type AnyTable = Table | Further;

type Space = ' ' | '\n';
export type Trim<T extends string> = T extends `${Space}${infer Rest}` ? Trim<Rest> : T;
type Types = {
  text: string;
  integer: number;
  bigint: number;
  boolean: boolean;
  subject: SubjectId;
  cause: Cause;
} & {
  [P in IdPrefix]: Id<P>;
};
type Cell<T extends string> = T extends keyof Types
  ? Types[T]
  : T extends `${infer K}?`
    ? Cell<K> | null
    : Word<T>;
type Word<T extends string> = T extends `${infer One}|${infer Others}` ? One | Word<Others> : T;
type Camel<T extends string> = T extends `${infer One}_${infer Others}`
  ? `${One}${Capitalize<Camel<Others>>}`
  : T;
type Unmarked<T extends string> = T extends `${infer Name}${'*' | '+'}` ? Name : T;
type Columns<T extends string> = T extends `${infer One},${infer Rest}`
  ? Columns<One> & Columns<Rest>
  : Trim<T> extends `${infer Name} ${infer Type}`
    ? { readonly [N in Camel<Unmarked<Name>>]: Cell<Type> }
    : unknown;

/** A row of this table under the names of the domain, without the account and mode that it was asked for with. */
export type Row<T extends AnyTable> = T extends Table
  ? Columns<(typeof tables)[T]>
  : T extends Further
    ? Columns<(typeof own)['postgres'][T]>
    : never;

/** A row as it is written, perhaps with more than the table has. */
export type AnyRow = Readonly<Record<string, string | number | boolean | null>>;

export type Column = {
  readonly name: string;
  /** Its name in a row. */
  readonly field: string;
  /** Its type in PostgreSQL, where ids and words are text. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly isKey: boolean;
  /** True if it counts the changes of a row. */
  readonly isCounter: boolean;
};

const sqlTypes = /^(text|integer|bigint|boolean)$/;

export function parsed(description: string): Column[] {
  return description.split(',').map((each) => {
    const [marked = '', type = ''] = each.trim().split(' ');
    const name = marked.replace(/[*+]$/, '');
    const bare = type.replace('?', '');
    return {
      name,
      field: name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      type: sqlTypes.test(bare) ? bare : 'text',
      isNullable: bare !== type,
      isKey: marked.endsWith('*'),
      isCounter: marked.endsWith('+'),
    };
  });
}

/** The columns of every table of a database, with the account and mode. */
export function schemaOf(dialect: Dialect): Readonly<Record<string, readonly Column[]>> {
  const both: Readonly<Record<string, string>> = tables;
  const further: Readonly<Record<string, string>> = own[dialect];
  const names = [...new Set([...Object.keys(both), ...Object.keys(further)])];
  return Object.fromEntries(
    names.map((name) => {
      const all = [ofTenant(name, dialect), both[name], further[name]];
      return [name, parsed(all.filter(Boolean).join(', '))];
    }),
  );
}

const shared: Readonly<Record<string, readonly Column[]>> = Object.fromEntries(
  Object.entries({ ...own.postgres, ...tables }).map(([name, columns]) => [name, parsed(columns)]),
);

/** The columns that every database with this table has, without the account and mode. */
export const columnsOf = (table: AnyTable): readonly Column[] => shared[table] ?? [];

const onPostgres = schemaOf('postgres');

/** Field with the number of changes of a row, if PostgreSQL counts them. */
export const counterOf = (table: AnyTable): string | null =>
  onPostgres[table]?.find(({ isCounter }) => isCounter)?.field ?? null;

/** A function for the keys of rows within their table and tenant, for comparing. */
export function keyOf(table: AnyTable): (row: AnyRow) => string {
  const key = columnsOf(table).filter(({ isKey }) => isKey);
  return (row) => key.map(({ field }) => row[field]).join('\n');
}

/** The same columns for a SELECT of rows, without those that are selected in another way. */
export function columnsIn(table: Table, without?: string): string {
  return columnsOf(table)
    .filter(({ name }) => name !== without)
    .map(({ name, field }) => `${table}.${name}${name === field ? '' : ` AS "${field}"`}`)
    .join(', ');
}

/** Fields that are true or false, in whatever table. */
export const booleanFields: ReadonlySet<string> = new Set(
  Object.values(schemaOf('sqlite')).flatMap((columns) =>
    columns.flatMap(({ field, type }) => (type === 'boolean' ? [field] : [])),
  ),
);
