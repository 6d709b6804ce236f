/** Statements on many rows at once: the rows travel as one JSON parameter, whatever their number. */
import type { Tenant } from '../../checkout/tenant.ts';
import { type AnyRow, type Column, schemaOf, type TableIn } from '../tables.ts';
import type { RowChange } from '../writes.ts';
import type { Sql } from './connection.ts';
import { tenantColumns } from './run.ts';

/** A statement on rows with these columns, which stand in its text as `r`; account and live are $1 and $2. */
export type RowsStatement = { readonly columns: string; readonly text: (r: string) => string };

export const ofTenant = (table: string): string => `${table}.account = $1 AND ${table}.live = $2`;

export type Statements = ReturnType<typeof statementsOn>;

type Table = TableIn<'postgres'>;

/** Account and live are those of the statement. */
const schema = Object.fromEntries(
  Object.entries(schemaOf('postgres')).map(([name, columns]) => [
    name,
    columns.filter((column) => column.name !== 'account' && column.name !== 'live'),
  ]),
);
const columnsOf = (table: Table): readonly Column[] => schema[table] ?? [];
const keyOf = (table: Table) => columnsOf(table).filter(({ isKey }) => isKey);
const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name).join(', ');

/** Rows with these columns, which stand in a statement as `r`; account and live are $1 and $2. */
const rowsWith = (columns: readonly Column[]) =>
  `json_to_recordset($3::text::json) AS r (${columns.map(({ field, type }) => `"${field}" ${type}`).join(', ')})`;

function insertText(table: Table, sets: readonly string[]): string {
  const columns = columnsOf(table);
  const values = columns.map(({ field }) => `r."${field}"`).join(', ');
  const set = columns.filter(({ field }) => sets.includes(field));
  const onConflict = `ON CONFLICT (account, live, ${namesOf(keyOf(table))})
    DO UPDATE SET ${set.map(({ name }) => `${name} = excluded.${name}`).join(', ')}`;
  return `INSERT INTO ${table} (account, live, ${namesOf(columns)})
    SELECT $1::bigint, $2::boolean, ${values} FROM ${rowsWith(columns)} ${set.length > 0 ? onConflict : ''}`;
}

/** Sets all columns. */
function updateText(table: Table): string {
  const set = columnsOf(table).filter(({ isKey }) => !isKey);
  const assignments = set.map(({ name, field }) => `${name} = r."${field}"`).join(', ');
  return `UPDATE ${table} SET ${assignments} FROM ${rowsWith(columnsOf(table))} WHERE ${isRow(table)}`;
}

const deleteText = (table: Table) =>
  `DELETE FROM ${table} USING ${rowsWith(keyOf(table))} WHERE ${isRow(table)}`;

/** The condition that finds the row of the table that `r` is about. */
function isRow(table: Table): string {
  const key = keyOf(table).map(({ name, field }) => ` AND ${table}.${name} = r."${field}"`);
  return ofTenant(table) + key.join('');
}

/** Texts that were made before. */
const texts = new Map<string, string>();

function known(name: string, make: () => string): string {
  const text = texts.get(name) ?? make();
  texts.set(name, text);
  return text;
}

/** Statements on the rows of a tenant; none where there are no rows. */
export function statementsOn(sql: Sql, tenant: Tenant) {
  const key = tenantColumns(tenant);

  const on = (rows: readonly AnyRow[], text: () => string): PromiseLike<unknown>[] =>
    rows.length === 0 ? [] : [sql.unsafe(text(), [...key, JSON.stringify(rows)], { prepare: true })];

  const insert = (table: Table, rows: readonly AnyRow[], sets: readonly string[] = []) =>
    on(rows, () => known(`insert ${table} ${sets}`, () => insertText(table, sets)));
  const remove = (table: Table, rows: readonly AnyRow[]) =>
    on(rows, () => known(`delete ${table}`, () => deleteText(table)));

  return {
    insert,
    remove,
    update: (table: Table, rows: readonly AnyRow[]) =>
      on(rows, () => known(`update ${table}`, () => updateText(table))),
    change: ({ table, gone, put, sets, by }: RowChange) => [
      ...remove(table, gone),
      ...insert(table, by === null ? put : sorted(put, by), sets),
    ],
    run: ({ columns, text }: RowsStatement, rows: readonly AnyRow[]) =>
      on(rows, () => text(`json_to_recordset($3::text::json) AS r (${columns})`)),
  };
}

export function sorted(rows: readonly AnyRow[], field: string): readonly AnyRow[] {
  return rows.toSorted((a, b) => (String(a[field]) < String(b[field]) ? -1 : 1));
}
