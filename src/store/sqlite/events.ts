import type { DatabaseSync } from 'node:sqlite';
import type { Scope } from '../../checkout/session.ts';
import type { Page, StoredEvent } from '../store.ts';
import { eventFrom, liveOf, type Row } from './rows.ts';

const columns = 'id, position, type, checkout, sequence, created_at, body';

export type EventReader = ReturnType<typeof eventReader>;

export function eventReader(database: DatabaseSync) {
  const byId = database.prepare(`SELECT ${columns} FROM event WHERE account = ? AND live = ? AND id = ?`);
  const feed = database.prepare(
    `SELECT ${columns} FROM event WHERE account = ? AND live = ? AND position > ? ORDER BY position LIMIT ?`,
  );
  const feedOfTypes = database.prepare(
    `SELECT ${columns} FROM event
     WHERE account = ? AND live = ? AND position > ? AND type IN (SELECT value FROM json_each(?))
     ORDER BY position LIMIT ?`,
  );
  const ofCheckout = database.prepare(
    `SELECT ${columns} FROM event
     WHERE account = ? AND live = ? AND checkout = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
  );
  const page = (rows: unknown[], limit: number): Page<StoredEvent> => ({
    rows: rows.slice(0, limit).map((row) => eventFrom(row as Row)),
    hasMore: rows.length > limit,
  });

  return {
    read(scope: Scope, id: string): StoredEvent | null {
      const row = byId.get(scope.account, liveOf(scope), id);
      return row === undefined ? null : eventFrom(row as Row);
    },

    list(
      scope: Scope,
      types: readonly string[] | undefined,
      after: number,
      limit: number,
    ): Page<StoredEvent> {
      const { account } = scope;
      const live = liveOf(scope);
      const rows = types
        ? feedOfTypes.all(account, live, after, JSON.stringify(types), limit + 1)
        : feed.all(account, live, after, limit + 1);
      return page(rows, limit);
    },

    timeline(scope: Scope, checkout: string, afterSequence: number, limit: number): Page<StoredEvent> {
      return page(ofCheckout.all(scope.account, liveOf(scope), checkout, afterSequence, limit + 1), limit);
    },
  };
}
