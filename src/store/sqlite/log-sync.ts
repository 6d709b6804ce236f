/**
 * Brings commits to the disk without holding up the thread that serves. The database is opened such that a commit only
 * writes to the log (synchronous=NORMAL), and the log is synced behind it by another thread, on a descriptor of its own;
 * commits that come meanwhile share the next sync. Until then a commit is unsafe: whoever would tell of it waits.
 *
 * A log that could not be synced is not tried again: the system may hold for written what it has dropped. What is really
 * there only a start can tell, which checks each page of the log.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { CheckoutId } from '../../checkout/ids.ts';
import { messageOf } from '../../lib/error-message.ts';
import { StoreUnavailable, UnusableDatabase } from '../errors.ts';
import type { OpenOptions } from '../store.ts';

/** Changes of a commit, of that which is read most: sessions by their ids, and accounts. */
export type Changed = { has(what: CheckoutId | 'accounts'): boolean };

export const everything: Changed = { has: () => true };
export const nothing: Changed = { has: () => false };

/** Commits that share a sync. */
type Group = PromiseWithResolvers<void> & { readonly changes: Changed[] };

/** Syncs an open file; as `fdatasync` of Node.js. */
export type SyncFile = (file: number, done: (error: Error | null) => void) => void;

export type LogSync = ReturnType<typeof startLogSync>;

export type LogSyncOptions = Pick<OpenOptions, 'onTrouble' | 'onLost'> & { readonly syncFile?: SyncFile };

export function startLogSync(
  database: DatabaseSync,
  { onTrouble = () => {}, onLost = () => {}, syncFile = fdatasync }: LogSyncOptions,
) {
  database.exec('PRAGMA synchronous = NORMAL');
  const file = openLog(database);
  let trouble: StoreUnavailable | null = null;
  let underWay: Group | null = null;
  let next: Group | null = null;

  function begin(group: Group): void {
    underWay = group;
    syncFile(file, (error) => {
      underWay = null;
      if (error === null) group.resolve();
      else fail(error, group);
      if (next === null || trouble !== null) return;
      const following = next;
      next = null;
      begin(following);
    });
  }

  function fail(error: Error, group: Group): void {
    const reason = 'the log of the database could not be synced to the disk';
    trouble = new StoreUnavailable(`SQLite: ${reason} (${error.message})`, { reason, cause: error });
    onTrouble(`${reason} (${error.message}); only a new start can tell what it holds`);
    group.reject(trouble);
    next?.reject(trouble);
    onLost();
  }

  return {
    /** Reason why the database must not be used any more, or null. */
    trouble: () => trouble,

    /** Notes a commit; to be called behind each. */
    written(changed: Changed): void {
      if (trouble !== null) return;
      next ??= newGroup();
      next.changes.push(changed);
      if (underWay !== null) return;
      const group = next;
      next = null;
      begin(group);
    },

    /** Resolves when every commit until now is on the disk; null if all are. Rejects if that will never be known. */
    allSafe(): Promise<void> | null {
      if (trouble !== null) return Promise.reject(trouble);
      return (next ?? underWay)?.promise ?? null;
    },

    /** Resolves when every commit that has changed this is on the disk, likewise. */
    safe(what: CheckoutId | 'accounts'): Promise<void> | null {
      if (trouble !== null) return Promise.reject(trouble);
      const has = (group: Group | null) => group?.changes.some((changed) => changed.has(what)) ?? false;
      if (has(next)) return next?.promise ?? null;
      return has(underWay) ? (underWay?.promise ?? null) : null;
    },

    /** Closes the log; to be called when the database is closed, and everything is safe. */
    stop: () => closeSync(file),
  };
}

function newGroup(): Group {
  const group = { ...Promise.withResolvers<void>(), changes: [] };
  // Perhaps nobody waits for it.
  group.promise.catch(() => {});
  return group;
}

/** Opens the log that SQLite writes to, and syncs what is in it: a disk that cannot do so is found at the start. */
function openLog(database: DatabaseSync): number {
  const path = `${database.location()}-wal`;
  if (database.prepare('PRAGMA synchronous').get()?.synchronous !== 1) {
    throw new UnusableDatabase(`the database ${database.location()} does not leave its log to be synced`);
  }
  let file: number | undefined;
  try {
    file = openSync(path, 'r+');
    fdatasyncSync(file);
    return file;
  } catch (error) {
    if (file !== undefined) closeSync(file);
    throw new UnusableDatabase(`cannot sync ${path} to the disk: ${messageOf(error)}`);
  }
}
