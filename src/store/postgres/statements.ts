/** Statements on many rows at once; none where there are no rows. */
import type { Tenant } from '../../checkout/tenant.ts';
import { type RowsStatement, tableStatements } from '../statements.ts';
import type { AnyRow, TableIn } from '../tables.ts';
import type { RowChange } from '../writes.ts';
import type { Sql } from './connection.ts';
import { tenantColumns } from './run.ts';

/** The columns that count the changes of a row. */
const counters: { readonly [T in Table]?: string } = {
  checkout: 'version',
  webhook_endpoint: 'version',
  customer: 'revision',
  webhook_receiver: 'revision',
  provider_event: 'revision',
  bank_entry: 'revision',
};

/** Counts of the changes that rows had when they were read, by table and id. */
export type Seen = ReadonlyMap<string, number>;

export const seenKey = (table: string, id: unknown): string => `${table} ${id}`;

export type Statements = ReturnType<typeof statementsOn>;

type Table = TableIn<'postgres'>;
const statements = tableStatements<Table>('postgres');

/**
 * Rows of a statement that go to their shard one by one. What is selected to be inserted, as rows in JSON are, comes to the
 * coordinator first, and goes on as a COPY, which commits in two phases: that costs as much as so many rows.
 */
const MOST_ONE_BY_ONE = 16;

type Known = { readonly fields: readonly string[]; readonly many: string; readonly one: string };

/** Statements that were made before. */
const made = new Map<string | RowsStatement, Known>();

function known(key: string | RowsStatement, make: () => RowsStatement): Known {
  const before = made.get(key);
  if (before !== undefined) return before;
  const { columns, textFor } = make();
  const fields = columns.map(({ field }) => field);
  const texts = { fields, many: textFor('postgres', 'many'), one: textFor('postgres', 'one') };
  made.set(key, texts);
  return texts;
}

export function statementsOn(sql: Sql, tenant: Tenant, inShards: boolean) {
  const key = tenantColumns(tenant);
  const send = (text: string, values: readonly AnyRow[string][]) =>
    sql.unsafe(text, [...key, ...values], { prepare: true });

  const together = (rows: readonly AnyRow[], statement: () => Known): PromiseLike<unknown>[] =>
    rows.length === 0 ? [] : [send(statement().many, [JSON.stringify(rows)])];

  function on(rows: readonly AnyRow[], statement: () => Known): PromiseLike<unknown>[] {
    if (!inShards || rows.length > MOST_ONE_BY_ONE) return together(rows, statement);
    return rows.map((row) => {
      const { one, fields } = statement();
      return send(
        one,
        fields.map((field) => row[field] ?? null),
      );
    });
  }

  const insert = (table: Table, rows: readonly AnyRow[], sets: readonly string[] = []) =>
    on(rows, () => known(`insert ${table} ${sets}`, () => statements.insert(table, sets)));
  /** Rows that were read, each with the count as it is to be, and as it was `seen`. */
  const replace = (table: Table, rows: readonly AnyRow[], sets: readonly string[]) =>
    on(rows, () =>
      known(`replace ${table} ${sets}`, () => statements.replace(table, sets, counters[table] ?? '')),
    );
  const remove = (table: Table, rows: readonly AnyRow[]) =>
    on(rows, () => known(`delete ${table}`, () => statements.remove(table)));

  return {
    insert,
    remove,
    update: (table: Table, rows: readonly AnyRow[]) =>
      on(rows, () => known(`update ${table}`, () => statements.update(table, null))),
    replace,
    change({ table, gone, put, sets, by }: RowChange, seen: Seen) {
      const rows = by === null ? put : sorted(put, by);
      const counter = counters[table];
      if (counter === undefined) return [...remove(table, gone), ...insert(table, rows, sets)];
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
      together(rows, () => known(statement, () => statement)),
  };
}

export function sorted(rows: readonly AnyRow[], field: string): readonly AnyRow[] {
  return rows.toSorted((a, b) => (String(a[field]) < String(b[field]) ? -1 : 1));
}
