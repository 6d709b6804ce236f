import type { Scope } from '../../checkout/session.ts';
import type { EventRow, FeedEvent, Page } from '../store.ts';
import type { Feed } from './feed.ts';
import type { Pool } from './pool.ts';
import { type EventColumns, eventColumns, eventFrom, tenantOf, textArray } from './rows.ts';

export function eventReader(pool: Pool, feed: Feed) {
  return {
    async read(scope: Scope, id: string): Promise<EventRow | null> {
      const [account, live] = tenantOf(scope);
      const [row] = await pool.read(
        (sql) => sql<EventColumns[]>`
          SELECT ${sql.unsafe(eventColumns)} FROM event
          WHERE account = ${account} AND live = ${live} AND id = ${id}`,
      );
      return row ? eventFrom(row) : null;
    },

    async list(
      scope: Scope,
      types: readonly string[] | undefined,
      after: number,
      limit: number,
    ): Promise<Page<FeedEvent>> {
      const [account, live] = tenantOf(scope);
      await feed.extend(scope);
      const rows = await pool.search(
        (sql) => sql<Array<EventColumns & { position: number }>>`
          SELECT ${sql.unsafe(eventColumns)}, position
          FROM feed JOIN event ON event.account = ${account} AND event.live = ${live} AND event.id = feed.event
          WHERE feed.account = ${account} AND feed.live = ${live} AND position > ${after}
            ${types ? sql`AND type = ANY (${textArray(types)}::text[])` : sql``}
          ORDER BY position LIMIT ${limit + 1}`,
      );
      return {
        rows: rows.slice(0, limit).map((row) => ({ ...eventFrom(row), position: row.position })),
        hasMore: rows.length > limit,
      };
    },

    /** The events of a session, newest first, from the one before `beforeEvent`. */
    async timeline(
      scope: Scope,
      checkout: string,
      beforeEvent: string | null,
      limit: number,
    ): Promise<Page<EventRow>> {
      const [account, live] = tenantOf(scope);
      const rows = await pool.search(
        (sql) => sql<EventColumns[]>`
          SELECT ${sql.unsafe(eventColumns)} FROM event
          WHERE account = ${account} AND live = ${live} AND subject = ${checkout}
            ${
              beforeEvent === null
                ? sql``
                : sql`AND sequence < (
                    SELECT sequence FROM event AS edge
                    WHERE edge.account = ${account} AND edge.live = ${live} AND edge.id = ${beforeEvent}
                      AND edge.subject = ${checkout})`
            }
          ORDER BY sequence DESC LIMIT ${limit + 1}`,
      );
      return { rows: rows.slice(0, limit).map(eventFrom), hasMore: rows.length > limit };
    },
  };
}
