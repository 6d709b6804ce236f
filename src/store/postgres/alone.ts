/**
 * One connection for one long piece of work on the whole database, in one transaction. It is used once: what is asked
 * after it broke is refused and does not run on a new connection, where it would be outside of the transaction.
 */
import postgres from 'postgres';
import { UnusableDatabase } from '../store.ts';
import type { Sql } from './connection.ts';
import { codeOf } from './errors.ts';
import { nameOf } from './open.ts';

/** Integers of 64 bits are numbers here: amounts and times are far below 2^53. */
const types = { bigint: { to: 20, from: [20], serialize: String, parse: Number } };
const CONNECT_TIMEOUT_SECONDS = 5;

/** The work takes as long as it takes; only for locks it does not wait long. */
const limits = `
  SELECT set_config(name, '0', true) FROM pg_settings
  WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout');
  SET LOCAL lock_timeout = '5s'`;

/** Runs `work` on a connection of its own; whatever goes wrong comes in one line without the password. */
export async function onOwnConnection<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const name = nameOf(url);
  let sql: Sql | undefined;
  try {
    sql = connect(url);
    return await work(sql);
  } catch (error) {
    if (error instanceof UnusableDatabase || !isOfDatabase(error)) throw error;
    const { message } = error as Error;
    throw new UnusableDatabase(
      `cannot use the database ${name}: ${(message || codeOf(error)).replaceAll(/\s+/g, ' ')}`,
    );
  } finally {
    await sql?.end({ timeout: 5 });
  }
}

function connect(url: string): Sql {
  const sql: Sql = postgres(url, {
    max: 1,
    types,
    fetch_types: false,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    connection: { application_name: 'opentill db' },
    // Longer than it takes to end the instance, so that nothing that was waiting runs on a new connection.
    backoff: () => 1,
    max_lifetime: null,
    onnotice: () => {},
    onclose: () => void sql.end({ timeout: 0 }),
  });
  return sql;
}

/** Of the server, of the driver or of the network; what went wrong with a file is none of these. */
function isOfDatabase(error: unknown): boolean {
  return (
    error instanceof postgres.PostgresError ||
    error instanceof AggregateError ||
    /^(CONNECT|COPY_|ERR_INVALID_URL|E(CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_))/.test(codeOf(error))
  );
}

/** What is read inside is the database of one moment, whatever others write meanwhile; a standby will do. */
export async function inSnapshot<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  return inTransaction(sql, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work);
}

/** Everything inside or nothing. */
export async function inOneChange<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
  return inTransaction(sql, `${begin}; SET LOCAL synchronous_commit = on`, work);
}

async function inTransaction<T>(sql: Sql, begin: string, work: () => Promise<T>): Promise<T> {
  await sql.unsafe(`${begin}; ${limits}`);
  try {
    const result = await work();
    const { command } = await sql.unsafe('COMMIT');
    // A transaction in which something failed answers COMMIT with a ROLLBACK.
    if (command !== 'COMMIT') throw new Error(`the database answered COMMIT with ${command}`);
    return result;
  } catch (error) {
    await sql.unsafe('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** The version of the schema, or null where there is none of ours. */
export async function schemaOf(sql: Sql): Promise<number | null> {
  const [table] = await sql`SELECT to_regclass('schema_version') IS NOT NULL AS exists`;
  if (!table?.exists) return null;
  const [row] = await sql<Array<{ version: number }>>`SELECT version FROM schema_version WHERE id = 1`;
  return row?.version ?? null;
}
