/**
 * Thread pool: for work that would hold up the thread that answers requests. Tenants have their turns: each has one job
 * under way at a time, so that there is always a thread for another one.
 *
 * A thread begins when it is first needed, since each takes memory, and ends when nobody has needed it for a while. One
 * beside others begins only where they stay busy: most jobs are over sooner than a thread has begun. It
 * says 'ready' once it can work; then each message to it is a task, and each message from it what came of that. One that
 * does not answer in time is given up, and replaced when it has ended: until then it may still take a processor.
 */
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { createTurns, type TurnLimits } from './turns.ts';

export type PoolLimits = TurnLimits & {
  readonly threads: number;
  /** Time for a thread to begin. */
  readonly startMs: number;
  /** Time for one job, beyond which the thread is given up. */
  readonly jobMs: number;
  /** Time after which an unused thread ends, and its memory with it. */
  readonly idleMs: number;
  /** Memory of a thread for JavaScript; beyond, it ends and its job fails. */
  readonly memory: ResourceLimits;
};

/** Errors of jobs that come to nothing. */
export type PoolErrors = {
  readonly tooMany: () => Error;
  readonly tooLong: () => Error;
  readonly failed: (why: string) => Error;
};

type Job<Task, Answer> = {
  readonly tenant: string;
  readonly task: Task;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
};

/** Time for which a job waits before one more thread begins for it. */
const BUSY_MS = 20;

type Thread<J> = { readonly worker: Worker; isReady: boolean; job: J | null; timer: NodeJS.Timeout };

/**
 * `workerData` is what each thread is told at its beginning. `memoryOf` gives memory of a task that is handed over; the
 * rest is copied.
 */
export function createThreadPool<Task, Answer>(
  script: URL,
  {
    limits,
    errors,
    workerData,
    memoryOf = () => [],
  }: {
    readonly limits: PoolLimits;
    readonly errors: PoolErrors;
    readonly workerData?: unknown;
    readonly memoryOf?: (task: Task) => readonly ArrayBuffer[];
  },
) {
  type OwnJob = Job<Task, Answer>;
  type OwnThread = Thread<OwnJob>;
  const turns = createTurns<OwnJob>(limits, errors.tooMany);
  const threads = new Set<OwnThread>();
  /** Threads that were given up, until they have ended. */
  const leaving = new Set<Promise<unknown>>();
  let closed: (() => Error) | null = null;
  /** Look at whether one more thread is needed. */
  let soon: NodeJS.Timeout | null = null;

  const isBusy = (tenant: string) => threads.values().some(({ job }) => job?.tenant === tenant);

  function work(): void {
    while (turns.hasNext(isBusy)) {
      const thread = threads.values().find(({ isReady, job }) => isReady && job === null);
      if (thread === undefined) {
        if (threads.size === 0) startIfRoom();
        else soon ??= setTimeout(startIfNeeded, BUSY_MS).unref();
        return;
      }
      const job = turns.takeNext(isBusy);
      if (job === undefined) return;
      thread.job = job;
      // A job keeps the process alive; a thread without one does not.
      thread.worker.ref();
      thread.worker.postMessage(job.task, memoryOf(job.task));
      setTimer(thread, limits.jobMs, errors.tooLong);
    }
  }

  function startIfNeeded(): void {
    soon = null;
    const areBusy = threads.values().every(({ job }) => job !== null);
    if (areBusy && turns.hasNext(isBusy)) startIfRoom();
  }

  function startIfRoom(): void {
    if (threads.size + leaving.size < limits.threads) start();
  }

  function start(): void {
    const worker = new Worker(script, { workerData, resourceLimits: limits.memory });
    const thread: OwnThread = { worker, isReady: false, job: null, timer: setTimeout(() => {}, 0) };
    threads.add(thread);
    setTimer(thread, limits.startMs, () => errors.failed('it does not begin'));
    worker.on('message', (answer: 'ready' | Answer) => {
      const { job } = thread;
      thread.isReady = true;
      thread.job = null;
      if (answer !== 'ready') job?.resolve(answer);
      worker.unref();
      setTimer(thread, limits.idleMs, null);
      work();
    });
    worker.once('error', ({ message }: Error) => end(thread, errors.failed(message)));
  }

  function setTimer(thread: OwnThread, afterMs: number, error: (() => Error) | null): void {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => end(thread, error?.() ?? null), afterMs).unref();
  }

  function end(thread: OwnThread, error: Error | null): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    const ended = thread.worker.terminate().finally(() => {
      leaving.delete(ended);
      work();
    });
    leaving.add(ended);
    // One that could not even begin would be started again and again for the one who waits for it.
    const job = thread.job ?? (thread.isReady ? null : turns.takeNext(isBusy));
    job?.reject(error ?? errors.failed('it has ended'));
    work();
  }

  return {
    /** Has a thread do this for a tenant. One that is `unwanted` before its turn comes leaves its place at once. */
    run(tenant: string, task: Task, unwanted?: { signal: AbortSignal; error: () => Error }): Promise<Answer> {
      return new Promise((resolve, reject) => {
        if (closed !== null) throw closed();
        const job = { tenant, task, resolve, reject };
        turns.enter(job);
        unwanted?.signal.addEventListener(
          'abort',
          () => {
            if (turns.leave(job)) reject(unwanted.error());
          },
          { once: true },
        );
        work();
      });
    },

    /** Ends all threads, and rejects with `reason` what waits and what is being done. */
    async close(reason: () => Error): Promise<void> {
      closed = reason;
      if (soon !== null) clearTimeout(soon);
      for (const { reject } of turns.takeAll()) reject(reason());
      for (const thread of [...threads]) end(thread, reason());
      await Promise.all(leaving);
    },
  };
}
