/** Of one `npm test`: starts the PostgreSQL that all test files share, and ends it after them. */
import { type PostgresServer, startPostgres } from './postgres-server.ts';

let server: PostgresServer | undefined;

export async function globalSetup(): Promise<void> {
  if (process.env.OPENTILL_TEST_POSTGRES !== undefined) return;
  try {
    server = await startPostgres();
  } catch {
    // Where PostgreSQL does not run, all other tests do. Those that need it try by themselves, and say what is wrong.
    return;
  }
  // Test files are processes of their own, which inherit it.
  process.env.OPENTILL_TEST_POSTGRES = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.remove();
}
