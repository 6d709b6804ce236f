/**
 * Tables without a log of their changes: all that do not come in another way. Both sides are gone through in the order of
 * their keys, a range at a time. Each side makes a text of its range; where these differ, so do rows, and what differs is
 * copied or removed.
 */
import { hash } from 'node:crypto';
import { keysOf } from '../../lib/keys.ts';
import { followingTables } from '../../store/columns.ts';
import { type Column, columnsOf, tables as stored, type Table as TableName } from '../../store/tables.ts';
import type { Move } from './copy.ts';
import type { Source, SourceRow, SourceTenant } from './source.ts';
import { type Table, table } from './tables.ts';
import { insertRows, removeRows } from './target.ts';

type Unlogged = {
  readonly what: string;
  /** Expression of either database that has another value after each change of a row. */
  readonly stamp: string;
  /** Rows in a range; fewer where the stamp is long. */
  readonly range?: number;
};

/** Tables that come in another way: with their log or their session, or as a whole whenever one of them has changed. */
const otherwise: ReadonlySet<TableName> = new Set([
  ...(['account', 'api_key', 'audit', 'checkout', 'clock_move', 'customer', 'event', 'feed_start'] as const),
  'webhook_endpoint',
  ...followingTables.map((each) => each.table),
]);

const stamped: Partial<Readonly<Record<TableName, Unlogged>>> = {
  // A key can be used again after a day; its new answer has another time.
  idempotency: { what: 'stored answers', stamp: 'created_at' },
  delivery: {
    what: 'deliveries',
    stamp: `concat(state, ' ', attempts, ' ', round_start, ' ', due_at, ' ', tried_at, ' ', last_status, ' ', last_error)`,
  },
  // An attempt stays what it was, unless a person is erased who may be in the answer.
  delivery_attempt: {
    what: 'attempts of deliveries',
    stamp: `CASE WHEN answer = '' THEN 0 ELSE 1 END`,
  },
  // Only the state of a provider event changes, with the reason for it.
  provider_event: {
    what: 'provider events',
    stamp: `concat(state, ' ', due_at, ' ', tries, ' ', reason)`,
  },
  // The effects of a bank entry stand in the middle of its data.
  bank_entry: {
    what: 'bank entries',
    stamp: `concat(state, ' ', due_at, ' ', tries, ' ', data)`,
    range: 500,
  },
  bank_file: { what: 'files of banks', stamp: 'kind' },
  // Another image has another name.
  logo: { what: 'logos', stamp: 'name' },
};

/** A table of which nothing is said here is compared whole. */
function byAllValues(name: TableName): Unlogged {
  const values = columnsOf(name)
    .filter(({ isKey }) => !isKey)
    .map((each) => (each.type === 'boolean' ? `CAST(${each.name} AS integer)` : each.name));
  return { what: name.replaceAll('_', ' '), stamp: `concat(${values.join(`, ' ', `)})`, range: 500 };
}

const all: ReadonlyArray<readonly [name: TableName, Unlogged]> = keysOf(stored)
  .filter((name) => !otherwise.has(name))
  .map((name) => [name, stamped[name] ?? byAllValues(name)]);

const RANGE = 4000;

type Value = string | number;
type Key = readonly Value[];
/** From behind one key to another, or to the end. */
type Range = { readonly after: Key; readonly to: Key | undefined };
/** The columns of the key, and the stamp. */
type Found = SourceTenant & Readonly<Record<string, Value>>;

export async function copyUnlogged(move: Move): Promise<void> {
  for (const [name, { what, stamp, range = RANGE }] of all) {
    move.teller.begin(`comparing ${what}`, move.source.number(`SELECT count(*) FROM ${name}`));
    await copyRanges(move, table(name), stamp, range);
  }
}

