/** Brings the schema up to date, also when several processes start at once and while older ones serve. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UnusableDatabase } from '../store.ts';
import type { Connection } from './connection.ts';
import { codeOf, isUniqueViolation } from './errors.ts';

const directory = join(import.meta.dirname, '../../../migrations/postgres');
/**
 * A change of a table waits for those who use it, and others wait behind it; so it waits briefly, and often.
 */
const LOCK_TIMEOUT = '2s';
const MAX_TRIES = 30;
const PAUSE_MS = 500;

export const migrations = readdirSync(directory)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .map((name) => readFileSync(join(directory, name), 'utf8'));

/** Applies what is missing, each migration in a transaction of its own, one process at a time. */
export async function migrate(connection: Connection, name: string): Promise<void> {
  let version = await versionOf(connection);
  if (version === null) {
    await refuseForeignTables(connection, name);
    await createVersion(connection);
    version = 0;
  }
  if (version > migrations.length) throw newer(name, version);
  for (let next = version + 1; next <= migrations.length; next++)
    await patiently(() => apply(connection, next, name));
}

/** Null where there is no table of the version: an empty database, or another program's. */
async function versionOf(connection: Connection): Promise<number | null> {
  const [table] = await connection.run(
    (sql) => sql`SELECT to_regclass('schema_version') IS NOT NULL AS exists`,
  );
  if (!table?.exists) return null;
  const [row] = await connection.run((sql) => sql`SELECT version FROM schema_version WHERE id = 1`);
  return row?.version ?? 0;
}

async function refuseForeignTables(connection: Connection, name: string): Promise<void> {
  const [other] = await connection.run(
    (sql) =>
      sql`SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() LIMIT 1`,
  );
  if (!other || other.table_name === 'schema_version') return;
  throw new UnusableDatabase(
    `the database ${name} holds something else (a table ${other.table_name}); make an empty one`,
  );
}

async function createVersion(connection: Connection): Promise<void> {
  const create = `
    CREATE TABLE IF NOT EXISTS schema_version (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL);
    INSERT INTO schema_version VALUES (1, 0) ON CONFLICT DO NOTHING`;
  await connection
    .run((sql) => sql.unsafe(create))
    .catch((error) => {
      // Two who create a table at the same moment, in spite of IF NOT EXISTS: then it is there.
      if (!isUniqueViolation(error) && codeOf(error) !== '42P07') throw error;
    });
}

/** All in one piece and one transaction; the lock of the version's row keeps other processes out meanwhile. */
async function apply(connection: Connection, number: number, name: string): Promise<void> {
  await connection.run(async (sql) => {
    try {
      await sql.unsafe('BEGIN');
      const [row] = await sql`SELECT version FROM schema_version WHERE id = 1 FOR UPDATE`;
      if (row?.version > migrations.length) throw newer(name, row?.version);
      if (row?.version === number - 1) {
        await sql.unsafe(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        await sql.unsafe(migrations[number - 1] as string);
        await sql`UPDATE schema_version SET version = ${number} WHERE id = 1`;
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
      const waited = codeOf((error as Error).cause ?? error) === '55P03';
      if (!waited || tries === MAX_TRIES) throw error;
      await pause(PAUSE_MS);
    }
  }
}

function newer(name: string, version: number): UnusableDatabase {
  return new UnusableDatabase(
    `the database ${name} was written by a newer opentill (schema ${version}, this one knows ${migrations.length})`,
  );
}
