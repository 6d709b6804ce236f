import { existsSync } from 'node:fs';
import { readConfig } from '../config.ts';
import { openStore } from '../main.ts';
import type { Store } from '../store/store.ts';
import { UsageError } from './usage-error.ts';

/** Runs a command on the database of the settings, which has to be there: beside a server, or without one. */
export async function withStore(command: (store: Store) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const database = config.DATABASE_URL;
  if (database.kind === 'sqlite' && !existsSync(database.path))
    throw new UsageError(`there is no database ${database.path}; a first start of the server makes one`);
  const store = await openStore(config, { serve: false });
  try {
    await command(store);
  } finally {
    await store.close();
  }
}
