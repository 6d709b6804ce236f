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
import { DamagedRow, StoreUnavailable } from '../errors.ts';
import type { ReadAnswer, ReaderSetup, ReadTask } from './reader-thread.ts';

const defaults = {
  threads: 2,
  /** Reads that may wait, in all and of one tenant. */
  maxWaiting: 1000,
  maxWaitingOfTenant: 250,
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
  /** Waiting jobs by tenant; the tenant whose turn is next comes first. */
  const waiting = new Map<string, Job[]>();
  const threads = new Set<Thread>();
  /** Threads that were given up, until they have ended: each may still take a processor. */
  const leaving = new Set<Promise<unknown>>();
  let count = 0;
  let isClosed = false;

  function enter(job: Job): void {
    const own = waiting.get(job.tenant) ?? [];
    if (own.length >= limits.maxWaitingOfTenant) throw tooMany();
    if (count >= limits.maxWaiting) {
      const [most = own] = [...waiting.values()].sort((a, b) => b.length - a.length);
      const last = most.length > own.length + 1 ? most.pop() : undefined;
      if (last === undefined) throw tooMany();
      count--;
      last.reject(tooMany());
    }
    own.push(job);
    waiting.set(job.tenant, own);
    count++;
  }

  /** The tenant whose turn it is, of those of which nothing is being read. */
  function nextTenant(): string | undefined {
    const busy = new Set([...threads].map(({ job }) => job?.tenant));
    return waiting.keys().find((tenant) => !busy.has(tenant));
  }

  /** Its first job; behind it all others have their turns first. */
  function take(tenant: string): Job | undefined {
    const own = waiting.get(tenant) ?? [];
    const job = own.shift();
    waiting.delete(tenant);
    if (own.length > 0) waiting.set(tenant, own);
    count--;
    return job;
  }

  function work(): void {
    for (let tenant = nextTenant(); tenant !== undefined; tenant = nextTenant()) {
      const thread = threads.values().find(({ isReady, job }) => isReady && job === null);
      if (thread === undefined) {
        const isStarting = threads.values().some(({ isReady }) => !isReady);
        if (!isStarting && threads.size + leaving.size < limits.threads) start();
        return;
      }
      const job = take(tenant);
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
    const next = thread.isReady ? undefined : nextTenant();
    const job = thread.job ?? (next === undefined ? undefined : take(next));
    job?.reject(error ?? hasFailed('it has ended'));
    work();
  }

  return {
    /** Reads for a tenant, or with `''` for the service itself. */
    read(tenant: string, task: ReadTask): Promise<unknown> {
      return new Promise((resolve, reject) => {
        if (isClosed) throw new StoreUnavailable('SQLite: the database is closed');
        enter({ tenant, task, resolve, reject });
        work();
      });
    },

    /** Ends all threads. What is being read is given up. */
    async close(): Promise<void> {
      isClosed = true;
      for (const own of waiting.values()) {
        for (const { reject } of own) reject(new StoreUnavailable('SQLite: the database is closed'));
      }
      waiting.clear();
      for (const thread of [...threads]) end(thread, null);
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

const tooMany = () => new StoreUnavailable('SQLite: too many lists wait already');
const hasFailed = (why: string) => new StoreUnavailable(`SQLite: a reader has failed: ${why}`);
const tooLong = () => new StoreUnavailable('SQLite: a list took too long');
