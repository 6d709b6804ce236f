/** Removes what is not kept for ever: stored answers, deliveries that have ended, events from the front of the feed. */

import type { DatabaseSync } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import type { RealTime } from '../../lib/time.ts';
import { liveOf } from './rows.ts';
import { inTransaction } from './transaction.ts';

const BATCH = 1000;

export function retention(database: DatabaseSync) {
  const endedBefore = `
    SELECT id FROM delivery WHERE account = ?1 AND live = ?2 AND id < ?3 AND state <> 'pending'
    ORDER BY id LIMIT ${BATCH}`;
  const deleteAttempts = database.prepare(
    `DELETE FROM delivery_attempt WHERE account = ?1 AND live = ?2 AND delivery IN (${endedBefore})`,
  );
  const deleteDeliveries = database.prepare(
    `DELETE FROM delivery WHERE account = ?1 AND live = ?2 AND id IN (${endedBefore})`,
  );
  // Those that nobody has asked for since: of the others it is still known how they fare.
  const deleteReceivers = database.prepare(
    `DELETE FROM webhook_receiver
     WHERE account = ?1 AND live = ?2 AND NOT EXISTS (
       SELECT 1 FROM delivery
       WHERE delivery.account = ?1 AND delivery.live = ?2 AND receiver = webhook_receiver.id AND delivery.id >= ?3
     ) AND NOT EXISTS (
       SELECT 1 FROM delivery
       WHERE delivery.account = ?1 AND delivery.live = ?2 AND receiver = webhook_receiver.id AND state = 'pending')`,
  );
  // In the order of the feed up to the first that stays: one that is young, or still on its way.
  const lastToGo = database.prepare(
    `WITH oldest AS (
       SELECT position, created_at < ?3 AND NOT EXISTS (
         SELECT 1 FROM delivery
         WHERE delivery.account = ?1 AND delivery.live = ?2 AND delivery.event = event.id
       ) AS goes
       FROM event WHERE account = ?1 AND live = ?2 ORDER BY position LIMIT ${BATCH}
     )
     SELECT max(position) AS position FROM oldest
     WHERE position < coalesce((SELECT min(position) FROM oldest WHERE NOT goes), position + 1)`,
  );
  const deleteEvents = database.prepare('DELETE FROM event WHERE account = ? AND live = ? AND position <= ?');
  const setStart = database.prepare('REPLACE INTO feed_start VALUES (?, ?, ?)');

  // The oldest are the first; looking further would read the whole table each time that there is little to forget.
  const deleteAnswers = database.prepare(
    `DELETE FROM idempotency
     WHERE created_at < ? AND rowid IN (SELECT rowid FROM idempotency ORDER BY rowid LIMIT ${BATCH})`,
  );

  return {
    purgeAnswers: (createdBeforeMs: RealTime): number => Number(deleteAnswers.run(createdBeforeMs).changes),

    purgeDeliveries(tenant: Tenant, createdBeforeMs: number): number {
      const tenantKey = [tenant.account, liveOf(tenant)] as const;
      const values = [...tenantKey, firstIdAt('whd', createdBeforeMs)] as const;
      return inTransaction(database, () => {
        deleteReceivers.run(...values);
        deleteAttempts.run(...values);
        return Number(deleteDeliveries.run(...values).changes);
      });
    },

    purgeEvents(tenant: Tenant, createdBeforeMs: number): number {
      const tenantKey = [tenant.account, liveOf(tenant)] as const;
      return inTransaction(database, () => {
        const last = lastToGo.get(...tenantKey, createdBeforeMs)?.position;
        if (typeof last !== 'number') return 0;
        setStart.run(...tenantKey, last);
        return Number(deleteEvents.run(...tenantKey, last).changes);
      });
    },
  };
}
