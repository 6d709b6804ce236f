import { restorePostgres } from '../../../store/postgres/restore.ts';
import { restoreSqlite } from '../../../store/sqlite/backup.ts';
import { databaseOption } from '../../database-option.ts';
import { plainCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { file } from '../../declare/values.ts';
import { startProgress } from '../../progress.ts';

export const command = plainCommand({
  purpose: 'Restore a database from a backup.',
  details: ['The database must not exist yet, or be empty. If anything goes wrong, nothing is left of it.'],
  arguments: { file: required(file(), 'The backup.') },
  options: { database: databaseOption },
  examples: [
    ['opentill db restore backup.db', 'Into the database of the settings'],
    ['opentill db restore backup.db --database sqlite:./copy.db', 'Into another one'],
  ],
  async run({ file, database }, { output }) {
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
    output.line('The database is restored. opentill db check looks through it.');
  },
});
