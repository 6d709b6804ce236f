import { type CheckListener, isBroken, type Outcome } from '../../store/check/check.ts';
import { checkPostgres } from '../../store/postgres/check.ts';
import { checkSqlite } from '../../store/sqlite/check.ts';
import { openForReading } from '../../store/sqlite/file.ts';
import { refuseNewer, refuseOlder } from '../../store/sqlite/migrate.ts';
import { UnusableDatabase } from '../../store/store.ts';
import { percent, startProgress } from '../progress.ts';
import { takesNothing } from '../usage-error.ts';
import { wordsAndDatabase } from './options.ts';

/** `db check`: whether the database is whole and everything in it adds up; a line for each rule. */
export async function check(args: readonly string[]): Promise<void> {
  const { words, database } = wordsAndDatabase(args);
  takesNothing('db check', words);
  const progress = startProgress();
  let held = 0;
  let leftOut = 0;
  let broken = 0;
  const listener: CheckListener = {
    outcome(outcome) {
      progress.clear();
      console.log(lineOf(outcome));
      if (isBroken(outcome)) broken++;
      else if (outcome.skipped) leftOut++;
      else held++;
    },
    progress: (what, done, total) => progress.show(percent(what, done, total)),
  };
  try {
    if (database.kind === 'postgres') await checkPostgres(database.url, listener);
    else checkFile(database.path, listener);
  } finally {
    progress.clear();
  }
  if (broken > 0) throw new UnusableDatabase(`the database breaks ${broken} of ${held + broken} rules`);
  console.log(leftOut === 0 ? `All ${held} rules hold.` : `${held} rules hold, ${leftOut} left out.`);
}

function checkFile(path: string, listener: CheckListener): void {
  const database = openForReading(path);
  try {
    refuseNewer(database, path);
    refuseOlder(database, path);
    checkSqlite(database, listener);
  } finally {
    database.close();
  }
}

function lineOf(outcome: Outcome): string {
  const { rule, count, examples, untold, skipped = false } = outcome;
  if (!isBroken(outcome)) return skipped ? `– ${rule}: left out, ${untold}` : `✓ ${rule}`;
  if (untold !== undefined) return `✗ ${rule}: cannot be told, ${untold}`;
  const more = count > examples.length ? ` and ${count - examples.length} more` : '';
  return `✗ ${rule}: not so for ${examples.join(', ')}${more}`;
}
