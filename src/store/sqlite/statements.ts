/** Statements on single rows, each prepared when it is first needed. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import { type AnyRow, type Column, schemaOf, type TableIn } from '../tables.ts';
import type { RowChange } from '../writes.ts';
import { liveOf } from './rows.ts';

type Table = TableIn<'sqlite'>;
/** A statement, and the columns whose values it takes, in this order. */
type Prepared = { readonly statement: StatementSync; readonly columns: readonly Column[] };

const schema = schemaOf('sqlite');

export function rowStatements(database: DatabaseSync) {
  const prepared = new Map<string, Prepared>();

  function statement(
    name: string,
    make: () => readonly [text: string, columns: readonly Column[]],
  ): Prepared {
    const known = prepared.get(name);
    if (known !== undefined) return known;
    const [text, columns] = make();
    const ready = { statement: database.prepare(text), columns };
    prepared.set(name, ready);
    return ready;
  }

  function run({ statement, columns }: Prepared, tenant: Tenant, row: AnyRow): void {
    const values: SQLInputValue[] = [];
    for (const { field } of columns) {
      const value = row[field] as SQLInputValue | boolean;
      values.push(typeof value === 'boolean' ? Number(value) : value);
    }
    statement.run(tenant.account, liveOf(tenant), ...values);
  }

  const insertInto = (table: Table, sets: readonly string[]) =>
    statement(`insert ${table} ${sets}`, () => {
      const columns = columnsOf(table);
      const marks = columns.map(() => '?').join(', ');
      const text = `INSERT INTO ${table} (account, live, ${namesOf(columns)}) VALUES (?, ?, ${marks})`;
      if (sets.length === 0) return [text, columns];
      const set = columns.filter(({ field }) => sets.includes(field));
      const assignments = set.map(({ name }) => `${name} = excluded.${name}`).join(', ');
      const conflict = `ON CONFLICT (account, live, ${namesOf(keyOf(table))}) DO UPDATE SET ${assignments}`;
      return [`${text} ${conflict}`, columns];
    });

  const deleteFrom = (table: Table) =>
    statement(`delete ${table}`, () => [`DELETE FROM ${table} WHERE ${isRow(table, 1)}`, keyOf(table)]);

  return {
    insert: (tenant: Tenant, table: Table, row: AnyRow): void => run(insertInto(table, []), tenant, row),

    change(tenant: Tenant, { table, gone, put, sets }: RowChange): void {
      for (const row of gone) run(deleteFrom(table), tenant, row);
      for (const row of put) run(insertInto(table, sets), tenant, row);
    },

    /**
     * Sets only the fields that differ from those before: SQLite writes an index anew whenever a column of it is named
     * in an UPDATE, even with the value it had, and each index is one more page in the log. (Measured: naming all costs a
     * third of the rate.)
     */
    update(tenant: Tenant, table: Table, row: AnyRow, before: AnyRow): void {
      let name = `update ${table}`;
      for (const field in row) if (row[field] !== before[field]) name += ` ${field}`;
      const update = statement(name, () => {
        const set = columnsOf(table).filter(({ field, isKey }) => !isKey && row[field] !== before[field]);
        const assignments = set.map((column, index) => `${column.name} = ?${index + 3}`).join(', ');
        const columns = [...set, ...keyOf(table)];
        return [`UPDATE ${table} SET ${assignments} WHERE ${isRow(table, set.length + 1)}`, columns];
      });
      run(update, tenant, row);
    },
  };
}

const isOfTenant = ({ name }: Column) => name === 'account' || name === 'live';
const columnsOf = (table: Table) => (schema[table] ?? []).filter((column) => !isOfTenant(column));
const keyOf = (table: Table) => columnsOf(table).filter(({ isKey }) => isKey);
const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name).join(', ');

/** The condition that finds a row by its key; account and live are the first values. */
function isRow(table: Table, first: number): string {
  const key = keyOf(table).map(({ name }, index) => ` AND ${name} = ?${first + index + 2}`);
  return `account = ?1 AND live = ?2${key.join('')}`;
}
