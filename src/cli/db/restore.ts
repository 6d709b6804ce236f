import { restorePostgres } from '../../store/postgres/restore.ts';
import { restoreSqlite } from '../../store/sqlite/backup.ts';
import { startProgress } from '../progress.ts';
import { fileAndDatabase } from './options.ts';

/** `db restore <file>`: a database out of a backup, where there is none yet. */
export async function restore(args: readonly string[]): Promise<void> {
  const { file, database } = fileAndDatabase('db restore', args);
  const progress = startProgress();
  try {
    if (database.kind === 'postgres') {
      await restorePostgres(file, database.url, (what, table, rows) =>
        progress.show(`${what} ${table} … ${rows} rows`),
      );
    } else {
      progress.show(`copying and checking ${file} …`);
      await restoreSqlite(file, database.path);
    }
  } finally {
    progress.clear();
  }
  console.log('The database is restored. opentill db check looks through it.');
}
