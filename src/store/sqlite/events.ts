import type { DatabaseSync } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import type { EventRow, FeedEvent } from '../../events/event.ts';
import { feedPage, lookEnd } from '../feed-look.ts';
import type { FeedPage, Page } from '../store.ts';
import { eventFrom, liveOf, type Row } from './rows.ts';

const columns = 'id, type, subject, sequence, created_at, body';

export type EventReader = ReturnType<typeof eventReader>;

export function eventReader(database: DatabaseSync) {
  const byId = database.prepare(`SELECT ${columns} FROM event WHERE account = ? AND live = ? AND id = ?`);
  const feed = database.prepare(
    `SELECT position, ${columns} FROM event
     WHERE account = ? AND live = ? AND position > ? ORDER BY position LIMIT ?`,
  );
  const feedOfTypes = database.prepare(
    `SELECT position, ${columns} FROM event
     WHERE account = ? AND live = ? AND position > ? AND position <= ?
       AND type IN (SELECT value FROM json_each(?))
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
    'SELECT previous FROM event WHERE account = ? AND live = ? AND id = ? AND subject = ?',
  );
  const feedEventFrom = (row: Row): FeedEvent => ({ ...eventFrom(row), position: row.position as number });

  return {
    read(tenant: Tenant, id: string): EventRow | null {
      const row = byId.get(tenant.account, liveOf(tenant), id);
      return row === undefined ? null : eventFrom(row as Row);
    },

    list(tenant: Tenant, after: number, limit: number): FeedPage {
      const rows = feed.all(tenant.account, liveOf(tenant), after, limit + 1).map(feedEventFrom);
      const lookedTo = rows.at(-1)?.position ?? after;
      return feedPage(rows, limit, { lookedTo, end: lookedTo });
    },

    /** From a feed that has what comes behind `begin`, and ends at `end`. */
    listOfTypes(
      tenant: Tenant,
      types: readonly string[],
      { begin, end }: { begin: number; end: number },
      limit: number,
    ): FeedPage {
      const { account } = tenant;
      const lookedTo = lookEnd(begin, end);
      const rows = feedOfTypes
        .all(account, liveOf(tenant), begin, lookedTo, JSON.stringify(types), limit + 1)
        .map(feedEventFrom);
      return feedPage(rows, limit, { lookedTo, end });
    },

    /** The events of a session, newest first, from the one before `beforeEvent`. */
    timeline(tenant: Tenant, checkout: string, beforeEvent: string | null, limit: number): Page<EventRow> {
      const { account } = tenant;
      const live = liveOf(tenant);
      const start =
        beforeEvent === null
          ? newest.get(account, live, checkout)?.last_event
          : before.get(account, live, beforeEvent, checkout)?.previous;
      const rows = start ? history.all(account, live, start, limit + 1) : [];
      return {
        rows: rows.slice(0, limit).map((row) => eventFrom(row as Row)),
        hasMore: rows.length > limit,
      };
    },
  };
}
