import { useRestore } from '../../backup/postgres.ts';
import { restoreSqlite } from '../../backup/sqlite.ts';
import { databaseOption } from '../../database-option.ts';
import { plainCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { file } from '../../declare/values.ts';
import { startProgress } from '../../progress.ts';

export const command = plainCommand({
  purpose: 'Restore a database from a backup.',
  details: [
    'The database must not exist yet. If the restore fails, nothing is left of it.',
    'For a database on PostgreSQL, the command fails and names the `pg_restore` command to run instead.',
  ],
  arguments: { file: required(file(), 'The backup.') },
  options: { database: databaseOption },
  examples: [
    ['opentill db restore backup.db', 'Into the database of the settings'],
    ['opentill db restore backup.db --database sqlite:./copy.db', 'Into another one'],
  ],
  async run({ file, database }, { output }) {
    if (database.kind === 'postgres') throw useRestore(database.url, file);
    const progress = startProgress();
    try {
      progress.show(`copying and checking ${file} …`);
      await restoreSqlite(file, database.path);
    } finally {
      progress.clear();
    }
    output.line('The database is restored. Check it with opentill db check.');
  },
});
