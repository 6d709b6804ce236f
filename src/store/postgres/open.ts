/** Whether a server and database are what is needed, and what to tell the operator if not. */
import { UnusableDatabase } from '../store.ts';
import { type Connection, createConnection } from './connection.ts';
import { codeOf } from './errors.ts';
import { migrate } from './migrate.ts';

const OLDEST_VERSION = 150_000;

/**
 * Checks the database that the address names and brings its schema up to date; throws UnusableDatabase. `moving` is for
 * the command that fills it: to everybody else a database with half of the data is of no use.
 */
export async function prepareDatabase(url: string, { moving = false } = {}): Promise<void> {
  const name = nameOf(url);
  const connection = createConnection(url);
  try {
    await check(connection, name);
    if (!moving) await refuseUnfinishedMove(connection, name);
    await migrate(connection, name);
  } catch (error) {
    if (error instanceof UnusableDatabase) throw error;
    throw new UnusableDatabase(`cannot use the database ${name}: ${reasonOf(error)}`);
  } finally {
    await connection.close();
  }
}

/** What is asked of a server before it is used. */
export type ServerFacts = {
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly durable: string;
  readonly standby: boolean;
  readonly read_only: string;
};

async function check(connection: Connection, name: string): Promise<void> {
  const [facts] = await connection.run(
    (sql) => sql<[ServerFacts]>`
      SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version,
        current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS durable,
        pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only`,
  );
  const objection = objectionTo(facts);
  if (objection !== null) throw new UnusableDatabase(`cannot use the database ${name}: ${objection}`);
}

/** Why such a server cannot be used, or null. Exported for the test: not every kind can be had there. */
export function objectionTo(server: ServerFacts): string | null {
  if (server.number < OLDEST_VERSION) return `PostgreSQL ${server.version} is too old, 15 or newer is needed`;
  if (server.standby) return 'it is a standby, which cannot be written';
  if (server.read_only === 'on') return 'it is read-only';
  if (server.encoding !== 'UTF8') return `its encoding is ${server.encoding}, and UTF8 is needed`;
  if (server.durable === 'off')
    return 'synchronous_commit is off, so that answered changes could be lost in a crash';
  return null;
}

async function refuseUnfinishedMove(connection: Connection, name: string): Promise<void> {
  const [move] = await connection.run(
    (sql) => sql`SELECT to_regclass('move_progress') IS NOT NULL AS unfinished`,
  );
  if (!move?.unfinished) return;
  throw new UnusableDatabase(`the database ${name} is being moved to; finish that with opentill db move`);
}

/** What can be said of the address without its secrets: hosts and database. */
export function nameOf(url: string): string {
  return url.replace(/^\w+:\/\/([^/]*@)?/, '').replace(/\?.*$/, '');
}

function reasonOf(error: unknown): string {
  const { message } =
    (error as Error).cause instanceof Error ? ((error as Error).cause as Error) : (error as Error);
  return (message || codeOf(error)).replaceAll(/\s+/g, ' ');
}
