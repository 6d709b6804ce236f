/**
 * Notices that the database is no longer the one that was opened: its file or its log was removed or replaced, or the
 * schema is another version's. What is in a log that is no longer found would be lost at the end of the process, so it
 * is copied into the file at once. From then on nothing is written: a start opens everything anew.
 */
import { renameSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../errors.ts';
import { migrations, schemaOf } from './migrate.ts';
import { idOf, type Ownership } from './ownership.ts';

const LOOK_EVERY_MS = 250;

export type Watch = ReturnType<typeof watchFiles>;

/**
 * Watches the files from the first statement on, when the log is there. `onTrouble` gets lines for the operator; `letGo`
 * closes whatever of this process keeps the log from being cut.
 */
export function watchFiles(
  database: DatabaseSync,
  path: string,
  owned: Ownership,
  onTrouble: (text: string) => void,
  letGo: () => void = () => {},
) {
  const name = database.location();
  const file = opened(path, 'the database file');
  const log = opened(`${name}-wal`, 'the log of the database');
  const files = [file, log, opened(`${name}-shm`, 'the index of the log')];
  const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const cut = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  let trouble: StoreUnavailable | null = null;
  let isSaved = true;

  function look(): void {
    if (trouble === null) {
      const lost = files.find(({ isThere }) => !isThere());
      const schema = schemaOf(database);
      if (lost !== undefined) {
        isSaved = false;
        letGo();
        report(`${lost.what} was removed or replaced while it was served`, lost.path);
      } else if (schema !== migrations.length) {
        const schemas = `schema ${schema}, this one knows ${migrations.length}`;
        report('the database was migrated by another version of opentill', schemas);
      } else owned.renew();
    }
    if (!isSaved) save();
  }

  function report(reason: string, about: string): void {
    trouble = new StoreUnavailable(`SQLite: ${reason} (${about})`, { reason });
    onTrouble(`${reason} (${about}); changes are refused until the service is started again`);
  }

  function save(): void {
    try {
      const { log: pages, checkpointed } = checkpoint.get() ?? {};
      if (pages !== checkpointed) return;
      // Another database that is found by the name now must get nothing of this log, and this one of no other.
      isSaved = cut.get()?.busy === 0;
      if (!isSaved) return;
      onTrouble('everything in the log was copied into the database file');
      if (file.isThere() && !log.isThere()) renameSync(log.path, `${log.path}.replaced`);
    } catch {
      // A full disk, for one, or somebody who reads: it is tried again. Or there is no other log.
    }
  }

  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // A disk that does not answer is in the way of everybody, and they say so.
    }
  }, LOOK_EVERY_MS).unref();

  return {
    /** Reason why the database must not be used any more, or null. */
    trouble: (): StoreUnavailable | null => trouble,
    look,
    stop: () => clearInterval(timer),
  };
}

/** File that SQLite has open. */
function opened(path: string, what: string) {
  const id = idOf(path);
  return { path, what, isThere: () => idOf(path) === id };
}
