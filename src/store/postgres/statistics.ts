/**
 * A new database has no statistics, and all indexes of a table begin with the same columns, so the planner cannot tell
 * which of them finds a row; what it has chosen it keeps to. Autovacuum comes by after a minute, in which a burst of
 * changes can become a hundred times as slow, and fetches too. So whoever fills a young database counts, and has it
 * analysed in time, and a start has it done where it never was, as behind a restore.
 */
import { schemaOf } from '../tables.ts';
import type { Pool } from './pool.ts';

const ANALYSE_AFTER = [300, 3_000, 30_000];

const tables = Object.keys(schemaOf('postgres')).join(', ');

export function createStatistics(pool: Pool) {
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
      const [row] = await pool.read(
        null,
        (sql) => sql`
          SELECT reltuples, reltuples < 0 AND pg_relation_size(oid) > 0 AS "isUnknown"
          FROM pg_class WHERE oid = 'checkout'::regclass`,
      );
      changes = Math.max(0, row?.reltuples ?? 0);
      next = ANALYSE_AFTER.filter((count) => count <= changes).length;
      if (row?.isUnknown) analyse();
    },

    /** To be called after each commit. */
    changed(count: number): void {
      changes += count;
      if (changes < (ANALYSE_AFTER[next] ?? Number.POSITIVE_INFINITY)) return;
      next++;
      analyse();
    },
  };
}
