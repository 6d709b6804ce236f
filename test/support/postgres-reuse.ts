/**
 * Databases that the tests of a process have one after the other, without the rows of the one before: to empty one takes
 * a fraction of the processor time of copying and dropping it. One that is not as it was made but for its rows, because
 * a test has changed its schema or it was analysed, is dropped.
 */
import type { TestContext } from 'node:test';
import type { Sql } from 'postgres';
import { workers } from './citus.ts';
import { createHooks } from './hooks.ts';
import { migratedDatabase } from './postgres.ts';
import { keptConnection } from './postgres-kept.ts';

type Reused = {
  readonly url: string;
  /** The connection that empties it. */
  readonly connection: () => Sql;
  /** Everything but rows, as it was made. */
  readonly shape: string;
  readonly drop: () => Promise<void>;
};

const free: Reused[] = [];

/** The address of a database with the newest schema and no rows but those of the migrations; it is given back with the test. */
export async function emptyDatabase(context: Pick<TestContext, 'after'>): Promise<string> {
  // A database in shards is several, each with tables of its own.
  if (workers().length > 0) return migratedDatabase(context);
  const database = free.pop() ?? (await make());
  context.after(() => context.after(() => giveBack(database)));
  return database.url;
}

async function make(): Promise<Reused> {
  const hooks = createHooks();
  const url = await migratedDatabase(hooks);
  const connection = keptConnection(url);
  const drop = async () => {
    await connection().end();
    await hooks.run();
  };
  return { url, connection, shape: await shapeOf(connection()), drop };
}

async function giveBack(database: Reused): Promise<void> {
  const { connection, shape, drop } = database;
  const sql = connection();
  // Who is still connected may hold locks, or be about to write.
  await sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
  if ((await shapeOf(sql)) !== shape) return drop();
  await empty(sql);
  free.push(database);
}

// A server that was given outlives the process.
process.on('beforeExit', async () => {
  for (const { drop } of free.splice(0)) await drop();
});

/**
 * Everything but rows. A change of a catalog's row makes a new one, by another transaction; where TRUNCATE does so too,
 * its columns are compared. A table that was analysed has a count of its rows.
 */
async function shapeOf(sql: Sql): Promise<string> {
  const ours = (catalog: string, relation: string) =>
    `(SELECT string_agg(${catalog}.xmin::text, ',' ORDER BY ${catalog}.ctid) FROM ${catalog} WHERE ${relation} >= 16384)`;
  const parts = [
    `(SELECT string_agg(concat_ws(' ', oid, relname, relchecks, relhasrules, reloptions,
        CASE relkind WHEN 'r' THEN reltuples END), ',' ORDER BY oid) FROM pg_class WHERE oid >= 16384)`,
    ours('pg_attribute', 'attrelid'),
    ours('pg_constraint', 'oid'),
    ours('pg_index', 'indexrelid'),
    ours('pg_trigger', 'oid'),
    ours('pg_proc', 'oid'),
    ours('pg_namespace', 'oid'),
    ours('pg_extension', 'oid'),
    '(SELECT schema_version::text FROM schema_version)',
    `(SELECT string_agg(setconfig::text, ',') FROM pg_db_role_setting
      WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
  ];
  const [row] = await sql.unsafe<Array<{ shape: string }>>(
    `SELECT md5(jsonb_build_array(${parts.join(', ')})::text) AS shape`,
  );
  return row?.shape ?? '';
}

/**
 * Empties tables and leaves the rows of the migrations, as those have made them. Truncated and not deleted: rows that are
 * gone have their place in the table, by which the planner of PostgreSQL takes it for larger than a new one.
 */
async function empty(sql: Sql): Promise<void> {
  const filled = await sql<Array<{ relname: string }>>`
    SELECT relname FROM pg_class WHERE oid >= 16384 AND relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND relname NOT IN ('schema_version', 'directory') AND pg_relation_size(oid) > 0`;
  const names = filled.map(({ relname }) => relname);
  await sql.unsafe(
    [
      ...(names.length > 0 ? [`TRUNCATE ${names.join(', ')}`] : []),
      'DELETE FROM directory',
      'INSERT INTO directory VALUES (1, 1, 0)',
    ].join('; '),
  );
}
