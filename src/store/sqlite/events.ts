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
  const history = database.prepare(
    `WITH RECURSIVE chain (at, step) AS (
       SELECT ?3, 1
       UNION ALL
       SELECT event.previous, step + 1 FROM chain
         JOIN event ON event.account = ?1 AND event.live = ?2 AND event.position = chain.at
         WHERE step < ?4
     )
     SELECT ${columns} FROM chain
       JOIN event ON event.account = ?1 AND event.live = ?2 AND event.position = chain.at
     ORDER BY position DESC`,
  );
  const newest = database.prepare(
    'SELECT last_event FROM checkout WHERE account = ? AND live = ? AND id = ?',
  );
  const before = database.prepare(
    'SELECT previous FROM event WHERE account = ? AND live = ? AND position = ? AND checkout = ?',
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

    /** The events of a session, newest first, from the one before `beforePosition`. */
    timeline(
      scope: Scope,
      checkout: string,
      beforePosition: number | null,
      limit: number,
    ): Page<StoredEvent> {
      const { account } = scope;
      const live = liveOf(scope);
      const start =
        beforePosition === null
          ? newest.get(account, live, checkout)?.last_event
          : before.get(account, live, beforePosition, checkout)?.previous;
      return page(start ? history.all(account, live, start, limit + 1) : [], limit);
    },
  };
}
