/** Removes what is not kept for ever: stored answers, deliveries that have ended, events from the front of the feed. */

import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import type { RealTime } from '../../lib/time.ts';
import { tenantOf } from '../resources/read.ts';
import { textArray } from '../sql.ts';
import type { Pool } from './pool.ts';
import { tenantColumns } from './run.ts';

const BATCH = 1000;

export function retention(pool: Pool) {
  return {
    async listTenants(what: 'deliveries' | 'events', createdBeforeMs: number): Promise<Tenant[]> {
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

    async purgeAnswers(createdBeforeMs: RealTime): Promise<number> {
      const places = await pool.lookOut(
        (sql) => sql<Array<{ account: number; live: boolean }>>`
          SELECT number AS account, true AS live FROM account WHERE EXISTS (
            SELECT 1 FROM idempotency WHERE account = number AND live AND created_at < ${createdBeforeMs})
          UNION ALL
          SELECT number, false FROM account WHERE EXISTS (
            SELECT 1 FROM idempotency WHERE account = number AND NOT live AND created_at < ${createdBeforeMs})`,
      );
      let removed = 0;
      for (const { account, live } of places) {
        const { count } = await pool.write(
          (sql) => sql`
            WITH old AS (
              SELECT idempotency_key, operation FROM idempotency
              WHERE account = ${account} AND live = ${live} AND created_at < ${createdBeforeMs}
              ORDER BY created_at LIMIT ${BATCH - removed}
            )
            DELETE FROM idempotency USING old
            WHERE account = ${account} AND live = ${live} AND idempotency.idempotency_key = old.idempotency_key
              AND idempotency.operation = old.operation`,
        );
        removed += count;
        if (removed >= BATCH) break;
      }
      return removed;
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
  };
}
