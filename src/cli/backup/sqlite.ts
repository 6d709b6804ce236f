/** Copies of a whole SQLite database: out of one that is being served, and back to where there is none. */
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { inOneLine, makeFile, UnusableFile } from '../../lib/atomic-file.ts';
import { messageLineOf } from '../../lib/error-message.ts';
import { type CheckListener, isBroken, type Outcome } from '../../store/check/check.ts';
import { UnusableDatabase } from '../../store/errors.ts';
import { checkSqlite, FILE_IS_WHOLE } from '../../store/sqlite/check.ts';
import { openForReading, openUnchanging, refuseLongLog } from '../../store/sqlite/file.ts';
import { migrations, refuseOther, schemaOf } from '../../store/sqlite/migrate.ts';
import { type Ownership, own } from '../../store/sqlite/ownership.ts';
import { isDamage } from '../../store/sqlite/unusable.ts';

/** Pages that are copied at once, between two signs of progress: 16 MiB. */
const PAGES_AT_ONCE = 4096;
const HEADER = 'SQLite format 3\0';

export type BackupCheck = {
  /** Rules of `db check` that the copy breaks, as its database does. */
  readonly broken: readonly Outcome[];
  /** True if the rules were asked: a schema of another version has its own. */
  readonly isChecked: boolean;
};

/**
 * Copies the database to a new file, from which a service can start, and looks at what was written. Of a database that
 * is damaged there is no backup; of one that only breaks rules there is.
 */
export async function backUpSqlite(
  path: string,
  file: string,
  progress: CheckListener['progress'],
  maxLogBytes?: number,
): Promise<BackupCheck> {
  return await makeFile(file, async (part) => {
    await copy(path, part, progress, maxLogBytes);
    return checkCopy(path, part, progress);
  });
}

async function copy(
  path: string,
  part: string,
  progress: CheckListener['progress'],
  maxLogBytes?: number,
): Promise<void> {
  const database = openForReading(path);
  try {
    // The copy has what this transaction sees. Without it, each change meanwhile would begin the copy anew, and
    // under load it would never end.
    database.exec('BEGIN');
    database.prepare('SELECT count(*) FROM account').get();
    await backup(database, part, {
      rate: PAGES_AT_ONCE,
      progress({ totalPages, remainingPages }) {
        refuseLongLog(database, maxLogBytes);
        progress('copying', totalPages - remainingPages, totalPages);
      },
    });
  } catch (error) {
    throw isDamage(error) ? damaged(`the database ${path}`, error) : error;
  } finally {
    database.close();
  }
}

/** Checks the copy, which holds up nobody: the database itself is closed again. */
async function checkCopy(
  path: string,
  part: string,
  progress: CheckListener['progress'],
): Promise<BackupCheck> {
  const broken: Outcome[] = [];
  try {
    using database = openUnchanging(part);
    const isChecked = schemaOf(database) === migrations.length;
    if (isChecked) {
      const outcome = (each: Outcome) => void (isBroken(each) && broken.push(each));
      await checkSqlite(database, { outcome, progress });
    } else {
      refuseDamaged(database);
    }
    const { examples, untold } = broken.find(({ rule }) => rule === FILE_IS_WHOLE) ?? {};
    if (examples) throw new Error(untold ?? examples.join('; '));
    return { broken, isChecked };
  } catch (error) {
    throw damaged(`the copy of the database ${path}`, error);
  }
}

/** Makes the database of a backup. Nobody can serve it meanwhile, and there must be none yet. */
export async function restoreSqlite(file: string, path: string): Promise<void> {
  refuseNoBackup(file);
  refuseExisting(path);
  const owned = ownPlaceOf(path);
  try {
    refuseExisting(path);
    // The copy is what is looked at: so it is also known to have been written and read again as it should be.
    await makeFile(path, async (part) => {
      await copyFile(file, part);
      verify(part, file);
    });
  } finally {
    owned.release();
  }
}

/** Owns the place of the new database: a service that starts there now is told that another process has it. */
function ownPlaceOf(path: string): Ownership {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return own(path);
  } catch (error) {
    throw inOneLine(error, path);
  }
}

function refuseNoBackup(file: string): void {
  if (!existsSync(file)) throw new UnusableDatabase(`there is no file ${file}`);
  if (beginningOf(file) !== HEADER)
    throw new UnusableDatabase(`${file} is not a backup of a SQLite database`);
  const log = `${file}-wal`;
  if (existsSync(log) && statSync(log).size > 0) {
    throw new UnusableDatabase(
      `${file} is a database in use, with changes that are only in ${log}; make a backup of it with opentill db backup`,
    );
  }
}

/** Refuses a place that is taken: a log without its database would be taken for that of the new one. */
function refuseExisting(path: string): void {
  for (const each of [path, `${path}-wal`, `${path}-journal`]) {
    if (existsSync(each))
      throw new UnusableDatabase(`${each} exists already; move it away to restore a backup there`);
  }
}

function verify(part: string, file: string): void {
  try {
    using database = openUnchanging(part);
    refuseOther(database, file, { migrates: true });
    refuseDamaged(database);
  } catch (error) {
    if (error instanceof UnusableDatabase || error instanceof UnusableFile) throw error;
    throw damaged(file, error);
  }
}

function refuseDamaged(database: DatabaseSync): void {
  const [first] = database.prepare('PRAGMA integrity_check(1)').all();
  if (first?.integrity_check !== 'ok') throw new Error(`${first?.integrity_check}`);
}

function damaged(name: string, error: unknown): UnusableDatabase {
  return new UnusableDatabase(`${name} is damaged: ${messageLineOf(error)}`);
}

function beginningOf(file: string): string {
  const bytes = Buffer.alloc(HEADER.length);
  const opened = openSync(file, 'r');
  try {
    return bytes.toString('latin1', 0, readSync(opened, bytes));
  } finally {
    closeSync(opened);
  }
}
