/** Runs what is written for both databases on SQLite, with what it takes for true and false turned into booleans. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Read } from '../reads/read.ts';
import { type Sql, written } from '../sql.ts';
import { booleanFields } from '../tables.ts';

/** Statements that are kept ready; of some lists there are more forms than that. */
const MAX_STATEMENTS = 200;

export type Runner = ReturnType<typeof runner>;

export function runner(database: DatabaseSync) {
  type Prepared = { readonly statement: StatementSync; readonly booleans: readonly string[] };
  const prepared = new LRUCache<string, Prepared>({ max: MAX_STATEMENTS });

  function prepare(text: string): Prepared {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    const booleans = statement.columns().flatMap(({ name }) => (booleanFields.has(name) ? [name] : []));
    const ready = { statement, booleans };
    prepared.set(text, ready);
    return ready;
  }

  return {
    read<T>({ sql, from }: Read<T>): T {
      const { text, values } = onSqlite(sql);
      const { statement, booleans } = prepare(text);
      const rows = statement.all(...values);
      for (const row of rows) for (const name of booleans) Object.assign(row, { [name]: row[name] === 1 });
      return from(rows);
    },

    /** Says how many rows it has changed. */
    change(sql: Sql): number {
      const { text, values } = onSqlite(sql);
      return Number(prepare(text).statement.run(...values).changes);
    },
  };
}

/** The statement as SQLite takes it: it has no booleans. */
export function onSqlite(sql: Sql): { readonly text: string; readonly values: SQLInputValue[] } {
  const { text, values } = written(sql, 'sqlite');
  const bindable: SQLInputValue[] = [];
  for (const value of values) bindable.push(typeof value === 'boolean' ? Number(value) : value);
  return { text, values: bindable };
}
