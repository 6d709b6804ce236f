/**
 * Every table of PostgreSQL, and which rows it has to have: a question to SQLite for each. What only one of the two
 * databases keeps is derived here, so that copying and comparing cannot mean different things.
 */

export type Column = { readonly name: string; readonly type: string };

export type Table = {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns by which rows are put in order, and told apart. */
  readonly key: readonly string[];
  /** What may be said of a row in a message: the key without what could be about a person. */
  readonly named: readonly string[];
  /** Asks SQLite for the rows, with the names of the columns here. */
  readonly select: string;
};

type Described = {
  readonly name: string;
  readonly columns: string;
  readonly key: string;
  readonly named?: string;
  /** Where SQLite has no table of this name and these columns. */
  readonly select?: string;
};

const tenant = 'account bigint, live boolean';
/** Both modes of all accounts. */
export const everyPlace = 'account CROSS JOIN (SELECT 0 AS live UNION ALL SELECT 1) AS mode';

const described: readonly Described[] = [
  {
    name: 'account',
    columns: `number bigint, name text, created_at bigint, webhook_secret_test text, webhook_secret_live text,
      test_clock_offset_ms bigint, previous_webhook_secret_test text, previous_webhook_secret_test_until bigint,
      previous_webhook_secret_live text, previous_webhook_secret_live_until bigint, settings_test text,
      settings_live text`,
    key: 'number',
  },
  {
    name: 'api_key',
    columns: `id text, ${tenant}, secret_hash text, permissions text, name text, created_at bigint, revoked_at bigint`,
    key: 'id',
  },
  { name: 'customer', columns: `${tenant}, id text, email text, data text`, key: 'account, live, id' },
  {
    name: 'checkout',
    columns: `${tenant}, id text, version integer, event_count integer, status text, payment_status text,
      invoice_currency text, amount_paid bigint, partially_paid boolean, paid_in_excess boolean, reference_id text,
      customer text, email text, data text`,
    key: 'account, live, id',
  },
  {
    name: 'checkout_overview',
    columns: `${tenant}, id text, amount bigint, description text`,
    key: 'account, live, id',
    select: 'SELECT account, live, id, amount, description FROM checkout',
  },
  {
    name: 'checkout_metadata',
    columns: `${tenant}, name text, value text, checkout text`,
    key: 'account, live, name, value, checkout',
    named: 'account, live, checkout, name',
  },
  {
    name: 'timer',
    columns: `${tenant}, checkout text, due_at bigint, leased_until bigint`,
    key: 'account, live, checkout',
    select: `SELECT account, live, id AS checkout, due_at, NULL AS leased_until FROM checkout
      WHERE due_at IS NOT NULL`,
  },
  {
    name: 'payment_attempt',
    columns: `${tenant}, id text, rail text, reference text, checkout text`,
    key: 'account, live, id',
  },
  {
    name: 'payment',
    columns: `${tenant}, rail text, reference text, checkout text, line integer, attempt text, amount bigint,
      currency text, booked_at bigint, late boolean`,
    key: 'account, live, checkout, line',
    // The lines of a session are in the order in which the service on SQLite reads them.
    select: `SELECT account, live, rail, reference, checkout,
        row_number() OVER (PARTITION BY account, live, checkout ORDER BY booked_at, rowid) AS line,
        attempt, amount, currency, booked_at, late
      FROM payment`,
  },
  {
    name: 'refund',
    columns: `${tenant}, id text, checkout text, rail text, state text`,
    key: 'account, live, id',
  },
  {
    name: 'awaited',
    columns: `${tenant}, currency text, amount bigint, attempt text, checkout text`,
    key: 'account, live, currency, amount, attempt',
  },
  {
    name: 'provider_event',
    columns: `${tenant}, id text, rail text, reference text, received_at bigint, state text, due_at bigint,
      tries integer, attempt_reference text, payment_reference text, body text`,
    key: 'account, live, id',
  },
  {
    name: 'bank_entry',
    columns: `${tenant}, id text, reference text, received_at bigint, state text, due_at bigint, tries integer,
      data text`,
    key: 'account, live, id',
  },
  {
    name: 'bank_file',
    columns: `${tenant}, id text, kind text, created_at bigint, hash text, data text, content text`,
    key: 'account, live, id',
  },
  {
    name: 'event',
    columns: `${tenant}, id text, type text, subject text, sequence integer, created_at bigint, body text`,
    key: 'account, live, id',
  },
  {
    name: 'feed',
    columns: `${tenant}, position bigint, event text`,
    key: 'account, live, position',
    select: 'SELECT account, live, position, id AS event FROM event',
  },
  {
    name: 'feed_end',
    columns: `${tenant}, position bigint`,
    key: 'account, live',
    select: `SELECT number AS account, mode.live AS live, coalesce((
        SELECT max(position) FROM event WHERE event.account = number AND event.live = mode.live
      ), feed_start.position, 0) AS position
      FROM ${everyPlace} LEFT JOIN feed_start ON feed_start.account = number AND feed_start.live = mode.live`,
  },
  { name: 'feed_start', columns: `${tenant}, position bigint`, key: 'account, live' },
  {
    name: 'feed_waiting',
    columns: `${tenant}, subject text, sequence integer, event text`,
    key: 'account, live, subject, sequence',
    // In SQLite an event has its position from the beginning.
    select: 'SELECT account, live, subject, sequence, id AS event FROM event WHERE false',
  },
  {
    name: 'delivery',
    columns: `${tenant}, id text, event text, subject text, sequence integer, receiver text, url text,
      created_at bigint, state text, attempts integer, round_start integer, due_at bigint, leased_until bigint,
      tried_at bigint, last_status integer, last_error text`,
    key: 'account, live, id',
    select: `SELECT account, live, id, event, subject, sequence, receiver, url, created_at, state, attempts,
        round_start, due_at, NULL AS leased_until, tried_at, last_status, last_error
      FROM delivery`,
  },
  {
    name: 'delivery_attempt',
    columns: `${tenant}, delivery text, number integer, at bigint, duration_ms integer, status integer, error text,
      answer text`,
    key: 'account, live, delivery, number',
  },
  {
    name: 'webhook_endpoint',
    columns: `${tenant}, id text, version integer, event_count integer, data text`,
    key: 'account, live, id',
  },
  {
    name: 'webhook_receiver',
    columns: `${tenant}, id text, failures integer, failing_since bigint, probes integer, probe_at bigint,
      announced boolean, last_error text`,
    key: 'account, live, id',
  },
  {
    name: 'delivery_claim',
    columns: tenant,
    key: 'account, live',
    select: `SELECT number AS account, live FROM ${everyPlace}`,
  },
  {
    name: 'idempotency',
    columns: `${tenant}, idempotency_key text, operation text, request_hash text, status_code integer, headers text,
      body text, event text, created_at bigint`,
    key: 'account, live, idempotency_key, operation',
    // The rest of the body is in the event, so that it is compared there.
    select: `SELECT idempotency.account AS account, idempotency.live AS live, idempotency_key, operation,
        request_hash, status_code, headers, idempotency.body AS body, event.id AS event,
        idempotency.created_at AS created_at
      FROM idempotency LEFT JOIN event ON event.account = idempotency.account AND event.live = idempotency.live
        AND event.position = idempotency.event`,
  },
  {
    name: 'audit',
    columns: `${tenant}, subject text, version integer, at bigint, actor text, action text, request_id text`,
    // It has no key, and may have the same line twice.
    key: 'account, live, at, subject, version, action, actor, request_id',
    named: 'account, live, subject, version, at',
  },
];

export const tables: readonly Table[] = described.map(({ name, columns, key, named = key, select }) => {
  const list = columns.split(',').map((column): Column => {
    const [word = '', type = ''] = column.trim().split(' ');
    return { name: word, type };
  });
  const names = list.map((column) => column.name).join(', ');
  return {
    name,
    columns: list,
    key: key.split(', '),
    named: named.split(', '),
    select: select ?? `SELECT ${names} FROM ${name}`,
  };
});

export function table(name: string): Table {
  const found = tables.find((each) => each.name === name);
  if (!found) throw new Error(`there is no table ${name}`);
  return found;
}

export function namesOf({ columns }: Table): string {
  return columns.map(({ name }) => name).join(', ');
}
