/**
 * Event streams: the feed as server-sent events. A stream reads page by page, as fast as its client does, and ends with
 * its API key. Pages are dropped once they are written: a stream that waits, for events or for its client, keeps only its
 * position in memory.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inHundredths } from '../checkout/hundredths.ts';
import type { FeedEvent } from '../events/event.ts';
import { beginEventStream } from '../lib/server-sent-events.ts';
import { StoreUnavailable } from '../store/errors.ts';
import type { FeedPage } from '../store/store.ts';
import { principalOf } from './answer.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { Dependencies } from './dependencies.ts';
import type { EventFeed, FeedQuery } from './event-feed.ts';

/** Shorter than the time after which proxies, and the server itself, take a silent connection for dead. */
const HEARTBEAT_MS = 20_000;
const RECONNECT_MS = 3_000;
/** After this time without reading, the client counts as gone. */
const UNREAD_FOR_MS = 60_000;
/** Pause before the next request to a database that does not answer. */
const UNAVAILABLE_FOR_MS = 2_000;
/** Rows of the first page: events may be long, and what the client does not take is read again. */
const FIRST_ROWS = 4;
/** Limit for the last bytes when a stream ends; the next stream sends again what did not arrive. */
const LAST_BYTES_MS = 1_000;

type Stream = {
  readonly response: ServerResponse;
  readonly keyId: string;
  readonly query: FeedQuery;
  readonly signal: AbortSignal;
  /** True if its key reads amounts in hundredths. */
  readonly isLoose: boolean;
};

/**
 * Position up to which a stream is written, whether its client has to read before more is written, and how many rows the
 * next page may have: as many as fitted of this one, or twice as many where all did.
 */
type Written = { readonly position: number; readonly isFull: boolean; readonly limit: number };

export function createEventStreams(
  feed: EventFeed,
  { store }: Pick<Dependencies, 'store'>,
  room: ConnectionLimit,
) {
  /** The next page with events, or an empty one when a heartbeat is due. */
  async function next(
    { query, keyId, signal }: Stream,
    after: number,
    limit: number,
  ): Promise<FeedPage | null> {
    try {
      const page = await feed.next({ ...query, after, limit }, HEARTBEAT_MS, signal);
      // The key is checked after the page was read: no event goes to a key that was revoked before it.
      const key = await store.apiKeys.fetch(keyId);
      return signal.aborted || key === null || key.revokedAt !== null ? null : page;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await within(UNAVAILABLE_FOR_MS, signal, () => () => {});
      return signal.aborted ? null : { rows: [], hasMore: false, position: after };
    }
  }

  /** Writes the next page or a heartbeat; null when the stream or the key has ended. */
  async function advance(stream: Stream, after: number, limit: number): Promise<Written | null> {
    const page = await next(stream, after, limit);
    if (page === null) return null;
    if (page.rows.length > 0) return write(stream, page, limit);
    const isFull = !stream.response.write(`:\n${placeOf(page.position)}`);
    return { position: page.position, isFull, limit };
  }

  /** Sends page after page, until the stream or the key ends. */
  async function send(stream: Stream, first: Written): Promise<void> {
    const { response, signal } = stream;
    for (let written = first; ; ) {
      if (written.isFull && !(await isDrained(response, signal))) return;
      const next = await advance(stream, written.position, written.limit);
      if (next === null) return;
      written = next;
    }
  }

  return {
    /** An error before the stream begins is thrown, and answered like any other. */
    async answer(request: FastifyRequest, reply: FastifyReply, query: FeedQuery): Promise<FastifyReply> {
      const { keyId } = principalOf(request);
      const { signal, leave } = room.enter(keyId, reply.raw);
      try {
        const page = await feed.page({ ...query, limit: FIRST_ROWS });
        const start = page.rows.length === 0 ? page.position : query.after;
        const response = beginEventStream(reply, `retry: ${RECONNECT_MS}\n${placeOf(start)}`);
        const stream: Stream = { response, keyId, query, signal, isLoose: request.loose !== null };
        send(stream, write(stream, page, FIRST_ROWS))
          .catch((error) => {
            request.log.error({ err: error, request_id: request.id }, 'a stream of events failed');
          })
          .finally(() => {
            leave();
            end(response);
          });
      } catch (error) {
        leave();
        throw error;
      }
      return reply;
    },
  };
}

/** Writes as much of a page as the buffer takes. The rest is read again later: kept, it would fill the memory. */
function write({ response, isLoose, query }: Stream, { rows, position }: FeedPage, limit: number): Written {
  for (const [index, event] of rows.entries()) {
    const body = isLoose ? inHundredths(event.body) : event.body;
    if (!response.write(textOf(event, body)))
      return { position: event.position, isFull: true, limit: index + 1 };
  }
  return { position, isFull: false, limit: Math.min(query.limit, 2 * limit) };
}

/** The body is compact JSON, which has no line breaks. */
function textOf({ position, type }: FeedEvent, body: string): string {
  return `id: ${position}\nevent: ${type}\ndata: ${body}\n\n`;
}

/** An id without data is not an event, but clients keep it: they continue there if the stream breaks. */
function placeOf(position: number): string {
  return `id: ${position}\n\n`;
}

/** Resolves with true once the client has read what was written, with false if it does not. */
function isDrained(response: ServerResponse, signal: AbortSignal): Promise<boolean> {
  return within(UNREAD_FOR_MS, signal, (drained) => {
    response.once('drain', drained);
    return () => response.off('drain', drained);
  });
}

/** Resolves with true when it happens, with false at the time-out or on abort. */
function within(
  ms: number,
  signal: AbortSignal,
  watch: (happened: () => void) => () => void,
): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (result: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      unwatch();
      resolve(result);
    };
    const over = () => settle(false);
    const timer = setTimeout(over, ms).unref();
    const unwatch = watch(() => settle(true));
    signal.addEventListener('abort', over);
    if (signal.aborted) over();
  });
}

function end(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), LAST_BYTES_MS).unref();
  response.once('close', () => clearTimeout(timer));
  response.end();
}
