/**
 * Reads the feeds of events, and waits where one ends. All who wait at the end of the same feed share the looks at it,
 * and commits that follow each other quickly share one look; each of those who wait picks out what it wants. They are
 * told of commits of this process and, where hints arrive, of those of others, and look from time to time anyway.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tenant } from '../checkout/tenant.ts';
import { feedTopic } from '../events/live-updates.ts';
import type { FeedPage } from '../store/store.ts';
import type { Dependencies } from './dependencies.ts';

/** How often to look for what nobody has told of. */
const LOOK_EVERY_MS = 2_000;
/** What is committed within this time after a look waits for the next one. */
const GATHER_MS = 20;
/** Of one look. Whoever falls further behind reads on by itself. */
const MAX_EVENTS = 200;

export type FeedQuery = {
  readonly tenant: Tenant;
  /** Only these; undefined for all. */
  readonly types: readonly string[] | undefined;
  readonly after: number;
  readonly limit: number;
};

type Waiter = {
  readonly tell: (page: FeedPage) => void;
  readonly fail: (error: unknown) => void;
};

/** What is known of the end of a feed in which somebody is interested. */
type Tail = {
  readonly tenant: Tenant;
  /** Where the next look begins. Nothing up to here is missing for anybody who reads after having seen this. */
  position: number;
  /** Resolves when `position` is known. */
  readonly ready: Promise<void>;
  /** Counts how often something was said to have been committed. */
  news: number;
  /** Those who read or wait now. */
  readers: number;
  readonly waiters: Set<Waiter>;
  isLooking: boolean;
  lookedAt: number;
  /** Set if a look is due. */
  timer: NodeJS.Timeout | undefined;
  readonly close: () => void;
};

export type EventFeed = ReturnType<typeof createEventFeed>;

export function createEventFeed({ store, live }: Pick<Dependencies, 'store' | 'live'>) {
  const tails = new Map<string, Tail>();

  /** When it is the turn of whoever asked last. */
  let lastTurn: Promise<unknown> = Promise.resolve();

  const read = ({ tenant, types, after, limit }: FeedQuery): Promise<FeedPage> =>
    store.events.list(tenant, types ? { types } : {}, after, limit);

  /** One look in a turn of the event loop, however many read at once: all other requests come between. */
  async function ownTurn(): Promise<void> {
    lastTurn = lastTurn.then(() => nextTurn());
    await lastTurn;
  }

  function openTail(tenant: Tenant): Tail {
    const topic = feedTopic(tenant);
    const unsubscribe = live.subscribe(topic, () => {
      tail.news++;
      if (tail.waiters.size > 0) lookSoon(tail);
    });
    const looking = setInterval(() => {
      if (tail.readers === 0) tail.close();
      else if (tail.waiters.size > 0) lookSoon(tail);
    }, LOOK_EVERY_MS).unref();
    const tail: Tail = {
      tenant,
      position: 0,
      ready: store.events.end(tenant).then(
        (position) => {
          tail.position = position;
        },
        (error) => {
          tail.close();
          throw error;
        },
      ),
      news: 0,
      readers: 0,
      waiters: new Set(),
      isLooking: false,
      lookedAt: Number.NEGATIVE_INFINITY,
      timer: undefined,
      close() {
        tails.delete(topic);
        unsubscribe();
        clearInterval(looking);
        clearTimeout(tail.timer);
      },
    };
    tails.set(topic, tail);
    return tail;
  }

  function lookSoon(tail: Tail): void {
    const delayMs = Math.max(0, tail.lookedAt + GATHER_MS - performance.now());
    tail.timer ??= setTimeout(() => {
      tail.timer = undefined;
      // Whoever asked for the look wants one that begins from now on.
      if (tail.isLooking) lookSoon(tail);
      else void look(tail);
    }, delayMs).unref();
  }

  async function look(tail: Tail): Promise<void> {
    tail.isLooking = true;
    try {
      for (let isBehind = true; isBehind && tail.waiters.size > 0; ) {
        const page = await store.events.list(tail.tenant, {}, tail.position, MAX_EVENTS);
        tail.position = page.position;
        for (const { tell } of [...tail.waiters]) tell(page);
        isBehind = page.hasMore;
        if (isBehind) await ownTurn();
      }
    } catch (error) {
      for (const { fail } of [...tail.waiters]) fail(error);
    }
    tail.isLooking = false;
    tail.lookedAt = performance.now();
  }

  /** Resolves with the first events behind `after` that are wanted, or with none when it is over. */
  function arrival(tail: Tail, { types, after, limit }: FeedQuery, over: AbortSignal): Promise<FeedPage> {
    return new Promise((resolve, reject) => {
      let position = after;
      const end = () => {
        tail.waiters.delete(waiter);
        over.removeEventListener('abort', giveUp);
      };
      const giveUp = () => {
        end();
        resolve({ rows: [], hasMore: false, position });
      };
      const waiter: Waiter = {
        tell({ rows, hasMore, position: lookedTo }) {
          const wanted = rows.filter(
            (event) => event.position > position && (types?.includes(event.type) ?? true),
          );
          position = Math.max(position, lookedTo);
          if (wanted.length === 0) return;
          end();
          const page = wanted.slice(0, limit);
          if (page.length === wanted.length) resolve({ rows: page, hasMore, position });
          else resolve({ rows: page, hasMore: true, position: page.at(-1)?.position ?? after });
        },
        fail(error) {
          end();
          reject(error);
        },
      };
      tail.waiters.add(waiter);
      over.addEventListener('abort', giveUp);
      if (over.aborted) giveUp();
    });
  }

  async function follow(query: FeedQuery, over: AbortSignal): Promise<FeedPage> {
    const tail = tails.get(feedTopic(query.tenant)) ?? openTail(query.tenant);
    tail.readers++;
    try {
      await tail.ready;
      for (let { after } = query; ; ) {
        const { news, position } = tail;
        // Who is where the shared look begins leaves the reading to that.
        const isAtEnd = after === position;
        if (!isAtEnd) {
          const page = await read({ ...query, after });
          // At its end the feed was looked through at least to where it had ended before.
          const lookedTo = page.hasMore ? page.position : Math.max(page.position, position);
          if (page.rows.length > 0 || over.aborted) return { ...page, position: lookedTo };
          after = lookedTo;
          // There is more; or the others have looked further meanwhile, and what they found is not told again.
          if (page.hasMore || after < tail.position) {
            await ownTurn();
            if (over.aborted) return { ...page, position: after };
            continue;
          }
        }
        if (isAtEnd || tail.news !== news) lookSoon(tail);
        return await arrival(tail, { ...query, after }, over);
      }
    } finally {
      tail.readers--;
    }
  }

  return {
    end: store.events.end,

    /** What is there now. */
    page: read,

    /** What is there; if that is nothing, what comes first, or nothing when the time or the signal is over. */
    async next(query: FeedQuery, waitMs: number, signal: AbortSignal): Promise<FeedPage> {
      const over = new AbortController();
      const end = () => over.abort();
      const timer = setTimeout(end, waitMs);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      try {
        return await follow(query, over.signal);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      }
    },

    close(): void {
      for (const tail of tails.values()) tail.close();
    },
  };
}
