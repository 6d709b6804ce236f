import { existsSync } from 'node:fs';
import { messageOf } from '../../../lib/error-message.ts';
import { type BackupResult, noteBackup } from '../../../store/backup-result.ts';
import { useDump } from '../../backup/postgres.ts';
import { type BackupCheck, backUpSqlite } from '../../backup/sqlite.ts';
import { databaseOption } from '../../database-option.ts';
import { plainCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { file } from '../../declare/values.ts';
import { exitStatus } from '../../failure.ts';
import { percent, startProgress } from '../../progress.ts';

export const command = plainCommand({
  purpose: 'Copy the whole database to a new file, while the service runs.',
  details: [
    'The copy is a consistent snapshot. It holds secrets and personal data.',
    'Then the copy is checked as `db check` does. A damaged copy is removed. If only a rule is broken, the copy is kept and the exit status is 3.',
    'For a database on PostgreSQL, the command fails and names the `pg_dump` command to run instead.',
  ],
  arguments: { file: required(file(), 'The file to create.') },
  options: { database: databaseOption },
  examples: [['opentill db backup backup.db', 'The database of the settings']],
  async run({ file, database }, { output }) {
    if (database.kind === 'postgres') throw useDump(database.url, file);
    const progress = startProgress();
    const note = (result: BackupResult['result']) => {
      try {
        noteBackup(database.path, result, Date.now());
      } catch (error) {
        output.remark(`/metrics will not report this backup: ${messageOf(error)}`);
      }
    };
    let check: BackupCheck;
    try {
      check = await backUpSqlite(database.path, file, (what, done, total) =>
        progress.show(percent(what, done, total)),
      );
    } catch (error) {
      progress.clear();
      if (existsSync(database.path)) note('failed');
      throw error;
    }
    progress.clear();
    const { broken, isChecked } = check;
    note(broken.length === 0 ? 'ok' : 'broken');
    if (broken.length > 0) {
      const rules = broken.map(({ rule }) => rule).join('; ');
      output.remark(
        `${file} is a copy of a database that breaks ${broken.length} ${broken.length === 1 ? 'rule' : 'rules'} of db check: ${rules}`,
      );
      process.exitCode = exitStatus.found;
      return;
    }
    output.line(
      `${file} is complete. It holds secrets and personal data: keep it where nobody else can read it.`,
    );
    if (!isChecked)
      output.line('Its schema is another version’s, so only the file was checked, not the books.');
  },
});
