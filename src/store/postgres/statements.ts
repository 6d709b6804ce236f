/** Statements on many rows at once; none where there are no rows. */
import type { Tenant } from '../../checkout/tenant.ts';
import { type RowsStatement, tableStatements } from '../statements.ts';
import type { AnyRow, TableIn } from '../tables.ts';
import type { RowChange } from '../writes.ts';
import type { Sql } from './connection.ts';
import { tenantColumns } from './run.ts';

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
  const remove = (table: Table, rows: readonly AnyRow[]) =>
    on(rows, () => known(`delete ${table}`, () => statements.remove(table)));

  return {
    insert,
    remove,
    update: (table: Table, rows: readonly AnyRow[]) =>
      on(rows, () => known(`update ${table}`, () => statements.update(table, null))),
    change: ({ table, gone, put, sets, by }: RowChange) => [
      ...remove(table, gone),
      ...insert(table, by === null ? put : sorted(put, by), sets),
    ],
    run: (statement: RowsStatement, rows: readonly AnyRow[]) =>
      on(rows, () => known(statement, () => statement)),
  };
}

export function sorted(rows: readonly AnyRow[], field: string): readonly AnyRow[] {
  return rows.toSorted((a, b) => (String(a[field]) < String(b[field]) ? -1 : 1));
}
