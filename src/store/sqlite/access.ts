/** Synchronous operations as the asynchronous ones of the interface, with the database's troubles told from bugs. */
import type { DatabaseSync } from 'node:sqlite';
import type { CheckoutId } from '../../checkout/ids.ts';
import { systemFieldsOf } from '../../lib/error-message.ts';
import { StoreClosed, StoreUnavailable } from '../errors.ts';
import { createHealth } from '../health.ts';
import type { Checkpoints } from './checkpoint.ts';
import { type Changed, everything, type LogSync, nothing } from './log-sync.ts';
import type { Readers } from './readers.ts';
import { inTransaction } from './transaction.ts';
import { damagedRow, inWords, isDamage } from './unusable.ts';
import type { Watch } from './watch.ts';

/** Result codes BUSY and LOCKED: somebody else is writing, for too long. */
const lockErrors = new Set([5, 6]);
/** Primary result codes that are not our mistake: those, and READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB. */
const environmentErrors = new Set([...lockErrors, 8, 10, 11, 13, 14, 15, 26]);

/** Room that a trial asks for after a failure: more than most changes write to the log. */
const TRIAL_BYTES = 256 * 1024;

type Operation<A extends unknown[], R> = (...args: A) => R;

/** Parts that a server runs beside its work, for as long as it has the database open. */
export type Server = {
  readonly watch: Watch;
  readonly checkpoints: Checkpoints;
  readonly logSync: LogSync;
  readonly readers: Readers;
};

export type Access = ReturnType<typeof createAccess>;

/** Operations resolve when everything that they tell of is on the disk. */
export function createAccess(database: DatabaseSync, server: Server | null) {
  const logSync = server?.logSync;
  const version = database.prepare('PRAGMA user_version');
  const health = createHealth({
    isContention: isLock,
    write: writing(({ failure }: { readonly failure: boolean }) => {
      // A write of the number that is there already still goes through the log and its fsync.
      inTransaction(database, () => {
        database.exec(`PRAGMA user_version = ${version.get()?.user_version}`);
        if (failure) database.exec(`UPDATE directory SET trial = zeroblob(${TRIAL_BYTES})`);
      });
      if (failure) inTransaction(database, () => database.exec('UPDATE directory SET trial = NULL'));
    }),
  });

  /** The error as the interface has it. */
  function translated(error: unknown): unknown {
    if (!database.isOpen) return new StoreClosed();
    const { errcode } = systemFieldsOf(error);
    if (errcode === undefined) return damagedRow(error) ?? error;
    const code = errcode & 0xff;
    if (environmentErrors.has(code)) {
      const about = isDamage(error) ? ` in ${database.location()}` : '';
      return new StoreUnavailable(`SQLite${about}: ${inWords(error)}`, { cause: error });
    }
    // A statement may not fit the schema of another version.
    server?.watch.look();
    return trouble() ?? error;
  }

  const trouble = () => server?.watch.trouble() ?? logSync?.trouble() ?? null;
  const allSafe = () => logSync?.allSafe() ?? null;

  /** Where it reads one session, or the accounts, other changes may still be on their way to the disk. */
  function reading<A extends unknown[], R>(
    operation: Operation<A, R>,
    only?: Operation<A, CheckoutId | 'accounts'>,
  ): Operation<A, Promise<R>> {
    return async (...args) => {
      const result = attempt(() => operation(...args));
      const wait = only === undefined ? allSafe() : (logSync?.safe(only(...args)) ?? null);
      if (wait !== null) await wait;
      return result;
    };
  }

  function writing<A extends unknown[], R>(
    operation: Operation<A, R>,
    changedBy: (result: R) => Changed = () => everything,
  ): Operation<A, Promise<R>> {
    return async (...args) => {
      const room = server?.checkpoints.room();
      if (room) await room;
      const known = trouble();
      if (known) throw known;
      const result = attempt(() => operation(...args));
      logSync?.written(changedBy(result));
      server?.checkpoints.written();
      await allSafe();
      return result;
    };
  }

  function attempt<R>(operation: () => R): R {
    try {
      return operation();
    } catch (error) {
      throw translated(error);
    }
  }

  return {
    reading,
    /** Answers at once, of what may still be on its way to the disk. */
    looking<A extends unknown[], R>(operation: Operation<A, R>): Operation<A, R> {
      return (...args) => attempt(() => operation(...args));
    },
    /** Reading in a thread, which sees what may still be on its way to the disk. */
    readingLater<A extends unknown[], R>(operation: Operation<A, Promise<R>>): Operation<A, Promise<R>> {
      return async (...args) => {
        const result = await operation(...args).catch((error) => {
          throw translated(error);
        });
        const unsafe = allSafe();
        if (unsafe !== null) await unsafe;
        return result;
      };
    },
    writing,
    /** Writing for which no read of a session or of accounts waits: it is about neither. */
    writingAside: <A extends unknown[]>(operation: Operation<A, void>) => writing(operation, () => nothing),
    /** Writing the changes of a commit, whose result says what it has changed. */
    changing<A extends unknown[]>(operation: Operation<A, Changed>): Operation<A, Promise<void>> {
      const change = writing(operation, (changed) => changed);
      return (...args) => health.change(async () => void (await change(...args)));
    },
    async checkHealth(): Promise<void> {
      const known = trouble();
      if (known) throw known;
      await health.check();
    },
  };
}

function isLock({ cause }: StoreUnavailable): boolean {
  const { errcode = 0 } = systemFieldsOf(cause);
  return lockErrors.has(errcode & 0xff);
}
