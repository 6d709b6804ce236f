import { backUpPostgres } from '../../store/postgres/backup.ts';
import { backUpSqlite } from '../../store/sqlite/backup.ts';
import { percent, startProgress } from '../progress.ts';
import { fileAndDatabase } from './options.ts';

/** `db backup <file>`: the database of one moment in a new file, also while it is served. */
export async function backup(args: readonly string[]): Promise<void> {
  const { file, database } = fileAndDatabase('db backup', args);
  const progress = startProgress();
  try {
    if (database.kind === 'postgres') {
      await backUpPostgres(database.url, file, (table, rows) =>
        progress.show(`copying ${table} … ${rows} rows`),
      );
    } else {
      await backUpSqlite(database.path, file, (done, total) =>
        progress.show(percent('copying', done, total)),
      );
    }
  } finally {
    progress.clear();
  }
  console.log(
    `${file} has everything. It holds secrets and personal data: keep it where nobody else can read it.`,
  );
}
