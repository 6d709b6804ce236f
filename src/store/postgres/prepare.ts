/** Checks that a server and database are what is needed, and tells the operator if they are not. */
import { UnusableDatabase } from '../errors.ts';
import { type Connection, createConnection, type Sql } from './connection.ts';
import { migrate } from './migrate.ts';
import { cannotUse, nameOf, unfinishedMove } from './unusable.ts';

const OLDEST_VERSION = 150_000;

type Preparing = {
  /** Set by the command that fills it: to everybody else a database with half of the data is of no use. */
  readonly moving?: boolean;
  /** The steps to the newest schema. */
  readonly known?: readonly string[];
  /** Brings the schema up to date, or makes it. */
  readonly migrates?: boolean;
};

/** Checks the database that the address names, and brings its schema up to date if asked to; throws UnusableDatabase. */
export async function prepareDatabase(url: string, how?: Preparing): Promise<void> {
  const connection = createConnection(url);
  await prepareOver(connection, url, how);
  await connection.close();
}

/** The same over a connection that goes on being used; one to a database that cannot be used is closed. */
export async function prepareOver(
  connection: Connection,
  url: string,
  { moving = false, ...how }: Preparing = {},
): Promise<void> {
  const name = nameOf(url);
  try {
    await connection.run((sql) => refuseUnusable(sql, name, moving));
    await migrate(connection, name, how);
  } catch (error) {
    await connection.close();
    if (error instanceof UnusableDatabase) throw error;
    throw cannotUse(name, error);
  }
}

/** Throws unless the service can use such a server, and may use this database of it. */
async function refuseUnusable(sql: Sql, name: string, moving = false): Promise<void> {
  const [facts] = await sql<[ServerFacts & { move_unfinished: boolean }]>`
    SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS durable,
      pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only,
      to_regclass('move_progress') IS NOT NULL AS move_unfinished`;
  const objection = objectionTo(facts);
  if (objection !== null) throw new UnusableDatabase(`cannot use the database ${name}: ${objection}`);
  if (facts.move_unfinished && !moving) throw unfinishedMove(name);
}

/** Facts of a server that are asked for before it is used. */
export type ServerFacts = {
  readonly number: number;
  readonly version: string;
  readonly encoding: string;
  readonly durable: string;
  readonly standby: boolean;
  readonly read_only: string;
};

/** Reason why such a server cannot be used, or null. Exported for the test: not every kind can be had there. */
export function objectionTo(server: ServerFacts): string | null {
  if (server.number < OLDEST_VERSION) return `PostgreSQL ${server.version} is too old, 15 or newer is needed`;
  if (server.standby) return 'it is a standby, which cannot be written';
  if (server.read_only === 'on') return 'it is read-only';
  if (server.encoding !== 'UTF8') return `its encoding is ${server.encoding}, and UTF8 is needed`;
  if (server.durable === 'off')
    return 'synchronous_commit is off, so that answered changes could be lost in a crash';
  return null;
}
