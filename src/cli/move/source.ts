/** The SQLite database that a move reads, in small pieces beside a server that goes on writing. */
import { hash } from 'node:crypto';
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { UnusableDatabase } from '../../store/errors.ts';
import { openForReading } from '../../store/sqlite/file.ts';
import { refuseOther } from '../../store/sqlite/migrate.ts';

export type SourceRow = Record<string, SQLOutputValue>;
/** The tenant of a row, as SQLite has it. */
export type SourceTenant = { readonly account: number; readonly live: number };

export type Source = ReturnType<typeof openSource>;

export function openSource(path: string, open = openForReading) {
  const database = open(path);
  try {
    refuseOther(database, path);
  } catch (error) {
    database.close();
    throw error;
  }
  return sourceOn(database, path);
}

function sourceOn(database: DatabaseSync, path: string) {
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  /**
   * Reads all rows at once: each query is a short transaction of its own, and holds up no checkpoint. The columns of `R`
   * are those that the query selects: here rows become typed.
   */
  function all<R extends object = SourceRow>(query: string, ...values: SQLInputValue[]): R[] {
    const statement = prepared.get(query) ?? database.prepare(query);
    prepared.set(query, statement);
    return statement.all(...values) as R[];
  }

  const number = (query: string, ...values: SQLInputValue[]): number => {
    const [row] = all(query, ...values);
    return Number(Object.values(row ?? {})[0] ?? 0);
  };

  return {
    path,
    all,
    number,
    /** The newest line of the audit log, a table whose rows stay where they are. */
    newestAudit: (): number => number('SELECT max(rowid) FROM audit'),

    /**
     * Identifies this database: no other was created in the same millisecond. Names and secrets may change between two
     * runs of a move.
     */
    identity(): string {
      const [first] = all('SELECT * FROM account ORDER BY number LIMIT 1');
      if (!first)
        throw new UnusableDatabase(`the database ${path} has no account yet; there is nothing to move`);
      return hash('sha256', `${first.number} ${first.created_at}`);
    },

    /** The line of the audit log that was read last; it differs if the file was replaced by an older copy. */
    lineOfAudit(rowid: number): string {
      return hash('sha256', JSON.stringify(all('SELECT * FROM audit WHERE rowid = ?', rowid)));
    },

    close: () => database.close(),
  };
}
