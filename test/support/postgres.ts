/** The PostgreSQL that test files share, and databases on it that go with their tests. */
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import postgres from 'postgres';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

let own: Promise<PostgresServer> | undefined;

/** The server of the whole run, which `postgres-setup.ts` starts; for a file that is run by itself, one of its own. */
export async function sharedPostgres(): Promise<{ readonly url: string }> {
  const url = process.env.OPENTILL_TEST_POSTGRES;
  if (url !== undefined) return { url };
  // It ends with this process.
  own ??= startPostgres();
  return own;
}

/**
 * The address of a new database: an empty one, or a copy of the one that `template` names. It goes with the test,
 * whoever is still connected: hooks of a test run in the order in which they were registered, so those that close what
 * uses the database come after it.
 */
export async function freshDatabase(
  context: Pick<TestContext, 'after'>,
  template = 'template0',
): Promise<string> {
  const { url } = await sharedPostgres();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await order(url, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  context.after(() => order(url, `DROP DATABASE ${name} WITH (FORCE)`));
  return Object.assign(new URL(url), { pathname: name }).href;
}

/** A connection for one order: one that was kept would keep the process of the tests alive. */
async function order(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
