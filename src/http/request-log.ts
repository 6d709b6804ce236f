/**
 * The log of requests as it is gathered: entries wait in memory, and are written together behind the answers, beside every
 * commit. What the database does not take, and what is too much, is left out and counted; nobody waits for it, and nobody is
 * refused for it.
 */
import { REQUEST_LOG_DAYS, type RequestEntry } from '../accounts/request-log.ts';
import { tenantName } from '../checkout/tenant.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import { createLru } from '../lib/lru.ts';
import type { RealTime } from '../lib/time.ts';
import type { NewRequest, Store } from '../store/store.ts';

/** Reasons why a request is not in the log: too many alike, too many at once, or a database that does not take it. */
export type LeftOut = 'alike' | 'full' | 'failed';

/**
 * Requests alike that are noted in a minute: of the same caller, for the same operation, and with the same status. A client in
 * a loop would push everything else out of the log.
 */
const ALIKE = { most: 100, everyMs: 60_000, known: 10_000 };
/** Entries that wait: of a tenant, and in all. */
const QUEUE = { ofOne: 512, inAll: 4_096 };
/** Entries that are written at once: on SQLite, 1.5 ms of the thread that answers. */
const BATCH = 256;
const EVERY_MS = 500;
/** Entries of a tenant behind which it is looked whether the oldest have to go. */
const TRIM_EVERY = 500;
/** Times that a trim goes on at once while it removes anything. */
const MOST_TRIMS = 4;
/** Time that a stop may take, of the seconds in which the whole service has to end. */
const STOP_MS = 2_000;
const DAY_MS = 86_400_000;

type Dependencies = {
  readonly store: Pick<Store, 'requestLog' | 'batching'>;
  readonly realNow: () => RealTime;
  readonly onLeftOut: (reason: LeftOut, count: number) => void;
  /** Hears why entries could not be written, or old ones not removed. */
  readonly onError: (error: unknown) => void;
  /** Pause behind which what waits is written; null keeps no log. */
  readonly everyMs?: number | null;
  readonly nowMs?: () => number;
};

export type RequestLog = ReturnType<typeof createRequestLog>;

export function createRequestLog({
  store,
  realNow,
  onLeftOut,
  onError,
  everyMs = EVERY_MS,
  nowMs = () => performance.now(),
}: Dependencies) {
  const queue = createFairQueue<NewRequest>(QUEUE);
  const passes = createQuota(nowMs);
  /** Entries that were written since the last trim. Behind a start nobody knows, and the first entry counts as the last. */
  const untrimmed = createLru<string, number>({ most: ALIKE.known });
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  /** Number of entries that were taken from the queue, and of which it is not known what became of them. */
  let inHand = 0;
  let isStopping = false;
  /** Set where the time of a stop is over. */
  let isOver = false;

  function schedule(): void {
    if (everyMs === null || isStopping || timer !== undefined || queue.size() === 0) return;
    timer = setTimeout(() => {
      writing = writeSome().finally(() => {
        timer = undefined;
        schedule();
      });
    }, everyMs).unref();
  }

  /** Writes a batch; where batches are of one tenant, one for each. */
  async function writeSome(): Promise<void> {
    const entries = queue.take(BATCH);
    const groups = Map.groupBy(entries, ({ tenant }) => (store.batching.mixed ? '' : tenantName(tenant)));
    inHand += entries.length;
    for (const group of groups.values()) if (!isOver) await write(group);
  }

  async function write(entries: readonly NewRequest[]): Promise<void> {
    try {
      await store.requestLog.add(entries);
    } catch (error) {
      // Entries under way at the end of a stop are counted already.
      if (isOver) return;
      onLeftOut('failed', entries.length);
      onError(error);
      return;
    } finally {
      inHand -= entries.length;
    }
    for (const [name, added] of Map.groupBy(entries, ({ tenant }) => tenantName(tenant)))
      await trim(name, added);
  }

  /** Removes the oldest entries; those that could not be removed, or not at once, go with the next ones. */
  async function trim(name: string, added: readonly NewRequest[]): Promise<void> {
    const count = (untrimmed.get(name) ?? TRIM_EVERY) + added.length;
    untrimmed.set(name, count);
    const [first] = added;
    if (isStopping || count < TRIM_EVERY || first === undefined) return;
    const before = realNow() - REQUEST_LOG_DAYS * DAY_MS;
    try {
      for (let trims = 0; trims < MOST_TRIMS; trims++) {
        if ((await store.requestLog.trim(first.tenant, before)) > 0) continue;
        untrimmed.set(name, 0);
        return;
      }
    } catch (error) {
      onError(error);
    }
  }

  async function writeAll(): Promise<void> {
    await writing;
    while (!isOver && queue.size() > 0) await writeSome();
  }

  return {
    /** Notes a request that was answered. */
    note(tenant: NewRequest['tenant'], entry: Omit<RequestEntry, 'leftOut'>): void {
      if (everyMs === null || isStopping) return;
      const name = tenantName(tenant);
      const leftOut = passes(`${name} ${entry.actor} ${entry.operation} ${entry.status}`);
      if (leftOut === null) onLeftOut('alike', 1);
      else if (!queue.add(name, { tenant, entry: { ...entry, leftOut } })) onLeftOut('full', 1);
      schedule();
    },

    /** Number of entries that wait. */
    waiting: queue.size,

    /** Writes what waits, as far as the database takes it in time; the rest is counted. */
    async stop(): Promise<void> {
      isStopping = true;
      clearTimeout(timer);
      const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, STOP_MS);
      await Promise.race([writeAll(), timeIsUp]);
      clearTimeout(limit);
      isOver = true;
      const left = inHand + queue.take(QUEUE.inAll).length;
      if (left === 0) return;
      onLeftOut('failed', left);
      onError(new Error(`the service stopped before ${left} requests were written`));
    },
  };
}

/** A function for the names of things alike: how many were left out since the last one that passed, or null for one too many. */
function createQuota(nowMs: () => number): (name: string) => number | null {
  const { most, everyMs, known } = ALIKE;
  const counts = createLru<string, { readonly until: number; passed: number; leftOut: number }>({
    most: known,
  });
  return (name) => {
    const now = nowMs();
    const found = counts.get(name);
    if (found === undefined || now >= found.until) {
      counts.set(name, { until: now + everyMs, passed: 1, leftOut: 0 });
      return found?.leftOut ?? 0;
    }
    if (found.passed < most) {
      found.passed++;
      return 0;
    }
    found.leftOut++;
    return null;
  };
}
