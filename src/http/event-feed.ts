/**
 * Event feed: reads it, and waits at its end. All requests that wait on the same feed share its queries, and commits in
 * quick succession share one query; each request then selects its own events. Commits of this process wake them, and so
 * do hints of other processes where there are any; a query at intervals finds the rest.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tenant } from '../checkout/tenant.ts';
import type { FeedEvent } from '../events/event.ts';
import { feedTopic } from '../events/live-updates.ts';
import type { FeedPage } from '../store/store.ts';
import type { Dependencies } from './dependencies.ts';

/** Interval of queries for events that no hint announced. */
const LOOK_EVERY_MS = 2_000;
/** Commits within this time after a query wait for the next one. */
const GATHER_MS = 20;
/** Limit of one shared query. A request that is further behind reads by itself. */
const MAX_EVENTS = 200;
/** Characters after which a page ends: an event can have 300,000, and a hundred of them would hold up everybody. */
const MAX_CHARACTERS = 2 ** 20;
/** Rows of the first read of a page, which shows how long the others may be: one may be of 300,000 characters. */
const FIRST_ROWS = 1;
/** Characters that one read is to have: a millisecond of the thread that answers, behind which others have their turn. */
const READ_CHARACTERS = 2 ** 17;

export type FeedQuery = {
  readonly tenant: Tenant;
  /** Selected types; undefined for all. */
  readonly types: readonly string[] | undefined;
  readonly after: number;
  readonly limit: number;
};

type Waiter = {
  readonly tell: (page: FeedPage) => void;
  readonly fail: (error: unknown) => void;
};

/** The end of a feed on which requests wait. */
type Tail = {
  readonly tenant: Tenant;
  /** Start of the next query. A reader that has seen this position misses nothing before it. */
  position: number;
  /** Resolves when `position` is known. */
  readonly ready: Promise<void>;
  /** Number of announced commits. */
  news: number;
  /** Requests that read or wait now. */
  readers: number;
  readonly waiters: Set<Waiter>;
  isLooking: boolean;
  lookedAt: number;
  /** Set if a query is due. */
  timer: NodeJS.Timeout | undefined;
  readonly close: () => void;
};

export type EventFeed = ReturnType<typeof createEventFeed>;

export function createEventFeed({ store, live }: Pick<Dependencies, 'store' | 'live'>) {
  const tails = new Map<string, Tail>();

  /** Resolves when it is the turn of the last caller. */
  let lastTurn: Promise<unknown> = Promise.resolve();

  /** Reads a page in as many steps as its events are long. It has fewer than `limit` if they are very long. */
  async function read({ tenant, types, after, limit }: FeedQuery): Promise<FeedPage> {
    const filter = types ? { types } : {};
    const rows: FeedEvent[] = [];
    let characters = 0;
    for (let [position, count] = [after, Math.min(limit, FIRST_ROWS)]; ; ) {
      await ownTurn();
      const page = await store.events.list(tenant, filter, position, count);
      rows.push(...page.rows);
      for (const { body } of page.rows) characters += body.length;
      const isWhole = rows.length >= limit || page.rows.length < count || !page.hasMore;
      if (isWhole || characters >= MAX_CHARACTERS) return { ...page, rows };
      position = page.position;
      const atOnce = Math.floor((READ_CHARACTERS * rows.length) / characters);
      count = Math.min(limit - rows.length, Math.max(1, atOnce));
    }
  }

  /** One query of all readers for each turn of the event loop, so that other requests come in between. */
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
      // The caller needs a query that begins after its call.
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

  /** Resolves with the first selected events after `after`, or with none at the time-out. */
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
        // A request at the start of the shared query leaves the reading to it.
        const isAtEnd = after === position;
        if (!isAtEnd) {
          const page = await read({ ...query, after });
          // An empty page searched the feed at least up to its earlier end.
          const lookedTo = page.hasMore ? page.position : Math.max(page.position, position);
          if (page.rows.length > 0 || over.aborted) return { ...page, position: lookedTo };
          after = lookedTo;
          // There is more; or the shared query has moved on meanwhile, and does not repeat what it found.
          if (page.hasMore || after < tail.position) continue;
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

    /** The events that exist now. */
    page: read,

    /** The events that exist; if there are none, the next ones, or none at the time-out or on abort. */
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
