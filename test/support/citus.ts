/** The nodes of Citus that scripts/citus.sh has started; without it there are none, and nothing is distributed. */
import postgres from 'postgres';
import { distribute } from '../../src/cli/commands/db/distribute.ts';

/** Few, so that a copy of the database is made quickly. */
const SHARDS = 4;

/** The addresses of the workers; the coordinator is the server that all tests share. */
export function workers(): readonly string[] {
  return process.env.OPENTILL_TEST_CITUS?.split(',') ?? [];
}

/** Makes one distributed database of those at the addresses, the coordinator's first, which nobody uses in the end. */
export async function distributeOver(addresses: readonly string[]): Promise<void> {
  await joinNodes(addresses);
  await distribute(addresses[0] as string, () => {});
  for (const address of addresses) {
    const name = new URL(address).pathname.slice(1);
    const url = Object.assign(new URL(address), { pathname: 'postgres' }).href;
    await on(url, [
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      // Citus has a process of its own in each database.
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
    ]);
  }
}

/** Tells the nodes of each other. */
export async function joinNodes(addresses: readonly string[], shards = SHARDS): Promise<void> {
  for (const address of addresses) await on(address, ['CREATE EXTENSION citus']);
  const [coordinator, ...others] = addresses.map((address) => new URL(address));
  if (coordinator === undefined) return;
  await on(coordinator.href, [
    `SELECT citus_set_coordinator_host('${coordinator.hostname}', ${coordinator.port})`,
    ...others.map(({ hostname, port }) => `SELECT citus_add_node('${hostname}', ${port})`),
    `ALTER DATABASE ${coordinator.pathname.slice(1)} SET citus.shard_count = ${shards}`,
  ]);
}

async function on(url: string, statements: readonly string[]): Promise<void> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice() {} });
  try {
    for (const statement of statements) await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
