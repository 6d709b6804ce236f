/** Statements on single rows, each prepared when it is first needed. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import { checksumOf, isCovered, type SummedTable } from '../checksum.ts';
import { type RowsStatement, tableStatements } from '../statements.ts';
import type { AnyRow, Column, TableIn } from '../tables.ts';
import type { RowChange } from '../writes.ts';

type Table = TableIn<'sqlite'>;
/** A statement, the fields whose values it takes behind the account and mode, and room for these. */
type Prepared = {
  readonly statement: StatementSync;
  readonly fields: readonly string[];
  readonly values: SQLInputValue[];
  /** Checksum of rows that have one, and its place: it is made here, unless their writer knows more than the row says. */
  readonly summed: SummedTable | null;
  readonly checksumAt: number;
};

const statements = tableStatements<Table>('sqlite');
const CHECKSUM = 'checksum';

export function rowStatements(database: DatabaseSync) {
  const inserts = new Map<Table | readonly string[], Prepared>();
  const deletes = new Map<Table, Prepared>();
  const others = new Map<RowsStatement, Prepared>();
  /** Statements by the places of the columns that they set, as bits. */
  const updates = new Map<Table, Map<number, Prepared>>();

  function known<K>(all: Map<K, Prepared>, key: K, make: () => RowsStatement, table?: Table): Prepared {
    const before = all.get(key);
    if (before !== undefined) return before;
    const { columns, textFor } = make();
    const values = Array<SQLInputValue>(columns.length + 2).fill(null);
    const fields = columns.map(({ field }) => field);
    const summed = fields.includes(CHECKSUM) ? (table as SummedTable) : null;
    const checksumAt = fields.indexOf(CHECKSUM) + 2;
    const prepared = { statement: database.prepare(textFor('sqlite')), fields, values, summed, checksumAt };
    all.set(key, prepared);
    return prepared;
  }

  /** Runs a statement; returns how many rows it has changed. */
  function run(prepared: Prepared, { account, mode }: Tenant, row: AnyRow): number {
    const { statement, fields, values, summed, checksumAt } = prepared;
    values[0] = account;
    values[1] = mode === 'live' ? 1 : 0;
    for (let place = 0; place < fields.length; place++) {
      const value = row[fields[place] as string];
      values[place + 2] = typeof value === 'boolean' ? Number(value) : (value ?? null);
    }
    if (summed !== null && row.checksum === undefined) {
      values[checksumAt] = checksumOf(summed, row);
    }
    return Number(statement.run(...values).changes);
  }

  function insert(tenant: Tenant, table: Table, row: AnyRow, sets: readonly string[] = []): void {
    // Each list of what is set is that of one table.
    const key = sets.length > 0 ? sets : table;
    const make = () => statements.insert(table, isCovered(table, sets) ? [...sets, CHECKSUM] : sets);
    run(known(inserts, key, make, table), tenant, row);
  }

  return {
    insert,

    run(tenant: Tenant, statement: RowsStatement, rows: readonly AnyRow[]): void {
      for (const row of rows) {
        run(
          known(others, statement, () => statement),
          tenant,
          row,
        );
      }
    },

    change(tenant: Tenant, { table, gone, put, sets }: RowChange): void {
      for (const row of gone) {
        run(
          known(deletes, table, () => statements.remove(table)),
          tenant,
          row,
        );
      }
      for (const row of put) insert(tenant, table, row, sets);
    },

    /**
     * Sets only the fields that differ from those before: SQLite writes an index anew whenever a column of it is named
     * in an UPDATE, even with the value it had, and each index is one more page in the log. (Measured: naming all costs a
     * third of the rate.) False if the row has another version than that before; then nothing is changed.
     */
    update(tenant: Tenant, table: Table, row: AnyRow, before: AnyRow, version: number): boolean {
      const columns = statements.columnsOf(table);
      const ofTable = updates.get(table) ?? new Map<number, Prepared>();
      updates.set(table, ofTable);
      let places = 0;
      for (let place = 0; place < columns.length; place++) {
        const { field, isKey } = columns[place] as Column;
        if (!isKey && row[field] !== before[field]) places |= 1 << place;
      }
      const prepared = known(ofTable, places, () => {
        const set = columns.filter((_, place) => places & (1 << place));
        const key = columns.filter(({ isKey }) => isKey);
        // Behind all other values.
        const isSame = `AND version = $${set.length + key.length + 3}`;
        return statements.update(table, set, isSame);
      });
      prepared.values[prepared.fields.length + 2] = version;
      return run(prepared, tenant, row) === 1;
    },
  };
}
