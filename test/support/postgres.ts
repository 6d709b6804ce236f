/** The PostgreSQL that test files share, and databases on it that go with their tests. */
import { createHash, randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { migrations } from '../../src/store/postgres/migrate.ts';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import { distributeOver, workers } from './citus.ts';
import type { Ends } from './clean-up.ts';
import { noteRanOn } from './evidence.ts';
import { keptConnection } from './postgres-kept.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

let own: Promise<PostgresServer> | undefined;
let template: Promise<string> | undefined;

/** The server of the whole run, which `npm test` starts; for a file that is run by itself, one of its own. */
export async function sharedPostgres(): Promise<{ readonly url: string }> {
  const url = process.env.OPENTILL_TEST_POSTGRES;
  if (url !== undefined) return { url };
  // The server ends with this process.
  own ??= startPostgres();
  return own;
}

/**
 * The address of a new database: an empty one, or a copy of the one that `template` names. It goes with the test,
 * whoever is still connected. Hooks of a test run in the order in which they were registered, so those that close what
 * uses the database come after this one; it goes behind them. A store whose connections are ended under it may try to
 * connect anew, for seconds, before it is closed.
 */
export async function freshDatabase(context: Ends, template = 'template0'): Promise<string> {
  const { url } = await sharedPostgres();
  await noteRanOn(() => versionsOf(url));
  const name = `test_${randomBytes(8).toString('hex')}`;
  for (const node of [url, ...workers()]) {
    await order(node, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
    const drop = () => order(node, `DROP DATABASE ${name} WITH (FORCE)`);
    context.after(() => context.after(drop));
  }
  return addressOf(url, name);
}

/** A fresh database with the newest schema: copying it takes a fifth of the time that the migrations take. */
export async function migratedDatabase(context: Ends): Promise<string> {
  const { url } = await sharedPostgres();
  template ??= migratedTemplate(url);
  return freshDatabase(context, await template);
}

/** The name of the database that others copy, one for all processes. On a server that is given it stays for next time. */
async function migratedTemplate(url: string): Promise<string> {
  const hash = createHash('sha256').update(migrations.join('\0')).digest('hex');
  const name = `opentill_template_${hash.slice(0, 16)}`;
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice() {} });
  try {
    await sql`SELECT pg_advisory_lock(hashtext(${name}))`;
    const [made] = await sql`SELECT FROM pg_database WHERE datname = ${name}`;
    if (made) return name;
    // The database gets its name once it is complete.
    const begun = `${name}_begun`;
    const nodes = [url, ...workers()];
    for (const node of nodes) {
      await order(node, `DROP DATABASE IF EXISTS ${begun}`);
      await order(node, `CREATE DATABASE ${begun} TEMPLATE template0`);
    }
    await prepareDatabase(addressOf(url, begun));
    if (nodes.length > 1) await distributeOver(nodes.map((node) => addressOf(node, begun)));
    // The coordinator, which is asked for it, comes last.
    for (const node of nodes.toReversed()) await order(node, `ALTER DATABASE ${begun} RENAME TO ${name}`);
    return name;
  } finally {
    await sql.end();
  }
}

/** A server that was given, whose programs are not at hand, says them itself. */
async function versionsOf(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice() {} });
  try {
    const [server] = await sql<Array<{ version: string }>>`
      SELECT split_part(current_setting('server_version'), ' ', 1) AS version`;
    const [citus] = await sql<Array<{ version: string }>>`
      SELECT default_version AS version FROM pg_available_extensions WHERE name = 'citus'`;
    return [`PostgreSQL ${server?.version}`, ...(citus === undefined ? [] : [`Citus ${citus.version}`])];
  } finally {
    await sql.end();
  }
}

export function addressOf(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: name }).href;
}

/** Connections for orders to servers, by their addresses. */
const ordering = new Map<string, () => postgres.Sql>();

/** Runs a statement that needs a connection outside of the database that it is about. */
export async function order(url: string, statement: string): Promise<void> {
  const connection = ordering.get(url) ?? keptConnection(url);
  ordering.set(url, connection);
  await connection().unsafe(statement);
}
