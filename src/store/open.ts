/** Picks the database: the only file that knows which there are, but for commands on whole databases. */
import type { Config } from '../config/settings.ts';
import type { OpenOptions, Store } from './store.ts';

/**
 * Opens the store of the settings; only a server migrates. Only the database that is asked for is loaded, and nothing of
 * HTTP: commands start in a fraction of the time.
 */
export async function openStore(
  { DATABASE_URL: database, DATABASE_COMMITS }: Pick<Config, 'DATABASE_URL' | 'DATABASE_COMMITS'>,
  options: Omit<OpenOptions, 'migrates'> & { readonly serve: boolean },
): Promise<Store> {
  const migrates = options.serve;
  if (database.kind === 'postgres') {
    const { openPostgresStore } = await import('./postgres/store.ts');
    return openPostgresStore(database.url, { ...options, migrates, commitsAtOnce: DATABASE_COMMITS });
  }
  const { openSqliteStore } = await import('./sqlite/store.ts');
  return openSqliteStore(database.path, { ...options, migrates });
}
