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

/** Texts that were made before. */
const texts = new Map<string | RowsStatement, string>();

function known(key: string | RowsStatement, make: () => RowsStatement): string {
  const text = texts.get(key) ?? make().textFor('postgres');
  texts.set(key, text);
  return text;
}

export function statementsOn(sql: Sql, tenant: Tenant) {
  const key = tenantColumns(tenant);

  const on = (rows: readonly AnyRow[], text: () => string): PromiseLike<unknown>[] =>
    rows.length === 0 ? [] : [sql.unsafe(text(), [...key, JSON.stringify(rows)], { prepare: true })];

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
      on(rows, () => known(statement, () => statement)),
  };
}

export function sorted(rows: readonly AnyRow[], field: string): readonly AnyRow[] {
  return rows.toSorted((a, b) => (String(a[field]) < String(b[field]) ? -1 : 1));
}
