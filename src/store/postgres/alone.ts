/**
 * One connection for one long piece of work on the whole database, in one transaction. It is used once: what is asked
 * after it broke is refused and does not run on a new connection, where it would be outside of the transaction.
 */
import { finished } from 'node:stream/promises';
import postgres from 'postgres';
import { UnusableDatabase } from '../errors.ts';
import { addressesOf, openInstance, type Sql } from './connection.ts';
import { codeOf } from './errors.ts';
import { cannotUse, nameOf } from './unusable.ts';

/** The work takes as long as it takes; only for locks it does not wait long. */
const limits = `
  SELECT set_config(name, CASE name WHEN 'lock_timeout' THEN '5s' ELSE '0' END, true) FROM pg_settings
  WHERE name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Runs `work` on a connection of its own; whatever goes wrong comes in one line without the password. */
export async function onOwnConnection<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  let sql: Sql | undefined;
  try {
    sql = await connectOnce(url, 'opentill db');
    return await work(sql);
  } catch (error) {
    if (error instanceof UnusableDatabase || !isOfDatabase(error)) throw error;
    throw cannotUse(nameOf(url), error);
  } finally {
    await sql?.end({ timeout: 5 });
  }
}

/** A connection to the host that takes writes or, if none does, to one that answers; it is never replaced. */
export async function connectOnce(url: string, name: string): Promise<Sql> {
  let standby: Sql | undefined;
  let reason: unknown;
  for (const address of addressesOf(url)) {
    const sql: Sql = openInstance(address, name, { onclose: () => void sql.end({ timeout: 0 }) });
    try {
      const [row] = await sql`SELECT pg_is_in_recovery() AS standby`;
      void standby?.end({ timeout: 0 });
      if (!row?.standby) return sql;
      standby = sql;
    } catch (error) {
      void sql.end({ timeout: 0 });
      reason = error;
    }
  }
  if (standby === undefined) throw reason;
  return standby;
}

/** True for errors of the server, of the driver or of the network; those of files are none of these. */
function isOfDatabase(error: unknown): boolean {
  return (
    error instanceof postgres.PostgresError ||
    error instanceof AggregateError ||
    /^(CONNECT|COPY_|ERR_INVALID_URL|E(CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_))/.test(codeOf(error))
  );
}

/** Reads the database of one moment, whatever others write meanwhile; a standby will do. */
export async function inSnapshot<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  return inTransaction(sql, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work);
}

/** Everything inside or nothing. */
export async function inOneChange<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  return inTransaction(sql, 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE', async () => {
    await sql.unsafe('SET LOCAL synchronous_commit = on');
    return work();
  });
}

async function inTransaction<T>(sql: Sql, begin: string, work: () => Promise<T>): Promise<T> {
  await sql.unsafe(begin);
  try {
    await sql.unsafe(limits);
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

/**
 * Rows of a query, one at a time, as COPY writes them.
 *
 * The driver stops the connection while rows come faster than they are taken. It does not go on by itself if that
 * happened at the last row, or if nobody takes the rest: then whatever is asked next would wait for ever.
 */
export async function* copiedOut(sql: Sql, query: string): AsyncGenerator<Buffer> {
  const rows = await sql.unsafe(`COPY (${query}) TO STDOUT`).readable();
  try {
    yield* rows.iterator({ destroyOnReturn: false });
  } finally {
    await finished(rows.resume()).catch(() => {});
    if (!rows.errored) rows._read(0);
  }
}
