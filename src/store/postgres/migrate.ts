/** Brings the schema up to date, also when several processes start at once and while older ones serve. */
import { setTimeout as pause } from 'node:timers/promises';
import { UnusableDatabase } from '../errors.ts';
import { migrationsOf, refuseOtherSchema } from '../schema-version.ts';
import type { Connection, Sql } from './connection.ts';
import { codeOf, isAlreadyThere } from './errors.ts';
import { distributeTables, isDistributed } from './shards.ts';

export const migrations = migrationsOf('postgres');

/**
 * A change of a table waits for those who use it, and others wait behind it; so it waits briefly, and often. Who uses
 * several tables may be waiting for it in turn, and then one of the two is ended.
 */
const LOCK_TIMEOUT = '2s';
/** Lock not available, deadlock, serialization failure. */
const HELD_UP = new Set(['55P03', '40P01', '40001']);
const MAX_TRIES = 30;
const PAUSE_MS = 500;

/** Creates the table of the version, also where another process does so at the same moment. */
const createSchemaVersion = `
  CREATE TABLE IF NOT EXISTS schema_version (
    id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL,
    serves_from integer NOT NULL, serves_to integer NOT NULL)`;
const firstVersion = 'INSERT INTO schema_version VALUES (1, 0, 0, 0) ON CONFLICT DO NOTHING';

/**
 * The statements of a migration, each for a message of its own: databases in shards take no block with DDL in it. Of
 * ours each ends with a line, and comments have lines of their own.
 */
function statementsIn(migration: string): string[] {
  if (migration.includes('$$')) throw new Error('a migration must do without functions');
  const lines = migration.split('\n').filter((line) => !line.trimStart().startsWith('--'));
  const statements = `${lines.join('\n')}\n`.split(';\n');
  return statements.map((each) => each.trim()).filter((each) => each !== '');
}

/**
 * The schema of a database, and for which servers it is: those that know one between `serves_from` and `serves_to`. The
 * latter is the version, unless somebody else has set that.
 */
export type SchemaVersion = {
  readonly version: number;
  readonly serves_from: number;
  readonly serves_to: number;
};

/** Reason why a server that knows this schema must not go on, or null. */
export function objectionToSchema(schema: SchemaVersion, known = migrations.length): string | null {
  const { version, serves_from, serves_to } = schema;
  const isServed = known >= serves_from && known <= serves_to && version === serves_to;
  return version === known || isServed ? null : 'the database was migrated by another version of opentill';
}

/** A migration that older servers can go on with says so, from which schema on: they miss nothing of what it adds. */
function servesFrom(migration: string, number: number, before: number): number {
  const [, declared] = /^-- Serves servers from schema (\d{1,4}) on\.$/m.exec(migration) ?? [];
  return declared === undefined ? number : Math.max(Number(declared), before);
}

/**
 * Applies what is missing, each migration in a transaction of its own, one process at a time. Where there is nothing yet
 * all is made. Without `migrates` another schema is refused.
 */
export async function migrate(
  connection: Connection,
  name: string,
  { known = migrations, migrates = true }: { known?: readonly string[]; migrates?: boolean } = {},
): Promise<void> {
  let version = await connection.run(schemaOf);
  if (version === null) {
    await connection.run((sql) => refuseForeignTables(sql, name));
    refuseOtherSchema(`the database ${name}`, 0, known.length, { migrates });
    await createVersion(connection);
    version = 0;
  }
  refuseOtherSchema(`the database ${name}`, version, known.length, { migrates });
  for (let next = version + 1; next <= known.length; next++)
    await patiently(() => apply(connection, next, name, known));
}

/** Our table of the version, and not another program's of that name. */
const OURS = `(SELECT count(*) FROM pg_attribute
  WHERE attrelid = to_regclass('schema_version') AND attname IN ('id', 'version')) = 2`;

/** The version of the schema, or null where there is none: an empty database, or another program's. */
export async function schemaOf(sql: Sql): Promise<number | null> {
  const [table] = await sql.unsafe(`SELECT ${OURS} AS ours`);
  if (!table?.ours) return null;
  const [row] = await sql<Array<{ version: number }>>`SELECT version FROM schema_version WHERE id = 1`;
  return row?.version ?? null;
}

/**
 * To be called where there is no version of the schema; another process may be making it just now. The tables of others
 * are seen here whoever may use them. What belongs to an extension, such as the views of pg_stat_statements, is no
 * program's data.
 */
async function refuseForeignTables(sql: Sql, name: string): Promise<void> {
  const [other] = await sql.unsafe<Array<{ relname: string }>>(`
    SELECT relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT ${OURS}
      AND NOT EXISTS (
        SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
    ORDER BY relname LIMIT 1`);
  if (!other) return;
  throw new UnusableDatabase(
    `the database ${name} holds another program’s tables (${other.relname}); create an empty database`,
  );
}

async function createVersion(connection: Connection): Promise<void> {
  const create = () => connection.run((sql) => sql.unsafe(createSchemaVersion));
  // Two who create a table at the same moment, in spite of IF NOT EXISTS: then it is there, perhaps without its row.
  await create().catch((error) => (isAlreadyThere(error) ? create() : Promise.reject(error)));
  await connection.run((sql) => sql.unsafe(firstVersion));
}

/** All in one piece and one transaction; the lock of the version's row keeps other processes out meanwhile. */
async function apply(
  connection: Connection,
  number: number,
  name: string,
  known: readonly string[],
): Promise<void> {
  await connection.run(async (sql) => {
    try {
      await sql.unsafe('BEGIN');
      await sql`SELECT 1 FROM schema_version WHERE id = 1 FOR UPDATE`;
      const [row] = await sql<SchemaVersion[]>`SELECT * FROM schema_version WHERE id = 1`;
      refuseOtherSchema(`the database ${name}`, row?.version ?? 0, known.length, { migrates: true });
      if (row?.version === number - 1) {
        const migration = known[number - 1] as string;
        const inShards = await isDistributed(sql);
        if (inShards) {
          // Shards that one statement has changed side by side another one may not change one by one.
          await sql.unsafe("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
          // Others wait behind a change that waits in a shard, too.
          await sql.unsafe("SET LOCAL citus.propagate_set_commands = 'local'");
        }
        await sql.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        await Promise.all(statementsIn(migration).map((statement) => sql.unsafe(statement)));
        if (inShards) await distributeTables(sql);
        const { count } = await sql`
          UPDATE schema_version SET version = ${number}, serves_to = ${number},
            serves_from = ${servesFrom(migration, number, row.serves_from)}
          WHERE id = 1 AND version = ${number - 1}`;
        if (count !== 1) throw new Error('another process has migrated the database meanwhile');
      }
      await sql.unsafe('COMMIT');
    } catch (error) {
      await sql.unsafe('ROLLBACK').catch(() => {});
      throw error;
    }
  });
}

async function patiently(step: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await step();
    } catch (error) {
      if (!HELD_UP.has(codeOf(error)) || tries === MAX_TRIES) throw error;
      await pause(PAUSE_MS);
    }
  }
}
