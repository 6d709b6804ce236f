/** Statements on many rows at once; none where there are no rows. */
import type { Tenant } from '../../checkout/tenant.ts';
import { type RowsStatement, tableStatements } from '../statements.ts';
import { type AnyRow, type AnyTable, counterOf, type TableIn } from '../tables.ts';
import type { RowChange } from '../writes.ts';
import type { Sql } from './connection.ts';

/** Counts of the changes that rows had when they were read, by table and id. */
export type Seen = ReadonlyMap<string, number>;

export const seenKey = (table: string, id: unknown): string => `${table} ${id}`;

export type Statements = ReturnType<typeof statementsOn>;

type Table = TableIn<'postgres'>;
const statements = tableStatements<Table>('postgres');

/**
 * Rows of an INSERT that go to their shard as values. What is selected to be inserted, as rows in JSON are, comes to the
 * coordinator first, and goes on as a COPY, which commits in two phases. Each number of rows is a text of its own.
 */
export const MOST_AS_VALUES = 16;

type Known = { readonly fields: readonly string[]; readonly textFor: (rows: number | 'many') => string };

/** Statements that were made before. */
const made = new Map<string | RowsStatement, Known>();

function known(key: string | RowsStatement, make: () => RowsStatement): Known {
  const before = made.get(key);
  if (before !== undefined) return before;
  const statement = make();
  const texts = new Map<number | 'many', string>();
  const one: Known = {
    fields: statement.columns.map(({ field }) => field),
    textFor(rows) {
      const text = texts.get(rows) ?? statement.textFor('postgres', rows);
      texts.set(rows, text);
      return text;
    },
  };
  made.set(key, one);
  return one;
}

export function statementsOn(sql: Sql, tenant: Tenant, inShards: boolean) {
  const key = [tenant.account, tenant.mode === 'live'];

  /** The rows are values where there are up to so many of them, else one parameter. */
  function on(rows: readonly AnyRow[], statement: () => Known, mostAsValues = inShards ? 1 : 0) {
    if (rows.length === 0) return [];
    const { textFor, fields } = statement();
    // What has no key within its tenant has no fields to remove it by.
    const asValues = rows.length <= mostAsValues || fields.length === 0;
    const values = asValues
      ? rows.flatMap((row) => fields.map((field) => row[field] ?? null))
      : [JSON.stringify(rows)];
    const text = textFor(asValues ? rows.length : 'many');
    return [sql.unsafe(text, [...key, ...values], { prepare: true })];
  }

  const insert = (table: Table, rows: readonly AnyRow[], sets: readonly string[] = []) =>
    on(
      rows,
      () => known(`insert ${table} ${sets}`, () => statements.insert(table, sets)),
      inShards ? MOST_AS_VALUES : 0,
    );
  /** Rows that were read, each with the count as it is to be, and as it was `seen`. */
  const replace = (table: Table, rows: readonly AnyRow[], sets: readonly string[]) =>
    on(rows, () => known(`replace ${table} ${sets}`, () => statements.replace(table, sets)));
  const remove = (table: Table, rows: readonly AnyRow[]) =>
    on(rows, () => known(`delete ${table}`, () => statements.remove(table)));

  return {
    insert,
    remove,
    replace,
    change({ table, gone, put, sets, by }: RowChange<AnyTable>, seen: Seen) {
      const rows = by === null ? put : sorted(put, by);
      if (counterOf(table) === null) return [...remove(table, gone), ...insert(table, rows, sets)];
      const seenOf = ({ id }: AnyRow) => seen.get(seenKey(table, id)) ?? 0;
      const counted = rows.map((row) => ({ revision: seenOf(row) + 1, ...row, seen: seenOf(row) }));
      return [
        ...remove(table, gone),
        ...replace(
          table,
          counted.filter((row) => row.seen > 0),
          sets,
        ),
        ...insert(
          table,
          counted.filter((row) => row.seen === 0),
          sets,
        ),
      ];
    },
    run: (statement: RowsStatement, rows: readonly AnyRow[]) =>
      on(rows, () => known(statement, () => statement), 0),
  };
}

export function sorted(rows: readonly AnyRow[], field: string): readonly AnyRow[] {
  return rows.toSorted((a, b) => (String(a[field]) < String(b[field]) ? -1 : 1));
}