async function copyRanges(
  { source, target, teller }: Move,
  from: Table,
  stamp: string,
  size: number,
): Promise<void> {
  const here = questions(from, stamp, size, () => '?');
  const there = questions(from, stamp, size, (type, index) => `$${index + 1}::${numbered(type)}`);
  for (let after: Key = keyOf(from).map(({ type }) => (type === 'text' ? '' : 0)); ; ) {
    const [last] = source.all<Found>(here.last, ...after);
    // Rows behind the last of SQLite are in the last range as well.
    const range: Range = { after, to: last && valuesOf(from, last) };
    const values = [...range.after, ...(range.to ?? [])];
    const [mine] = source.all(here.text(range), ...values);
    const [theirs] = await target.read<{ sha256: string | null }>(
      `SELECT encode(sha256(convert_to(text, 'UTF8')), 'hex') AS sha256 FROM (${there.text(range)}) AS whole`,
      values,
    );
    const text = mine?.text ?? null;
    if ((text === null ? null : hash('sha256', String(text))) !== (theirs?.sha256 ?? null)) {
      const wanted = source.all<Found>(here.rows(range), ...values);
      await copyRange({ source, target }, from, wanted, await target.read<Found>(there.rows(range), values));
    }
    teller.add(Number(mine?.rows));
    if (!range.to) return;
    after = range.to;
  }
}

const numbered = (type: string) => (type === 'boolean' ? 'integer::boolean' : type);

function keyOf({ key, columns }: Table): Column[] {
  return columns
    .filter(({ name }) => key.includes(name))
    .sort((a, b) => key.indexOf(a.name) - key.indexOf(b.name));
}

function valuesOf({ key }: Table, row: Found): Value[] {
  return key.map((column) => row[column] as Value);
}

/** Questions to either database; `parameter` stands for the value of a type, in its place among all. */
function questions(
  from: Table,
  stamp: string,
  size: number,
  parameter: (type: string, index: number) => string,
) {
  const key = keyOf(from);
  const columns = from.key.join(', ');
  const shown = key.map(({ name, type }) => (type === 'boolean' ? `CAST(${name} AS integer)` : name));
  const named = key.map(({ name }, index) => `${shown[index]} AS ${name}`).join(', ');
  const place = (before: number) => key.map(({ type }, index) => parameter(type, before + index)).join(', ');
  const within = ({ to }: Range) =>
    `(${columns}) > (${place(0)})${to ? ` AND (${columns}) <= (${place(key.length)})` : ''}`;
  return {
    last: `SELECT ${columns} FROM ${from.name} WHERE (${columns}) > (${place(0)})
      ORDER BY ${columns} LIMIT 1 OFFSET ${size - 1}`,
    text: (range: Range) =>
      `SELECT count(*) AS rows, string_agg(concat(${shown.join(`, ' ', `)}, ' ', ${stamp}), ' ' ORDER BY ${columns}) AS text
       FROM ${from.name} WHERE ${within(range)}`,
    rows: (range: Range) =>
      `SELECT ${named}, ${stamp} AS stamp FROM ${from.name} WHERE ${within(range)} ORDER BY ${columns}`,
  };
}

async function copyRange(
  { source, target }: Pick<Move, 'source' | 'target'>,
  from: Table,
  wanted: readonly Found[],
  present: readonly Found[],
): Promise<void> {
  const name = (row: Found) => JSON.stringify([...valuesOf(from, row), row.stamp]);
  const wantedNames = new Set(wanted.map(name));
  const presentNames = new Set(present.map(name));
  const wrong = present.filter((row) => !wantedNames.has(name(row)));
  const missing = wanted.filter((row) => !presentNames.has(name(row)));
  if (wrong.length + missing.length === 0) return;
  const rows = missing.flatMap((row) => whole(source, from, row));
  await target.step(async (tx) => {
    await removeRows(tx, from.name, from.key, wrong);
    await insertRows(tx, from.name, rows);
  }, {});
}

/** None if it has just gone. */
function whole(source: Source, from: Table, row: Found): SourceRow[] {
  const isIt = from.key.map((column) => `${from.name}.${column} = ?`).join(' AND ');
  return source.all(`${from.select} WHERE ${isIt}`, ...valuesOf(from, row));
}
