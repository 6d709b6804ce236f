/** Writes the log of requests, beside commits. */
import type { DatabaseSync } from 'node:sqlite';
import { requestRow } from '../resources/requests.ts';
import type { NewRequest } from '../store.ts';
import { rowStatements } from './statements.ts';
import { inTransaction } from './transaction.ts';

export function requestWriter(database: DatabaseSync): (entries: readonly NewRequest[]) => void {
  const { insert } = rowStatements(database);
  const waitMs = Number(database.prepare('PRAGMA busy_timeout').get()?.timeout);

  return (entries) => {
    // The thread that answers would wait for a lock of another program. A commit is worth that, and this is not.
    database.exec('PRAGMA busy_timeout = 0');
    try {
      inTransaction(database, () => {
        for (const { tenant, entry } of entries) insert(tenant, 'request_log', requestRow(entry));
      });
    } finally {
      database.exec(`PRAGMA busy_timeout = ${waitMs}`);
    }
  };
}
