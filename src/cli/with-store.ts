import { existsSync } from 'node:fs';
import { createSerializer } from '../checkout/serializer.ts';
import { readSetting } from '../config/read.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { createWriter, type Execute } from '../writer/writer.ts';
import { Failure } from './failure.ts';

/** A database for commands; `execute` is for changes that the API makes as well. */
export type Database = { readonly store: Store; readonly execute: Execute };

/** Runs a command on the database of the settings, which has to exist: beside a server, or without one. */
export async function withStore(
  env: NodeJS.ProcessEnv,
  command: (database: Database) => Promise<void>,
): Promise<void> {
  // Only these settings: a wrong one of the server is no reason not to revoke a key.
  const database = readSetting('DATABASE_URL', env);
  const config = { DATABASE_URL: database, DATABASE_COMMITS: readSetting('DATABASE_COMMITS', env) };
  if (database.kind === 'sqlite' && !existsSync(database.path))
    throw new Failure(`there is no database ${database.path}; the first start of the server creates it`);
  const store = await openStore(config, { serve: false });
  try {
    await command({ store, execute: executeOn(store) });
  } finally {
    await store.close();
  }
}

/** Executes commands that are about no session: the address of its page, which only the server is told, is not needed. */
export function executeOn(store: Store): Execute {
  return createWriter({ store, serializer: createSerializer(''), realNow: Date.now });
}
