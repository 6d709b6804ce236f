/** What is not kept for ever: deliveries that have ended, and events from the front of the feed. */
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import type { Pool } from './pool.ts';
import { tenantColumns, tenantOf, textArray } from './rows.ts';

const BATCH = 1000;

export function retention(pool: Pool) {
  return {
    async tenantsWithOld(what: 'deliveries' | 'events', createdBeforeMs: number): Promise<Tenant[]> {
      const table = what === 'events' ? 'event' : 'delivery';
      const first = firstIdAt(what === 'events' ? 'evt' : 'whd', createdBeforeMs);
      const rows = await pool.lookOut(
        (sql) => sql<Array<{ account: number; live: boolean }>>`
          SELECT number AS account, true AS live FROM account
          WHERE EXISTS (SELECT 1 FROM ${sql(table)} WHERE account = number AND live AND id < ${first})
          UNION ALL
          SELECT number, false FROM account
          WHERE EXISTS (SELECT 1 FROM ${sql(table)} WHERE account = number AND NOT live AND id < ${first})`,
      );
      return rows.map(({ account, live }) => tenantOf(account, live));
    },

    async purgeDeliveries(tenant: Tenant, createdBeforeMs: number): Promise<number> {
      const [account, live] = tenantColumns(tenant);
      const first = firstIdAt('whd', createdBeforeMs);
      const [row] = await pool.write(
        (sql) => sql<Array<{ removed: number }>>`
          WITH old AS MATERIALIZED (
            SELECT id FROM delivery
            WHERE account = ${account} AND live = ${live} AND id < ${first} AND state <> 'pending'
            -- Whatever somebody else has in hand: another process removes it, or it is about to be sent again.
            ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
          ), attempts AS (
            DELETE FROM delivery_attempt USING old
            WHERE account = ${account} AND live = ${live} AND delivery = old.id
          ), receivers AS (
            -- Those that nobody has asked for since: of the others it is still known how they fare.
            DELETE FROM webhook_receiver
            WHERE account = ${account} AND live = ${live} AND NOT EXISTS (
              SELECT 1 FROM delivery
              WHERE delivery.account = ${account} AND delivery.live = ${live}
                AND receiver = webhook_receiver.id AND delivery.id >= ${first}
            ) AND NOT EXISTS (
              SELECT 1 FROM delivery
              WHERE delivery.account = ${account} AND delivery.live = ${live}
                AND receiver = webhook_receiver.id AND state = 'pending')
          ), deliveries AS (
            DELETE FROM delivery USING old
            WHERE account = ${account} AND live = ${live} AND delivery.id = old.id
            RETURNING delivery.id
          )
          SELECT count(*) AS removed FROM deliveries`,
      );
      return row?.removed ?? 0;
    },

    /** In the order of the feed up to the first that stays: one that is young, or still on its way. */
    async purgeEvents(tenant: Tenant, createdBeforeMs: number): Promise<number> {
      const [account, live] = tenantColumns(tenant);
      return pool.transaction(async ({ sql, commit }) => {
        const [, oldest] = await Promise.all([
          // Whoever numbers events, or removes them, waits here.
          sql`SELECT 1 FROM feed_end WHERE account = ${account} AND live = ${live} FOR UPDATE`.execute(),
          sql<Array<{ position: number; event: string; goes: boolean }>>`
            SELECT position, event, created_at < ${createdBeforeMs} AND NOT EXISTS (
              SELECT 1 FROM delivery
              WHERE delivery.account = ${account} AND delivery.live = ${live} AND delivery.event = feed.event
            ) AS goes
            FROM feed JOIN event
              ON event.account = ${account} AND event.live = ${live} AND event.id = feed.event
            WHERE feed.account = ${account} AND feed.live = ${live} ORDER BY position LIMIT ${BATCH}`.execute(),
        ]);
        const stays = oldest.findIndex(({ goes }) => !goes);
        const going = stays < 0 ? oldest : oldest.slice(0, stays);
        const last = going.at(-1);
        if (!last) {
          await commit([]);
          return 0;
        }
        const ids = textArray(going.map(({ event }) => event));
        await commit([
          sql`DELETE FROM feed WHERE account = ${account} AND live = ${live} AND position <= ${last.position}`,
          sql`DELETE FROM event WHERE account = ${account} AND live = ${live} AND id = ANY (${ids}::text[])`,
          sql`INSERT INTO feed_start VALUES (${account}, ${live}, ${last.position})
              ON CONFLICT (account, live) DO UPDATE SET position = excluded.position`,
        ]);
        return going.length;
      });
    },

    /** Position of the last event that is no longer kept; 0 where all are. */
    async feedStart(tenant: Tenant): Promise<number> {
      const [account, live] = tenantColumns(tenant);
      const [row] = await pool.read(
        (sql) => sql<Array<{ position: number }>>`
          SELECT position FROM feed_start WHERE account = ${account} AND live = ${live}`,
      );
      return row?.position ?? 0;
    },
  };
}
