/** Synchronous operations as the asynchronous ones of the interface, with the database's troubles told from bugs. */
import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../errors.ts';
import { createHealth } from '../health.ts';
import { inTransaction } from './transaction.ts';
import { damagedRow, inWords, isDamage } from './unusable.ts';
import type { Watch } from './watch.ts';

/** BUSY, LOCKED: somebody else is writing, for too long. */
const lockErrors = new Set([5, 6]);
/** READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB: with those, the primary result codes that are not our mistake. */
const environmentErrors = new Set([...lockErrors, 8, 10, 11, 13, 14, 26]);

/** What a trial asks for after a failure: more than most changes write to the log. */
const TRIAL_BYTES = 256 * 1024;

type Operation<A extends unknown[], R> = (...args: A) => R;

/** `watch` is the server's; `written` is called behind each write. */
export function createAccess(database: DatabaseSync, watch: Watch | null, written: () => void) {
  const version = database.prepare('PRAGMA user_version');
  const health = createHealth({
    isContention: isLock,
    write: writing(({ failure }: { readonly failure: boolean }) => {
      // Writing the number that is there already still goes through the log and its fsync.
      inTransaction(database, () => {
        database.exec(`PRAGMA user_version = ${version.get()?.user_version}`);
        if (failure) database.exec(`UPDATE directory SET trial = zeroblob(${TRIAL_BYTES})`);
      });
      if (failure) inTransaction(database, () => database.exec('UPDATE directory SET trial = NULL'));
    }),
  });

  /** The error as the interface has it. */
  function translated(error: unknown): unknown {
    const { errcode } = error as { errcode?: number };
    if (errcode === undefined) return damagedRow(error) ?? error;
    const code = errcode & 0xff;
    if (environmentErrors.has(code)) {
      const about = isDamage(error) ? ` in ${database.location()}` : '';
      return new StoreUnavailable(`SQLite${about}: ${inWords(error)}`, { cause: error });
    }
    // A statement may not fit the schema of another version.
    watch?.look();
    return watch?.trouble() ?? error;
  }

  function reading<A extends unknown[], R>(operation: Operation<A, R>): Operation<A, Promise<R>> {
    return async (...args) => {
      try {
        return operation(...args);
      } catch (error) {
        throw translated(error);
      }
    };
  }

  function writing<A extends unknown[], R>(operation: Operation<A, R>): Operation<A, Promise<R>> {
    return async (...args) => {
      const trouble = watch?.trouble();
      if (trouble) throw trouble;
      try {
        const result = operation(...args);
        written();
        return result;
      } catch (error) {
        throw translated(error);
      }
    };
  }

  return {
    reading,
    writing,
    /** Writing for others. */
    changing<A extends unknown[], R>(operation: Operation<A, R>): Operation<A, Promise<R>> {
      const change = writing(operation);
      return (...args) => health.change(() => change(...args));
    },
    async checkHealth(): Promise<void> {
      const trouble = watch?.trouble();
      if (trouble) throw trouble;
      await health.check();
    },
  };
}

function isLock({ cause }: StoreUnavailable): boolean {
  const { errcode = 0 } = (cause ?? {}) as { errcode?: number };
  return lockErrors.has(errcode & 0xff);
}
