/**
 * All indexes of a table begin with the same columns, so without statistics the planner cannot tell which of them finds
 * a row; what it has chosen for a table that was small it keeps to. Autovacuum comes by after a minute, in which a burst
 * of changes can become a hundred times as slow, and fetches too. So whoever changes much looks which tables have
 * outgrown their statistics, and has these analysed in time; a start does it too, as behind a restore.
 */
import type { Writes } from '../store.ts';
import { schemaOf } from '../tables.ts';
import type { Sql } from './connection.ts';
import type { Pool } from './pool.ts';

/** Changes of this process after which it looks for the first time; it looks again at ten times as many, and so on. */
const FIRST_LOOK_AFTER = 300;
const NEXT_LOOK = 10;
/** Bytes by which a table may grow beyond twice its size of then: so little is read as quickly in any way. */
const SLACK = 65_536;

const tables = Object.keys(schemaOf('postgres'));

/**
 * Names of the tables in a schema, or in any, that are more than twice as large as the planner has known since they were
 * last analysed or vacuumed, as a JSON array. A partition counts for its table, and so does a shard, whose name ends with a number. To
 * ask for a size waits for locks, so none is asked of tables that are not ours.
 */
const outgrownIn = (schema: string) => `
  SELECT coalesce(json_agg(DISTINCT name), '[]') FROM (
    SELECT part.oid, part.relpages,
      regexp_replace(coalesce(whole.relname, part.relname), '_[0-9]+$', '') AS name
    FROM pg_class AS part
      LEFT JOIN pg_inherits ON inhrelid = part.oid LEFT JOIN pg_class AS whole ON whole.oid = inhparent
    WHERE part.relkind = 'r' AND part.relnamespace ${schema}
  ) AS own
  WHERE CASE WHEN name IN (${tables.map((name) => `'${name}'`).join()})
    THEN pg_relation_size(oid) > ${SLACK} + 2 * relpages * current_setting('block_size')::bigint END`;

async function outgrownTables(sql: Sql, inShards: boolean): Promise<string[]> {
  // In shards, the tables of these names are empty on the coordinator.
  const rows = inShards
    ? await sql.unsafe('SELECT result::json AS names FROM run_command_on_all_nodes($1) WHERE success', [
        outgrownIn("<> 'pg_catalog'::regnamespace"),
      ])
    : await sql.unsafe(`SELECT (${outgrownIn('= current_schema()::regnamespace')}) AS names`);
  return [...new Set(rows.flatMap(({ names }) => names as string[]))];
}

/** Rows in that table of which a unit of work writes most: a statement of the bank is one unit, and has thousands. */
const mostRowsOf = (writes: Writes): number =>
  Math.max(1, ...Object.values(writes).map((rows) => (Array.isArray(rows) ? rows.length : 1)));

export function createStatistics(pool: Pool, inShards: boolean) {
  let changes = 0;
  let next = FIRST_LOOK_AFTER;
  let looking: Promise<unknown> = Promise.resolve();

  /** Has the tables analysed that need it, on a connection that nobody else waits for; if that fails, autovacuum will come. */
  function look(): void {
    looking = pool
      .transaction(null, async ({ sql, commit }) => {
        const names = await outgrownTables(sql, inShards);
        const analyses = names.length === 0 ? [] : [sql.unsafe(`ANALYZE ${names.join(', ')}`)];
        await commit(analyses);
      })
      .catch(() => {});
  }

  return {
    /** Looks at what others have filled. */
    start: look,

    /** To be called after each commit. */
    changed(writes: readonly Writes[]): void {
      for (const each of writes) changes += mostRowsOf(each);
      if (changes < next) return;
      next *= NEXT_LOOK;
      look();
    },

    /** Resolves when nothing is under way any more. */
    async stop(): Promise<void> {
      next = Number.POSITIVE_INFINITY;
      await looking;
    },
  };
}
