/** Copies of a whole SQLite database: out of one that is being served, and back to where there is none. */
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup } from 'node:sqlite';
import { inOneLine, makeFile, UnusableFile } from '../../lib/atomic-file.ts';
import { UnusableDatabase } from '../errors.ts';
import { openForReading, openUnchanging, refuseLongLog } from './file.ts';
import { refuseNewer } from './migrate.ts';
import { type Ownership, own } from './ownership.ts';

/** So much is copied at once, between two signs of progress: 16 MiB. */
const PAGES_AT_ONCE = 4096;
const HEADER = 'SQLite format 3\0';

/** Copies the database to a new file, from which a service can start. */
export async function backUpSqlite(
  path: string,
  file: string,
  progress: (done: number, total: number) => void,
  maxLogBytes?: number,
): Promise<void> {
  const database = openForReading(path);
  try {
    // What is copied is what this transaction sees. Without it, each change meanwhile would begin the copy anew, and
    // under load it would never end.
    database.exec('BEGIN');
    database.prepare('SELECT count(*) FROM account').get();
    await makeFile(file, (part) =>
      backup(database, part, {
        rate: PAGES_AT_ONCE,
        progress({ totalPages, remainingPages }) {
          refuseLongLog(database, maxLogBytes);
          progress(totalPages - remainingPages, totalPages);
        },
      }),
    );
  } finally {
    database.close();
  }
}

/** Makes the database of a backup. Nobody can serve it meanwhile, and there must be none yet. */
export async function restoreSqlite(file: string, path: string): Promise<void> {
  refuseOther(file);
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

/** Whoever starts a service now is told that another one has the database. */
function ownPlaceOf(path: string): Ownership {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return own(path);
  } catch (error) {
    throw inOneLine(error, path);
  }
}

function refuseOther(file: string): void {
  if (!existsSync(file)) throw new UnusableDatabase(`there is no file ${file}`);
  if (beginningOf(file) !== HEADER) throw new UnusableDatabase(`${file} is no backup of a SQLite database`);
  const log = `${file}-wal`;
  if (existsSync(log) && statSync(log).size > 0) {
    throw new UnusableDatabase(
      `${file} is a database in use, with changes that are only in ${log}; make a backup of it with opentill db backup`,
    );
  }
}

/** A log without its database would be taken for that of the new one. */
function refuseExisting(path: string): void {
  for (const each of [path, `${path}-wal`, `${path}-journal`]) {
    if (existsSync(each))
      throw new UnusableDatabase(`${each} exists already; move it away to restore a backup there`);
  }
}

function verify(part: string, file: string): void {
  try {
    const database = openUnchanging(part);
    try {
      refuseNewer(database, file);
      const [first] = database.prepare('PRAGMA integrity_check(1)').all();
      if (first?.integrity_check !== 'ok') throw new Error(`${first?.integrity_check}`);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof UnusableDatabase || error instanceof UnusableFile) throw error;
    throw new UnusableDatabase(`${file} is damaged: ${(error as Error).message.replaceAll(/\s+/g, ' ')}`);
  }
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
