/**
 * Every table of PostgreSQL, and which rows it has to have: a question to SQLite for each. What only one of the two
 * databases keeps is derived here, so that copying and comparing cannot mean different things.
 */
import { followingOnPostgres } from '../../store/columns.ts';
import { idOfLine } from '../../store/resources/audit.ts';
import { amountExcess, amountOpen } from '../../store/resources/totals.ts';
import { type Column, schemaOf } from '../../store/tables.ts';

export type Table = {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns by which rows are put in order, and told apart. */
  readonly key: readonly string[];
  /** Columns that may name a row in a message: the key without what could be about a person. */
  readonly named: readonly string[];
  /** Asks SQLite for the rows, with the names of the columns here. */
  readonly select: string;
};

/** A table that is not simply the one of the same name in SQLite. */
type Different = {
  readonly from?: string;
  /** Expressions of SQLite for columns that it does not have so. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly named?: string;
};

/** Both modes of all accounts. */
export const everyTenant = 'account CROSS JOIN (SELECT 0 AS live UNION ALL SELECT 1) AS mode';

const different: Readonly<Record<string, Different>> = {
  checkout_metadata: { named: 'account, live, checkout, name' },
  payment: {
    // The lines of a session are in the order in which the service on SQLite reads them.
    columns: { line: 'row_number() OVER (PARTITION BY account, live, checkout ORDER BY rowid)' },
    key: 'account, live, checkout, line',
  },
  checkout_overview: {
    columns: { currency: 'invoice_currency', amount_open: amountOpen, amount_excess: amountExcess },
  },
  feed: { from: 'event', columns: { event: 'id' } },
  feed_end: {
    from: `${everyTenant} LEFT JOIN feed_start ON feed_start.account = number AND feed_start.live = mode.live`,
    columns: {
      account: 'number',
      live: 'mode.live',
      position: `coalesce((
        SELECT max(position) FROM event WHERE event.account = number AND event.live = mode.live
      ), feed_start.position, 0)`,
    },
  },
  // In SQLite an event has its position from the beginning.
  feed_waiting: { from: 'event WHERE false', columns: { event: 'id' } },
  delivery: { columns: { leased_until: 'NULL' } },
  delivery_claim: { from: everyTenant, columns: { account: 'number' } },
  // The rest of the body is in the event, so that it is compared there.
  idempotency: {
    columns: {
      event: `(SELECT id FROM event WHERE event.account = idempotency.account AND event.live = idempotency.live
        AND event.position = idempotency.event)`,
    },
  },
  audit: { columns: { id: idOfLine }, named: 'account, live, subject, version, at' },
};

const onSqlite = schemaOf('sqlite');

/**
 * A table in which PostgreSQL has columns of sessions apart, or what follows from them: a row of it has what its columns
 * must have.
 */
function apart(columns: readonly Column[], following: Different['columns'] = {}): Different {
  const own = new Set(onSqlite.checkout?.map(({ name }) => name));
  const missing = columns.filter(({ name }) => !own.has(name)).map(({ name }) => [name, 'NULL']);
  const needed = columns.filter(({ name, isNullable }) => own.has(name) && !isNullable);
  return {
    from: `checkout WHERE ${needed.map(({ name }) => `${name} IS NOT NULL`).join(' AND ')}`,
    columns: { ...Object.fromEntries(missing), checkout: 'id', ...following },
  };
}

const isApart = (name: string): boolean =>
  !(name in onSqlite) && followingOnPostgres.some(({ table }) => table === name);

export const tables: readonly Table[] = Object.entries(schemaOf('postgres')).map(([name, columns]) => {
  const difference = isApart(name) ? apart(columns, different[name]?.columns) : different[name];
  const { from = name, columns: expressions = {}, key, named } = difference ?? {};
  const stored = onSqlite[name] ?? columns;
  const keyNames = key?.split(', ') ?? columns.filter(({ isKey }) => isKey).map((column) => column.name);
  const selected = columns.map((column) => {
    // SQLite has one writer, which needs no count of a row's changes.
    const counted = column.isCounter && !stored.some((each) => each.name === column.name) ? '1' : undefined;
    const expression = expressions[column.name] ?? counted;
    return expression === undefined ? column.name : `${expression} AS ${column.name}`;
  });
  return {
    name,
    columns,
    key: keyNames,
    named: named?.split(', ') ?? keyNames,
    select: `SELECT ${selected.join(', ')} FROM ${from}`,
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
