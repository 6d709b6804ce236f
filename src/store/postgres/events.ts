import type { Tenant } from '../../checkout/tenant.ts';
import type { EventRow, FeedEvent } from '../../events/event.ts';
import { feedPage, lookEnd } from '../feed-look.ts';
import type { FeedPage, Page } from '../store.ts';
import type { Feed } from './feed.ts';
import type { Pool } from './pool.ts';
import { type EventColumns, eventColumns, eventFrom, tenantColumns, textArray } from './rows.ts';

export function eventReader(pool: Pool, feed: Feed) {
  /** One more than `limit`, if there are so many. */
  async function placed(
    tenant: Tenant,
    after: number,
    limit: number,
    wanted: { readonly types: readonly string[]; readonly lookedTo: number } | null,
  ): Promise<FeedEvent[]> {
    const [account, live] = tenantColumns(tenant);
    const rows = await pool.search(
      (sql) => sql<Array<EventColumns & { position: number }>>`
        SELECT ${sql.unsafe(eventColumns)}, position
        FROM feed JOIN event ON event.account = ${account} AND event.live = ${live} AND event.id = feed.event
        WHERE feed.account = ${account} AND feed.live = ${live} AND position > ${after}
          ${
            wanted === null
              ? sql``
              : sql`AND position <= ${wanted.lookedTo} AND type = ANY (${textArray(wanted.types)}::text[])`
          }
        ORDER BY position LIMIT ${limit + 1}`,
    );
    return rows.map((row) => ({ ...eventFrom(row), position: row.position }));
  }

  return {
    async read(tenant: Tenant, id: string): Promise<EventRow | null> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<EventColumns[]>`
          SELECT ${sql.unsafe(eventColumns)} FROM event
          WHERE account = ${account} AND live = ${live} AND id = ${id}`,
      );
      return row ? eventFrom(row) : null;
    },

    async list(tenant: Tenant, after: number, limit: number): Promise<FeedPage> {
      await feed.extend(tenant);
      const rows = await placed(tenant, after, limit, null);
      const lookedTo = rows.at(-1)?.position ?? after;
      return feedPage(rows, limit, { lookedTo, end: lookedTo });
    },

    /** From a feed that has what comes behind `begin`. */
    async listOfTypes(
      tenant: Tenant,
      types: readonly string[],
      begin: number,
      limit: number,
    ): Promise<FeedPage> {
      // The end comes first: what the feed has up to there is seen by the read behind it.
      const end = await feed.end(tenant);
      const lookedTo = lookEnd(begin, end);
      const rows = await placed(tenant, begin, limit, { types, lookedTo });
      return feedPage(rows, limit, { lookedTo, end });
    },

    /** The events of a session, newest first, from the one before `beforeEvent`. */
    async timeline(
      tenant: Tenant,
      checkout: string,
      beforeEvent: string | null,
      limit: number,
    ): Promise<Page<EventRow>> {
      const [account, live] = tenantColumns(tenant);
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
