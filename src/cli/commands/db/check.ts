import { type CheckListener, isBroken, type Outcome } from '../../../store/check/check.ts';
import { checkPostgres } from '../../../store/postgres/check.ts';
import { checkSqlite } from '../../../store/sqlite/check.ts';
import { openForReading } from '../../../store/sqlite/file.ts';
import { refuseOther } from '../../../store/sqlite/migrate.ts';
import { databaseOption } from '../../database-option.ts';
import { plainCommand } from '../../declare/access.ts';
import { linesOf } from '../../declare/json.ts';
import { exitStatus } from '../../failure.ts';
import { percent, startProgress } from '../../progress.ts';

export const command = plainCommand({
  purpose: 'Check that the database is intact and its books add up, while the service runs.',
  details: ['Prints a line for each rule. The exit status is 3 if a rule is broken.'],
  options: { database: databaseOption },
  json: linesOf({
    rule: {
      rule: 'The rule, in words.',
      status: '`holds`, `broken`, or `skipped` where it cannot be checked on this database.',
      count: 'Number of rows that break it.',
      examples: 'Ids of some of them.',
      reason: 'Reason why it could not be checked, or null.',
    },
    summary: {
      holds: 'Number of rules that hold.',
      broken: 'Number of broken rules.',
      skipped: 'Number of rules that were not checked.',
    },
  }),
  examples: [['opentill db check', 'The database of the settings']],
  async run({ database }, { output }) {
    const progress = startProgress();
    const counts = { holds: 0, broken: 0, skipped: 0 };
    const listener: CheckListener = {
      outcome(outcome) {
        progress.clear();
        const status = isBroken(outcome) ? 'broken' : outcome.skipped ? 'skipped' : 'holds';
        counts[status]++;
        const { rule, count, examples, untold: reason = null } = outcome;
        output.record({ record: 'rule', rule, status, count, examples, reason }, lineOf(outcome));
      },
      progress: (what, done, total) => progress.show(percent(what, done, total)),
    };
    try {
      if (database.kind === 'postgres') await checkPostgres(database.url, listener);
      else await checkFile(database.path, listener);
    } finally {
      progress.clear();
    }
    const { holds, broken, skipped } = counts;
    const summary = skipped === 0 ? `All ${holds} rules hold.` : `${holds} rules hold, ${skipped} left out.`;
    output.record({ record: 'summary', ...counts }, broken > 0 ? [] : summary);
    if (broken === 0) return;
    output.remark(`the database breaks ${broken} of ${holds + broken} rules`);
    process.exitCode = exitStatus.found;
  },
});

async function checkFile(path: string, listener: CheckListener): Promise<void> {
  const database = openForReading(path);
  try {
    refuseOther(database, path);
    await checkSqlite(database, listener);
  } finally {
    database.close();
  }
}

function lineOf(outcome: Outcome): string {
  const { rule, count, examples, untold, skipped = false } = outcome;
  if (!isBroken(outcome)) return skipped ? `– ${rule}: left out, ${untold}` : `✓ ${rule}`;
  if (untold !== undefined) return `✗ ${rule}: cannot be checked, ${untold}`;
  const more = count > examples.length ? ` and ${count - examples.length} more` : '';
  return `✗ ${rule}: not so for ${examples.join(', ')}${more}`;
}
