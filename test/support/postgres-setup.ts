/** The setup of one `npm test`: starts the PostgreSQL that all test files share, and ends it after them. */
import { emptyCluster, startPostgres } from './postgres-server.ts';

const ends: Array<() => Promise<void>> = [];

/** Test files are processes of their own, which inherit what it puts into the environment. */
export async function globalSetup(): Promise<void> {
  try {
    const cluster = await emptyCluster();
    ends.push(cluster.remove);
    Object.assign(process.env, cluster.environment);
    if (process.env.OPENTILL_TEST_POSTGRES !== undefined) return;
    // A table that is vacuumed meanwhile is no longer as it was made, by which databases are used again.
    const server = await startPostgres({ settings: { autovacuum_naptime: '1d' } });
    ends.push(server.remove);
    process.env.OPENTILL_TEST_POSTGRES = server.url;
  } catch {
    // Tests without PostgreSQL run anyway. Those that need it try by themselves, and say what is wrong.
  }
}

export async function globalTeardown(): Promise<void> {
  for (const end of ends.toReversed()) await end();
}
