/**
 * Changes of rows, made of what a unit writes: once for both databases, which only execute them. What is here is about
 * rows in general; each resource says beside its reads which rows it has.
 */
import { type AnyRow, type AnyTable, columnsOf, keyOf, type Row, type Table } from './tables.ts';

/** A row that is put in the place of the one with its key, or one that goes. */
export type Edit = { readonly put: AnyRow } | { readonly gone: AnyRow };

/** A write: the table of values of a kind, and the changes of rows that they come to. */
export type Write<V, T extends AnyTable = Table> = {
  readonly table: T;
  readonly editsOf: (value: V) => readonly Edit[];
  /** Fields that are set where there is a row with the key already; without any, such a row is an error. */
  readonly sets: readonly string[];
  /** A unique field beside the key: many rows are written in its order, so that two batches meet in one direction only. */
  readonly by: string | null;
};

/** Changes of a table, as a database executes them: what goes first, then what is put. */
export type RowChange<T extends AnyTable = Table> = {
  readonly table: T;
  readonly gone: readonly AnyRow[];
  readonly put: readonly AnyRow[];
} & Pick<Write<never>, 'sets' | 'by'>;

/** Options of a write, as in `Write`; `all` are those beside the key. */
export type How<T extends AnyTable> = {
  readonly sets?: 'all' | ReadonlyArray<keyof Row<T> & string>;
  readonly by?: keyof Row<T> & string;
};

/** Writes the rows, and removes those that go. */
export function writeOf<V, T extends AnyTable>(
  table: T,
  editsOf: (value: V) => readonly Edit[],
  { sets = [], by }: How<T>,
): Write<V, T> {
  const content = columnsOf(table).filter(({ isKey }) => !isKey);
  return { table, editsOf, sets: sets === 'all' ? content.map(({ field }) => field) : sets, by: by ?? null };
}

/** Writes a row for each value. */
export function rowOf<V, T extends AnyTable>(
  table: T,
  rowFrom: (value: V) => Row<T> & AnyRow,
  how: How<T> = {},
): Write<V, T> {
  return writeOf(table, (value: V) => [{ put: rowFrom(value) }], how);
}

/** Adds the change that several values come to, if any; of those that are about the same row the last counts. */
export function addChange<V, T extends AnyTable>(
  changes: RowChange<T>[],
  { table, editsOf, sets, by }: Write<V, T>,
  values: readonly V[],
): void {
  let edits = values.length === 1 ? editsOf(values[0] as V) : values.flatMap(editsOf);
  if (edits.length === 0) return;
  if (values.length > 1 && sets.length > 0) {
    const key = keyOf(table);
    edits = [...new Map(edits.map((edit) => [key('put' in edit ? edit.put : edit.gone), edit])).values()];
  }
  const put: AnyRow[] = [];
  const gone: AnyRow[] = [];
  for (const edit of edits) {
    if ('put' in edit) put.push(edit.put);
    else gone.push(edit.gone);
  }
  changes.push({ table, gone, put, sets, by });
}
