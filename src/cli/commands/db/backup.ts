import { useDump } from '../../../store/postgres/backup.ts';
import { backUpSqlite } from '../../../store/sqlite/backup.ts';
import { databaseOption } from '../../database-option.ts';
import { plainCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { file } from '../../declare/values.ts';
import { percent, startProgress } from '../../progress.ts';

export const command = plainCommand({
  purpose: 'Copy the whole database to a new file, while the service runs.',
  details: [
    'The copy is the database of one moment. It holds secrets and personal data.',
    'For a database on PostgreSQL, the command fails and names the `pg_dump` command to run instead.',
  ],
  arguments: { file: required(file(), 'The file to create.') },
  options: { database: databaseOption },
  examples: [['opentill db backup backup.db', 'The database of the settings']],
  async run({ file, database }, { output }) {
    if (database.kind === 'postgres') throw useDump(database.url, file);
    const progress = startProgress();
    try {
      await backUpSqlite(database.path, file, (done, total) =>
        progress.show(percent('copying', done, total)),
      );
    } finally {
      progress.clear();
    }
    output.line(
      `${file} has everything. It holds secrets and personal data: keep it where nobody else can read it.`,
    );
  },
});
