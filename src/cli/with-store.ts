import { existsSync } from 'node:fs';
import { readSetting } from '../config/read.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { Failure } from './failure.ts';

/** Runs a command on the database of the settings, which has to exist: beside a server, or without one. */
export async function withStore(
  env: NodeJS.ProcessEnv,
  command: (store: Store) => Promise<void>,
): Promise<void> {
  // Only these settings: a wrong one of the server is no reason not to revoke a key.
  const database = readSetting('DATABASE_URL', env);
  const config = { DATABASE_URL: database, DATABASE_COMMITS: readSetting('DATABASE_COMMITS', env) };
  if (database.kind === 'sqlite' && !existsSync(database.path))
    throw new Failure(`there is no database ${database.path}; the first start of the server creates it`);
  const store = await openStore(config, { serve: false });
  try {
    await command(store);
  } finally {
    await store.close();
  }
}
