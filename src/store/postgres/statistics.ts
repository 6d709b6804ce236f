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

const tables: ReadonlySet<string> = new Set(Object.keys(schemaOf('postgres')));

/**
 * Names of the tables in a schema, or in any, that are more than twice as large as when they were last analysed, if they
 * ever were, as a JSON array. A partition counts for its table, and so does a shard, whose name ends with a number.
 */
const outgrownIn = (schema: string) => `
  SELECT coalesce(json_agg(DISTINCT regexp_replace(coalesce(whole.relname, part.relname), '_[0-9]+$', '')), '[]')
  FROM pg_class AS part
    LEFT JOIN pg_inherits ON inhrelid = part.oid LEFT JOIN pg_class AS whole ON whole.oid = inhparent
  WHERE part.relkind = 'r' AND part.relnamespace ${schema}
    AND pg_relation_size(part.oid) > ${SLACK} + 2 * part.relpages * current_setting('block_size')::bigint`;

async function outgrownTables(sql: Sql, inShards: boolean): Promise<string[]> {
  // In shards, the tables of these names are empty on the coordinator.
  const rows = inShards
    ? await sql.unsafe('SELECT result::json AS names FROM run_command_on_all_nodes($1) WHERE success', [
        outgrownIn("<> 'pg_catalog'::regnamespace"),
      ])
    : await sql.unsafe(`SELECT (${outgrownIn('= current_schema()::regnamespace')}) AS names`);
  const names = rows.flatMap(({ names }) => names as string[]);
  return [...new Set(names)].filter((name) => tables.has(name));
}

/** Rows in that table of which a unit of work writes most: a statement of the bank is one unit, and has thousands. */
const mostRowsOf = (writes: Writes): number =>
  Math.max(1, ...Object.values(writes).map((rows) => (Array.isArray(rows) ? rows.length : 1)));

export function createStatistics(pool: Pool, inShards: boolean) {
  let changes = 0;
  let next = FIRST_LOOK_AFTER;

  /** Has the tables analysed that need it; if that fails, autovacuum will come. */
  async function look(): Promise<void> {
    const names = await pool.lookOut(null, (sql) => outgrownTables(sql, inShards));
    if (names.length === 0) return;
    void pool.write(null, (sql) => sql.unsafe(`ANALYZE ${names.join(', ')}`)).catch(() => {});
  }

  return {
    /** Looks at what others have filled. */
    start: look,

    /** To be called after each commit. */
    changed(writes: readonly Writes[]): void {
      for (const each of writes) changes += mostRowsOf(each);
      if (changes < next) return;
      next *= NEXT_LOOK;
      void look().catch(() => {});
    },
  };
}
