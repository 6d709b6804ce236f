/** Where the feed of an account and mode ends. */
import type { DatabaseSync } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import { liveOf } from './rows.ts';

export function feedEndReader(database: DatabaseSync): (tenant: Tenant) => number {
  // Where all events are too old to be kept, it ends where it begins.
  const end = database.prepare(
    `SELECT max(
       coalesce((SELECT max(position) FROM event WHERE account = ?1 AND live = ?2), 0),
       coalesce((SELECT position FROM feed_start WHERE account = ?1 AND live = ?2), 0)
     ) AS position`,
  );
  return (tenant) => end.get(tenant.account, liveOf(tenant))?.position as number;
}
