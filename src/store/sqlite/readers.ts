/**
 * Readers: threads with connections of their own, for whatever may look at more rows than it gives. The thread that
 * answers requests only hands over what is asked and what was found. A read that takes too long ends itself, by the
 * function `in_time` in its statement; the thread is given up only if it does not answer even so, as on a disk that hangs.
 *
 * All connections of the process share what SQLite knows of the locks on the file, in whatever thread they are: closing
 * one, or ending its thread, leaves the locks of the others alone.
 */
import { createThreadPool } from '../../lib/thread-pool.ts';
import { DamagedRow, StoreClosed, StoreUnavailable } from '../errors.ts';
import { listTurns, tooManyLists } from '../lists.ts';
import type { ReadAnswer, ReaderSetup, ReadTask } from './reader-thread.ts';

const defaults = {
  threads: 2,
  ...listTurns,
  startMs: 10_000,
  /** Time for one read. */
  readMs: 2_000,
  /** Time beyond that after which a thread is given up. */
  graceMs: 2_000,
  idleMs: 60_000,
  /** A page has no more than a hundred rows. Room for new objects that V8 would take otherwise is not given back for long. */
  memory: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 },
};

export type ReaderLimits = typeof defaults;

export type Readers = ReturnType<typeof createReaders>;

const errors = {
  tooMany: tooManyLists,
  tooLong: () => new StoreUnavailable('SQLite: a list took too long'),
  failed: (why: string) => new StoreUnavailable(`SQLite: a reader has failed: ${why}`),
};

/** `file` is the id of the database file: a thread refuses another one that has taken its name. */
export function createReaders(path: string, file: string | null, options: Partial<ReaderLimits> = {}) {
  const { readMs, graceMs, ...limits } = { ...defaults, ...options };
  const workerData: ReaderSetup = { path, file, readMs };
  const pool = createThreadPool<ReadTask, ReadAnswer>(new URL('./reader-thread.ts', import.meta.url), {
    limits: { ...limits, jobMs: readMs + graceMs },
    errors,
    workerData,
  });

  return {
    /** Reads for a tenant, or with `''` for the service itself. */
    async read(tenant: string, task: ReadTask): Promise<unknown> {
      return foundIn(await pool.run(tenant, task));
    },

    /** Ends all threads. What is being read is given up. */
    close: () => pool.close(() => new StoreClosed()),
  };
}

function foundIn(answer: ReadAnswer): unknown {
  if ('found' in answer) return answer.found;
  if ('damaged' in answer) throw new DamagedRow(answer.damaged, answer.id);
  if ('unavailable' in answer) throw new StoreUnavailable(answer.unavailable);
  throw Object.assign(new Error(answer.failed.message), answer.failed);
}
