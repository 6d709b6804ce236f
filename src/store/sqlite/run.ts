/** Runs what is written for both databases on SQLite, with what it takes for true and false turned into booleans. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { createLru } from '../../lib/lru.ts';
import { hashOfBody } from '../redact.ts';
import { type Ended, lengthOf, type Read } from '../resources/read.ts';
import { type Sql, type Value, valuesOf, written } from '../sql.ts';
import { runSteps, type Steps } from '../steps.ts';
import { booleanFields } from '../tables.ts';

/** Statements that are kept ready; of some lists there are more forms than that. */
const MAX_STATEMENTS = 200;

export type Runner = ReturnType<typeof runner>;

type Prepared = { readonly statement: StatementSync; readonly columns: readonly ColumnOfRow[] };

export function runner(database: DatabaseSync) {
  database.function('hash_of_body', { deterministic: true }, (body) => hashOfBody(String(body)));
  const prepared = createLru<string, Prepared>({ most: MAX_STATEMENTS });

  function prepare(text: string): Prepared {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    const columns = statement.columns().map(({ name }) => ({ name, isBoolean: booleanFields.has(name) }));
    const ready = { statement, columns };
    prepared.set(text, ready);
    return ready;
  }

  const forms = new Map<string, Prepared>();

  /** Statement, ready to be run; of a form that is known only the values are written. */
  function ready(sql: Sql, form: string | undefined): readonly [Prepared, SQLInputValue[]] {
    const known = form === undefined ? undefined : forms.get(form);
    if (known !== undefined) return [known, bindable(valuesOf(sql, 'sqlite'))];
    const { text, values } = onSqlite(sql);
    const prepared = prepare(text);
    if (form !== undefined) forms.set(form, prepared);
    return [prepared, values];
  }

  return {
    read<T>({ sql, from, form }: Read<T>): T {
      const [prepared, values] = ready(sql, form);
      return from(rowsOf(prepared, values, sql.most));
    },

    rows: (text: string, values: SQLInputValue[], most?: number): object[] =>
      rowsOf(prepare(text), values, most),

    /** The same, each read when it is asked for. */
    each: (text: string, values: SQLInputValue[]): Generator<object> => oneByOne(prepare(text), values),

    /** Runs work of several statements in the transaction that is open. */
    steps: <T>(steps: Steps<T>): T =>
      runSteps(steps, (sql) => {
        const { text, values } = onSqlite(sql);
        return text === '' ? [] : rowsOf(prepare(text), values, sql.most);
      }),

    /** Runs a statement that writes; returns how many rows it has changed. */
    change(sql: Sql): number {
      const { text, values } = onSqlite(sql);
      return Number(prepare(text).statement.run(...values).changes);
    },
  };
}

type ColumnOfRow = { readonly name: string; readonly isBoolean: boolean };

/**
 * Rows as objects made here, of arrays: those of `node:sqlite` have no prototype, and what is made of them takes half as
 * long again (measured with events).
 */
function rowsOf(prepared: Prepared, values: SQLInputValue[], most?: number): object[] {
  if (most !== undefined) return ended(oneByOne(prepared, values), most);
  const found = prepared.statement.all(...values) as unknown as SQLOutputValue[][];
  return found.map((cells) => rowOf(prepared.columns, cells));
}

/**
 * Rows, each read when it is asked for. Node.js leaves a statement that fails on the way as it is: its next run would begin
 * with the same error, whoever asks, and it would keep the log until then. So it is ended here.
 */
function* oneByOne({ statement, columns }: Prepared, values: SQLInputValue[]): Generator<object> {
  const found = statement.iterate(...values);
  try {
    for (const cells of found) yield rowOf(columns, cells as unknown as SQLOutputValue[]);
  } finally {
    found.return?.();
  }
}

/** Rows until they have so many bytes; the last one says whether others follow. */
function ended(found: Iterable<object>, most: number): object[] {
  const rows: Array<object & Ended> = [];
  let length = 0;
  for (const row of found) {
    const last = rows.at(-1);
    if (last !== undefined && length >= most) {
      rows[rows.length - 1] = { ...last, follows: true };
      break;
    }
    length += lengthOf(row);
    rows.push(row);
  }
  return rows;
}

function rowOf(columns: readonly ColumnOfRow[], cells: readonly SQLOutputValue[]) {
  const row: Record<string, SQLOutputValue | boolean> = {};
  for (let place = 0; place < columns.length; place++) {
    const { name, isBoolean } = columns[place] as ColumnOfRow;
    const cell = cells[place] as SQLOutputValue;
    row[name] = isBoolean ? cell === 1 : cell;
  }
  return row;
}

/** Statement as SQLite takes it. */
export function onSqlite(sql: Sql) {
  const { text, values } = written(sql, 'sqlite');
  return { text, values: bindable(values), most: sql.most };
}

/** Value as SQLite takes it, which has no booleans. */
const bindable = (values: readonly Value[]): SQLInputValue[] =>
  values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
