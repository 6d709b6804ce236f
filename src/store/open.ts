/** Picks the database: the only file that knows which there are, but for commands on whole databases. */
import type { Config } from '../config.ts';
import type { Store } from './store.ts';

/**
 * Opens the store of the settings. `serve` takes part in serving the database; the command line works beside servers.
 * `onTrouble` gets lines for the operator.
 * Only the one that is asked for is loaded, and nothing of HTTP: commands start in a fraction of the time.
 */
export async function openStore(
  { DATABASE_URL: database, DATABASE_COMMITS }: Pick<Config, 'DATABASE_URL' | 'DATABASE_COMMITS'>,
  { serve, onTrouble = () => {} }: { serve: boolean; onTrouble?: (text: string) => void },
): Promise<Store> {
  if (database.kind === 'postgres') {
    const { openPostgresStore } = await import('./postgres/store.ts');
    return openPostgresStore(database.url, {
      serve,
      migrates: serve,
      commitsAtOnce: DATABASE_COMMITS,
      onTrouble,
    });
  }
  const { openSqliteStore } = await import('./sqlite/store.ts');
  return openSqliteStore(database.path, { serve, migrates: serve, onTrouble });
}
