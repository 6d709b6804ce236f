/** Findings on the database of the settings, whether it can be opened or not. */
import type { Config } from '../../config/settings.ts';
import type { Finding } from '../../lib/finding.ts';

/** Looks at the database without changing it. Only what belongs to its kind is loaded. */
export async function examineDatabase({
  DATABASE_URL: database,
  DATABASE_COMMITS,
}: Pick<Config, 'DATABASE_URL' | 'DATABASE_COMMITS'>): Promise<readonly Finding[]> {
  if (database.kind === 'postgres') {
    const { examineServer } = await import('./database-server.ts');
    return examineServer(database.url, DATABASE_COMMITS);
  }
  const { examineFile } = await import('./database-file.ts');
  return examineFile(database.path);
}
