/** Writes the log of requests, beside commits. */
import { requestRow } from '../resources/requests.ts';
import type { NewRequest } from '../store.ts';
import type { Pool } from './pool.ts';
import { MOST_AS_VALUES, statementsOn } from './statements.ts';

/** Entries of one tenant in a transaction. In shards only so many rows of a statement go to their shard as they are. */
export async function addRequests(
  pool: Pool,
  entries: readonly NewRequest[],
  inShards: boolean,
): Promise<void> {
  const tenant = entries[0]?.tenant;
  if (tenant === undefined) return;
  if (entries.some((each) => each.tenant.account !== tenant.account || each.tenant.mode !== tenant.mode))
    throw new Error('entries that are written together must be of one tenant');
  const rows = entries.map(({ entry }) => requestRow(entry));
  const size = inShards ? MOST_AS_VALUES : rows.length;
  await pool.transaction(tenant, async ({ sql, commit }) => {
    const on = statementsOn(sql, tenant, inShards);
    const parts = Array.from({ length: Math.ceil(rows.length / size) }, (_, part) =>
      rows.slice(part * size, (part + 1) * size),
    );
    await commit(parts.flatMap((part) => on.insert('request_log', part)));
  });
}
