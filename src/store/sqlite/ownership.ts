/**
 * The right to open a database file. One process serves it, commands work beside that one, and all of them come by the
 * same name: SQLite keeps the log beside the name, and by another name it is not found.
 *
 * The locks are SQLite's own. They end with the process that holds them, however it ends.
 *
 * - Every connection holds a shared lock on the database file itself. Who comes first proves with an exclusive one that
 *   nobody has the file open, by whatever name, and whatever was removed beside it.
 * - Whoever is in holds a shared lock on `<name>.lock`, by which those behind know that the proof was given.
 * - The server holds the reserved lock there, of which there is one.
 */
import { closeSync, existsSync, fchownSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, systemFieldsOf } from '../../lib/error-message.ts';
import { UnusableDatabase } from '../errors.ts';

/** Longest wait for a program that has the file open for a moment. */
const PROOF_TIMEOUT_MS = 1_000;
/** Longest wait for whoever is proving; that may copy the log of a crash into the file. */
const ENTRY_TIMEOUT_MS = 10_000;
const SQLITE_BUSY = 5;

export type Ownership = {
  /** Takes the lock again if its file was removed: the lock on the database file has kept everybody out meanwhile. */
  renew(): void;
  release(): void;
};

/** Takes the sole right to serve the database; null while another process has it. */
export function tryToOwn(path: string): Ownership | null {
  const name = nameOf(path);
  const lock = entered(name, (opened) => {
    proveUnlessOthersAreIn(opened, name);
    return reserve(opened);
  });
  return lock === null ? null : ownership(name, lock);
}

/** Takes the sole right to serve the database, for as long as the process lives. */
export function own(path: string): Ownership {
  const owned = tryToOwn(path);
  if (owned === null) throw new UnusableDatabase(`another process is serving the database ${path}`);
  return owned;
}

/** Keeps servers out, for a command that works on the whole file; null while a process serves it. */
export function keepServersOut(path: string): Pick<Ownership, 'release'> | null {
  const lock = entered(nameOf(path), reserve);
  return lock === null ? null : { release: () => lock.close() };
}

/** Comes in to write, beside a server if there is one. Returns the function that leaves again. */
export function enterToWrite(path: string): () => void {
  const name = nameOf(path);
  const lock = entered(name, (opened) => {
    proveUnlessOthersAreIn(opened, name);
    share(opened);
    return true;
  });
  return () => lock?.close();
}

/**
 * Comes in to read. Who reads alone gives no proof, which would copy the log of a crash into the file: a server that
 * starts meanwhile is refused until the reader has gone.
 */
export function enterToRead(path: string): () => void {
  const name = nameOf(path);
  if (!existsSync(lockOf(name))) return () => {};
  try {
    const lock = entered(name, (opened) => {
      if (succeeds(opened, 'BEGIN EXCLUSIVE')) return false;
      share(opened);
      return true;
    });
    return () => lock?.close();
  } catch {
    // Where the lock cannot be opened, whoever reads holds the one on the database file at least.
    return () => {};
  }
}

const lockOf = (name: string) => `${name}.lock`;

/** Name beside which SQLite keeps the log: without symbolic links. Throws if the file has further names. */
function nameOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return join(realpathSync(dirname(path)), basename(path));
  if (found.nlink > 1) {
    throw new UnusableDatabase(
      `the database ${path} has ${found.nlink} names (hard links), and its log is found by one of them only; remove the others`,
    );
  }
  return realpathSync(path);
}

/** Lock, if `enter` gets what it wants of it. */
function entered(name: string, enter: (lock: DatabaseSync) => boolean): DatabaseSync | null {
  const lock = openLock(name);
  try {
    if (enter(lock)) return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
  lock.close();
  return null;
}

function openLock(name: string): DatabaseSync {
  const path = lockOf(name);
  try {
    makeLock(path, name);
    return new DatabaseSync(path, { timeout: 0 });
  } catch (error) {
    throw new UnusableDatabase(`cannot open ${path}: ${messageOf(error)}`);
  }
}

/** Makes the file for whom the database belongs to, as SQLite does with its log: a command may be run by root. */
function makeLock(path: string, name: string): void {
  if (existsSync(path)) return;
  const owner = statSync(name, { throwIfNoEntry: false });
  const file = openSync(path, 'a', 0o600);
  try {
    if (owner !== undefined && process.getuid?.() === 0) fchownSync(file, owner.uid, owner.gid);
  } finally {
    closeSync(file);
  }
}

/** Proves it while nobody comes in or leaves by this name, unless others are in. */
function proveUnlessOthersAreIn(lock: DatabaseSync, name: string): void {
  if (!succeeds(lock, 'BEGIN EXCLUSIVE')) return;
  prove(name);
  lock.exec('COMMIT');
}

/** Throws if anybody has the file open. */
function prove(name: string): void {
  if (!existsSync(name)) return;
  let probe: DatabaseSync | undefined;
  try {
    probe = new DatabaseSync(name, { timeout: PROOF_TIMEOUT_MS });
    probe.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
  } catch (error) {
    // Anything else is in the way of whoever opens it next, who can say what it is.
    if (!isBusy(error)) return;
    throw new UnusableDatabase(
      `another program has the database ${name} open, perhaps a server by another name; end it first`,
    );
  } finally {
    probe?.close();
  }
}

/** Holds a shared lock, or waits for one who is proving. */
function share(lock: DatabaseSync): void {
  lock.exec(`PRAGMA busy_timeout = ${ENTRY_TIMEOUT_MS}; BEGIN`);
  lock.prepare('SELECT count(*) FROM sqlite_schema').get();
}

/** Holds the server's lock; false if another process holds it. */
function reserve(lock: DatabaseSync): boolean {
  // A process that is proving is waited for, and a server is not.
  share(lock);
  lock.exec('COMMIT; PRAGMA busy_timeout = 0');
  return succeeds(lock, 'BEGIN IMMEDIATE');
}

/** False if others hold a lock that is in the way. */
function succeeds(lock: DatabaseSync, statement: string): boolean {
  try {
    lock.exec(statement);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  const { errcode } = systemFieldsOf(error);
  return errcode !== undefined && (errcode & 0xff) === SQLITE_BUSY;
}

function ownership(name: string, first: DatabaseSync): Ownership {
  let lock: DatabaseSync | null = first;
  let file = idOf(lockOf(name));
  return {
    renew() {
      if (lock !== null && idOf(lockOf(name)) === file) return;
      lock?.close();
      lock = entered(name, reserve);
      file = idOf(lockOf(name));
    },
    release: () => lock?.close(),
  };
}

/** Device and inode of a file, or null where there is none. */
export function idOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}
