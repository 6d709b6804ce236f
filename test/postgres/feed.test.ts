/** Feeds of which very many events have no numbers yet, as of a database that nobody served for long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removal } from '../../src/store/postgres/feed.ts';
import { openTables } from '../cluster/cluster.ts';
import { rowsByIndex } from '../support/explain.ts';
import { migratedDatabase } from '../support/postgres.ts';

test('events that have got their numbers are removed without a look at the others that wait', async (t) => {
  const sql = openTables(t, await migratedDatabase(t));
  await sql`INSERT INTO feed_waiting (account, live, subject, sequence, event)
    SELECT 1, false, 'chk_' || (10000 + number), 1, 'evt_' || (10000 + number) FROM generate_series(1, 20000) AS number`;
  const found = await sql<{ readonly subject: string; readonly sequence: number; readonly event: string }[]>`
    SELECT subject, sequence, event FROM feed_waiting ORDER BY subject, sequence LIMIT 500`;
  const rows = await rowsByIndex(
    { query: (text) => sql.unsafe(text) },
    { sql: removal({ account: 1, mode: 'test' }, found) },
  );
  assert.deepEqual([...rows], [['feed_waiting_pkey', 500]]);
  const [left] = await sql`SELECT count(*)::int AS count, min(subject) AS next FROM feed_waiting`;
  assert.deepEqual({ ...left }, { count: 19_500, next: 'chk_10501' });
});
