/**
 * Event feed: reads it, and waits at its end. All requests that wait on the same feed share its queries, and commits in
 * quick succession share one query; each request then selects its own events. Commits of this process wake them, and so
 * do hints of other processes where there are any; a query at intervals finds the rest.
 */
import { inHundredths } from '../checkout/hundredths.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { feedTopic } from '../events/live-updates.ts';
import { createOneATurn } from '../lib/one-a-turn.ts';
import type { FeedPage, Form, SerializedEvent } from '../store/store.ts';
import type { Dependencies } from './dependencies.ts';

/** Interval of queries for events that no hint announced. */
const LOOK_EVERY_MS = 2_000;
/** Commits within this time after a query wait for the next one. */
const GATHER_MS = 20;
/** Limit of one shared query, which ends after a megabyte. A request that is further behind reads by itself. */
const MAX_EVENTS = 200;
/** Each request has the events in its own form. */
const AS_THEY_ARE: Form = { hundredths: false };

export type FeedQuery = {
  readonly tenant: Tenant;
  /** Selected types; undefined for all. */
  readonly types: readonly string[] | undefined;
  readonly after: number;
  readonly limit: number;
} & Form;

type Page = FeedPage<SerializedEvent>;

type Waiter = {
  readonly tell: (page: Page) => void;
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

  /** Turns of all who read for themselves. */
  const ownTurn = createOneATurn();

  async function read({ tenant, types, after, limit, hundredths }: FeedQuery): Promise<Page> {
    await ownTurn();
    return store.events.listSerialized(tenant, types ? { types } : {}, after, limit, { hundredths });
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
        const page = await store.events.listSerialized(
          tail.tenant,
          {},
          tail.position,
          MAX_EVENTS,
          AS_THEY_ARE,
        );
        tail.position = page.position;
        for (const { tell } of [...tail.waiters]) tell(page);
        isBehind = page.hasMore;
      }
    } catch (error) {
      for (const { fail } of [...tail.waiters]) fail(error);
    }
    tail.isLooking = false;
    tail.lookedAt = performance.now();
  }

  /** Resolves with the first selected events after `after`, or with none at the time-out. */
  function arrival(tail: Tail, query: FeedQuery, over: AbortSignal): Promise<Page> {
    const { types, after, limit, hundredths } = query;
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
          const page = wanted.slice(0, limit).map((event) => (hundredths ? counted(event) : event));
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

  async function follow(query: FeedQuery, over: AbortSignal): Promise<Page> {
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
    async next(query: FeedQuery, waitMs: number, signal: AbortSignal): Promise<Page> {
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

/** The event with its amounts in hundredths. */
function counted(event: SerializedEvent): SerializedEvent {
  return { ...event, json: Buffer.from(inHundredths(Buffer.from(event.json).toString())) };
}
