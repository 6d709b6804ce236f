/**
 * Readers: threads with connections of their own, for whatever may look at more rows than it gives. The thread that
 * answers requests only hands over what is asked and what was found. Tenants have their turns: each has one read under
 * way at a time, so that there is always a thread for another one, and when the queue is full, whoever waits with the
 * most gives way.
 *
 * A thread begins when it is first needed, since each takes memory. A read that takes too long ends itself, by the
 * function `in_time` in its statement; a thread that does not answer even so, as on a disk that hangs, is given up.
 *
 * All connections of the process share what SQLite knows of the locks on the file, in whatever thread they are: closing
 * one, or ending its thread, leaves the locks of the others alone.
 */
import { Worker } from 'node:worker_threads';
import { DamagedRow, StoreClosed, StoreUnavailable } from '../errors.ts';
import { createTurns, defaultTurns } from '../turns.ts';
import type { ReadAnswer, ReaderSetup, ReadTask } from './reader-thread.ts';

const defaults = {
  threads: 2,
  ...defaultTurns,
  /** Time for a thread to begin. */
  startMs: 10_000,
  /** Time for one read. */
  readMs: 2_000,
  /** Time beyond that after which a thread is given up. */
  graceMs: 2_000,
  /** Time after which an unused thread ends, and its memory with it. */
  idleMs: 60_000,
  /** Memory of a thread for JavaScript: a page has no more than a hundred rows. */
  heapMb: 128,
};

export type ReaderLimits = typeof defaults;

type Job = {
  readonly tenant: string;
  readonly task: ReadTask;
  readonly resolve: (found: unknown) => void;
  readonly reject: (error: Error) => void;
};

type Thread = { readonly worker: Worker; isReady: boolean; job: Job | null; timer: NodeJS.Timeout };

export type Readers = ReturnType<typeof createReaders>;

/** `file` is the id of the database file: a thread refuses another one that has taken its name. */
export function createReaders(path: string, file: string | null, options: Partial<ReaderLimits> = {}) {
  const limits = { ...defaults, ...options };
  const turns = createTurns<Job>(limits);
  const threads = new Set<Thread>();
  /** Threads that were given up, until they have ended: each may still take a processor. */
  const leaving = new Set<Promise<unknown>>();
  let isClosed = false;

  const isBusy = (tenant: string) => threads.values().some(({ job }) => job?.tenant === tenant);

  function work(): void {
    while (turns.hasNext(isBusy)) {
      const thread = threads.values().find(({ isReady, job }) => isReady && job === null);
      if (thread === undefined) {
        const isStarting = threads.values().some(({ isReady }) => !isReady);
        if (!isStarting && threads.size + leaving.size < limits.threads) start();
        return;
      }
      const job = turns.takeNext(isBusy);
      if (job === undefined) return;
      thread.job = job;
      // A read keeps the process alive; a thread without one does not.
      thread.worker.ref();
      thread.worker.postMessage(job.task);
      setTimer(thread, limits.readMs + limits.graceMs, tooLong());
    }
  }

  function rest(thread: Thread): void {
    thread.worker.unref();
    setTimer(thread, limits.idleMs, null);
    work();
  }

  function start(): void {
    const setup: ReaderSetup = { path, file, readMs: limits.readMs };
    const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb },
    });
    const thread: Thread = { worker, isReady: false, job: null, timer: setTimeout(() => {}, 0) };
    threads.add(thread);
    setTimer(thread, limits.startMs, hasFailed('it does not begin'));
    worker.on('message', (answer: 'ready' | ReadAnswer) => {
      const { job } = thread;
      thread.isReady = true;
      thread.job = null;
      if (job !== null && answer !== 'ready') settle(job, answer);
      rest(thread);
    });
    worker.once('error', ({ message }: Error) => end(thread, hasFailed(message)));
  }

  function setTimer(thread: Thread, afterMs: number, error: Error | null): void {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => end(thread, error), afterMs).unref();
  }

  function end(thread: Thread, error: Error | null): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    const ended = thread.worker.terminate().finally(() => {
      leaving.delete(ended);
      work();
    });
    leaving.add(ended);
    // One that could not even begin would be started again and again for the one who waits for it.
    const job = thread.job ?? (thread.isReady ? null : turns.takeNext(isBusy));
    job?.reject(error ?? hasFailed('it has ended'));
    work();
  }

  return {
    /** Reads for a tenant, or with `''` for the service itself. */
    read(tenant: string, task: ReadTask): Promise<unknown> {
      return new Promise((resolve, reject) => {
        if (isClosed) throw new StoreClosed();
        turns.enter({ tenant, task, resolve, reject });
        work();
      });
    },

    /** Ends all threads. What is being read is given up. */
    async close(): Promise<void> {
      isClosed = true;
      for (const { reject } of turns.takeAll()) reject(new StoreClosed());
      for (const thread of [...threads]) end(thread, new StoreClosed());
      await Promise.all(leaving);
    },
  };
}

function settle({ resolve, reject }: Job, answer: ReadAnswer): void {
  if ('found' in answer) resolve(answer.found);
  else if ('damaged' in answer) reject(new DamagedRow(answer.damaged, answer.id));
  else if ('unavailable' in answer) reject(new StoreUnavailable(answer.unavailable));
  else reject(Object.assign(new Error(answer.failed.message), answer.failed));
}

const hasFailed = (why: string) => new StoreUnavailable(`SQLite: a reader has failed: ${why}`);
const tooLong = () => new StoreUnavailable('SQLite: a list took too long');
