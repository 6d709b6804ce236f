import { closeSync, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';

/** Bytes of the log at which it is copied into the database file. */
const COPY_AT_BYTES = 48 * 2 ** 20;
/** Multiple of that which makes a log long: a program has been reading for minutes. */
const LONG = 4;
/**
 * Under load, a piece of the log is copied each time that so much has gone by. (Measured: with pieces of 300 ms the 99th
 * percentile of changes was 11 ms instead of 7, that of fetches beside them 6 ms instead of 4. With 40 ms one change of twenty
 * took 9 ms, with 20 ms 7, and with 12 ms the slowest were slower again.)
 */
const STEP_MS = 20;
/** Commits behind which a piece is copied, at least: it costs two syncs, which a single change is not worth. */
const STEP_COMMITS = 4;
/** Pieces before the rest is copied: each has only what was written during the one before, so that leaves little. */
const ROUNDS = 3;

/** Tasks of the thread: copy a piece; copy the rest and begin anew, nobody writes; end. */
export type Task = 'step' | 'finish' | 'stop';
/** Reports of the thread: the task that it has done, and whether there is more to copy. */
export type Report = { readonly done: Exclude<Task, 'stop'>; readonly isMore: boolean };
export type ThreadData = { readonly path: string; readonly file: number; readonly copyAtBytes: number };

export type Checkpoints = ReturnType<typeof startCheckpoints>;

/**
 * Keeps the log short without holding up whoever serves: a thread copies it into the database file and brings that to
 * the disk, a piece at a time, since a sync of the log has to wait for what the disk is writing. Only a log that was
 * copied whole is begun anew, and under steady load the thread alone never gets there; so when only little is left,
 * changes wait for the few milliseconds that this takes. Reads never do. The thread begins it anew as well: SQLite syncs
 * the head of a new log in front of its first change.
 *
 * The file of the log tells how long it is: a log that is begun anew is cut to `copyAtBytes`, and reuses what is left of
 * it. While the thread copies, as much again may be written; then changes wait. Only somebody who reads for long keeps
 * the log from being begun anew, and it is copied again each time that it has grown by as much.
 */
export function startCheckpoints(
  database: DatabaseSync,
  path: string,
  { copyAtBytes = COPY_AT_BYTES, onLong = (_bytes: number) => {} } = {},
) {
  const log = `${database.location()}-wal`;
  database.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${copyAtBytes}`);
  const file = openSync(`${database.location()}`, 'r');
  const workerData: ThreadData = { path, file, copyAtBytes };
  /** Begins with the first task: a start need not wait for it, and who writes little never has one. */
  let thread: ReturnType<typeof start> | null = null;
  let copyAt = copyAtBytes;
  let longAt = LONG * copyAtBytes;
  let hasFailed = false;
  let copying: PromiseWithResolvers<void> | null = null;
  let rounds = 0;
  let isFinishing = false;
  let isStepping = false;
  let steppedAt = performance.now();
  let commits = 0;

  const size = () => statSync(log, { throwIfNoEntry: false })?.size ?? 0;

  function ask(task: Task): void {
    thread ??= start();
    thread.worker.postMessage(task);
  }

  function end(): void {
    isFinishing = false;
    copying?.resolve();
    copying = null;
  }

  function copyNext(): void {
    if (rounds > 0) {
      rounds -= 1;
      ask('step');
      return;
    }
    isFinishing = true;
    thread?.hold.letGo();
    ask('finish');
  }

  function start() {
    const hold = holdOn(`${database.location()}`);
    hold.renew();
    const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData });
    worker.on('message', ({ done, isMore }: Report) => {
      isStepping = false;
      steppedAt = performance.now();
      if (done === 'step') {
        if (isMore) hold.renew();
        if (copying !== null) copyNext();
        return;
      }
      hold.renew();
      // Where it was begun anew, it was cut.
      copyAt = size() + copyAtBytes;
      end();
    });
    worker.on('error', () => {
      // Without the thread the writer copies by itself, as SQLite does where nobody says otherwise.
      database.exec('PRAGMA wal_autocheckpoint = 1000');
      hold.close();
      hasFailed = true;
      end();
    });
    return { worker, hold, ended: new Promise((resolve) => worker.once('exit', resolve)) };
  }

  return {
    /** Notes a commit; to be called after each. */
    written(): void {
      if (copying !== null || hasFailed) return;
      const bytes = size();
      if (bytes <= copyAtBytes) {
        copyAt = copyAtBytes;
        longAt = LONG * copyAtBytes;
      }
      if (bytes > longAt) {
        longAt = 2 * bytes;
        onLong(bytes);
      }
      if (bytes <= copyAt) {
        commits += 1;
        if (isStepping || commits < STEP_COMMITS || performance.now() - steppedAt < STEP_MS) return;
        isStepping = true;
        commits = 0;
        ask('step');
        return;
      }
      copyAt = bytes;
      copying = Promise.withResolvers();
      rounds = ROUNDS;
      if (!isStepping) copyNext();
    },

    /** Resolves when there is room in the log for another change; null if there is now. */
    room(): Promise<void> | null {
      if (copying === null) return null;
      return isFinishing || size() > copyAt + copyAtBytes ? copying.promise : null;
    },

    /** Keeps nobody any longer from beginning the log anew, or from cutting it. */
    letGo: (): void => thread?.hold.close(),

    async stop(): Promise<void> {
      if (thread === null) return;
      thread.hold.close();
      ask('stop');
      await thread.ended;
    },

    /** Closes the file that the thread syncs; to be called when the database is closed, whose locks go with it. */
    release: () => closeSync(file),
  };
}

/**
 * A hold on the log: a reader, whom nothing may be copied past and the log not be begun anew under. Without it, each piece
 * that happens to be all of the log would leave it to the next change to begin anew, and so to wait for the disk.
 */
function holdOn(path: string) {
  const reader = new DatabaseSync(path, { readOnly: true });
  const look = reader.prepare('PRAGMA user_version');

  function letGo(): void {
    if (reader.isOpen && reader.isTransaction) reader.exec('COMMIT');
  }

  return {
    /** Moves on to what is newest. Where all of the log is in the file already, that is no hold, and stops the copying. */
    renew(): void {
      letGo();
      if (!reader.isOpen) return;
      try {
        reader.exec('BEGIN');
        look.get();
      } catch {
        // A disk that does not answer is in the way of everybody, and they say so.
      }
    },
    letGo,
    close(): void {
      if (reader.isOpen) reader.close();
    },
  };
}
