/** Statements on single rows, each prepared when it is first needed. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import { checksumOf, isCovered, type SummedTable } from '../checksum.ts';
import { type AnyRow, type Column, schemaOf, type TableIn } from '../tables.ts';
import type { RowChange } from '../writes.ts';

type Table = TableIn<'sqlite'>;
/** A statement, the columns whose values it takes behind the account and mode, and room for these. */
type Prepared = {
  readonly statement: StatementSync;
  readonly columns: readonly Column[];
  readonly values: SQLInputValue[];
};

/** The account and mode are those of the statement. */
const schema = new Map(
  Object.entries(schemaOf('sqlite')).map(([table, columns]) => [
    table,
    columns.filter(({ name }) => name !== 'account' && name !== 'live'),
  ]),
);
const columnsOf = (table: Table) => schema.get(table) ?? [];
const keyOf = (table: Table) => columnsOf(table).filter(({ isKey }) => isKey);
/** Made where a row is written, unless its writer knows more than the row says. */
const CHECKSUM = 'checksum';
const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name).join(', ');

/** Assigns values to the columns, or compares them; account and live are the first values. */
const eachIs = (columns: readonly Column[], first: number) =>
  columns.map(({ name }, index) => `${name} = ?${first + index + 2}`);
const isRow = (table: Table, first: number) =>
  ['account = ?1', 'live = ?2', ...eachIs(keyOf(table), first)].join(' AND ');

function insertText(table: Table, sets: readonly string[]): string {
  const columns = columnsOf(table);
  const marks = columns.map(() => '?').join(', ');
  const set = columns.filter(
    ({ field }) => sets.includes(field) || (field === CHECKSUM && isCovered(table, sets)),
  );
  const onConflict = `ON CONFLICT (account, live, ${namesOf(keyOf(table))})
    DO UPDATE SET ${set.map(({ name }) => `${name} = excluded.${name}`).join(', ')}`;
  return `INSERT INTO ${table} (account, live, ${namesOf(columns)}) VALUES (?, ?, ${marks})
    ${sets.length > 0 ? onConflict : ''}`;
}

/** The version is the last value. */
function updateText(table: Table, set: readonly Column[]): string {
  const isSame = `version = ?${set.length + keyOf(table).length + 3}`;
  return `UPDATE ${table} SET ${eachIs(set, 1).join(', ')} WHERE ${isRow(table, set.length + 1)} AND ${isSame}`;
}

export function rowStatements(database: DatabaseSync) {
  const inserts = new Map<Table | readonly string[], Prepared>();
  const deletes = new Map<Table, Prepared>();
  /** By the places of the columns that they set, as bits. */
  const updates = new Map<Table, Map<number, Prepared>>();

  function known<K>(all: Map<K, Prepared>, key: K, columns: () => readonly Column[], text: () => string) {
    const before = all.get(key);
    if (before !== undefined) return before;
    const taken = columns();
    const values = Array<SQLInputValue>(taken.length + 2).fill(null);
    const prepared = { statement: database.prepare(text()), columns: taken, values };
    all.set(key, prepared);
    return prepared;
  }

  /** Says how many rows it has changed. */
  function run(
    table: Table,
    { statement, columns, values }: Prepared,
    { account, mode }: Tenant,
    row: AnyRow,
  ): number {
    values[0] = account;
    values[1] = mode === 'live' ? 1 : 0;
    for (let place = 0; place < columns.length; place++) {
      const { field } = columns[place] as Column;
      const given = row[field] as SQLInputValue | boolean | undefined;
      const value = given === undefined && field === CHECKSUM ? checksumOf(table as SummedTable, row) : given;
      values[place + 2] = typeof value === 'boolean' ? Number(value) : (value as SQLInputValue);
    }
    return Number(statement.run(...values).changes);
  }

  function insert(tenant: Tenant, table: Table, row: AnyRow, sets: readonly string[] = []): void {
    // Each list of what is set is that of one table.
    const key = sets.length > 0 ? sets : table;
    const prepared = known(
      inserts,
      key,
      () => columnsOf(table),
      () => insertText(table, sets),
    );
    run(table, prepared, tenant, row);
  }

  function remove(tenant: Tenant, table: Table, row: AnyRow): void {
    const text = () => `DELETE FROM ${table} WHERE ${isRow(table, 1)}`;
    run(
      table,
      known(deletes, table, () => keyOf(table), text),
      tenant,
      row,
    );
  }

  return {
    insert,

    change(tenant: Tenant, { table, gone, put, sets }: RowChange): void {
      for (const row of gone) remove(tenant, table, row);
      for (const row of put) insert(tenant, table, row, sets);
    },

    /**
     * Sets only the fields that differ from those before: SQLite writes an index anew whenever a column of it is named
     * in an UPDATE, even with the value it had, and each index is one more page in the log. (Measured: naming all costs a
     * third of the rate.) False if the row has another version than that before; then nothing is changed.
     */
    update(tenant: Tenant, table: Table, row: AnyRow, before: AnyRow, version: number): boolean {
      const columns = columnsOf(table);
      const ofTable = updates.get(table) ?? new Map<number, Prepared>();
      updates.set(table, ofTable);
      let places = 0;
      for (let place = 0; place < columns.length; place++) {
        const { field, isKey } = columns[place] as Column;
        if (!isKey && row[field] !== before[field]) places |= 1 << place;
      }
      const set = () => columns.filter((_, place) => places & (1 << place));
      const prepared = known(
        ofTable,
        places,
        () => [...set(), ...keyOf(table)],
        () => updateText(table, set()),
      );
      prepared.values[prepared.columns.length + 2] = version;
      return run(table, prepared, tenant, row) === 1;
    },
  };
}
