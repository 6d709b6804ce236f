/**
 * A new database has no statistics, and all indexes of a table begin with the same columns, so the planner cannot tell
 * which of them finds a row; what it has chosen it keeps to. Autovacuum comes by after a minute, in which a burst of
 * changes can become a hundred times as slow, and fetches too. So whoever fills a young database counts, and has it
 * analysed in time, and a start has it done where it never was, as behind a restore.
 */
import type { Writes } from '../store.ts';
import { schemaOf } from '../tables.ts';
import type { Pool } from './pool.ts';

const ANALYSE_AFTER = [300, 3_000, 30_000];

const tables = Object.keys(schemaOf('postgres')).join(', ');

/** Rows of the sessions' table, and if it has some that nobody has counted; `reltuples` is negative then. */
const counted = (tuples: string, size: string, from: string): string => `
  SELECT coalesce(sum(greatest(${tuples}, 0)), 0)::float8 AS rows,
    coalesce(bool_or(${tuples} < 0 AND ${size} > 0), false) AS "isUnknown" FROM ${from}`;

const ofTable = counted('reltuples', 'pg_relation_size(oid)', "pg_class WHERE oid = 'checkout'::regclass");

/** In shards: the table of the same name is empty. */
const ofShards = counted(
  'tuples',
  'size',
  `(SELECT (result::json ->> 0)::float8 AS tuples, (result::json ->> 1)::bigint AS size
    FROM run_command_on_shards('checkout',
      'SELECT json_build_array(reltuples, pg_relation_size(oid)) FROM pg_class WHERE oid = ''%s''::regclass')
    WHERE success) AS shard`,
);

/** Rows in that table of which a unit of work writes most: a statement of the bank is one unit, and has thousands. */
const mostRowsOf = (writes: Writes): number =>
  Math.max(1, ...Object.values(writes).map((rows) => (Array.isArray(rows) ? rows.length : 1)));

export function createStatistics(pool: Pool, inShards: boolean) {
  let changes = 0;
  let next = 0;

  function analyse(): void {
    // If it fails, autovacuum will come.
    void pool
      .transaction(null, ({ sql, commit }) => commit([sql.unsafe(`ANALYZE ${tables}`)]))
      .catch(() => {});
  }

  return {
    /** Finds out how much there is already. */
    async start(): Promise<void> {
      const [row] = await pool.read(null, (sql) => sql.unsafe(inShards ? ofShards : ofTable));
      changes = row?.rows ?? 0;
      next = ANALYSE_AFTER.filter((count) => count <= changes).length;
      if (row?.isUnknown) analyse();
    },

    /** To be called after each commit. */
    changed(writes: readonly Writes[]): void {
      for (const each of writes) changes += mostRowsOf(each);
      if (changes < (ANALYSE_AFTER[next] ?? Number.POSITIVE_INFINITY)) return;
      next++;
      analyse();
    },
  };
}
