/**
 * Event streams: the feed as server-sent events. A stream reads page by page, as fast as its client does, and ends with
 * its API key. Pages are dropped once they are written: a stream that waits, for events or for its client, keeps only its
 * position in memory.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { tenantName } from '../checkout/tenant.ts';
import { beginEventStream } from '../lib/server-sent-events.ts';
import { StoreUnavailable } from '../store/errors.ts';
import type { FeedPage, SerializedEvent } from '../store/store.ts';
import { principalOf } from './answer.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { Dependencies } from './dependencies.ts';
import type { EventFeed, FeedQuery } from './event-feed.ts';
import { type Bytes, lengthOf, PIECE_BYTES, type Pieces } from './pieces.ts';

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
};

/**
 * Position up to which a stream is written, whether its client has to read before more is written, and how many rows the
 * next page may have: as many as fitted of this one, or twice as many where all did.
 */
type Written = { readonly position: number; readonly isFull: boolean; readonly limit: number };

export function createEventStreams(
  feed: EventFeed,
  { store, pieces }: Pick<Dependencies, 'store'> & { readonly pieces: Pieces },
  room: ConnectionLimit,
) {
  /** The next page with events, or an empty one when a heartbeat is due. */
  async function next(
    { query, keyId, signal }: Stream,
    after: number,
    limit: number,
  ): Promise<FeedPage<SerializedEvent> | null> {
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

  /**
   * Writes as much of a page as the client takes without a wait. The rest is read again later: kept, it would fill the
   * memory. An event that has begun is written to its end; false if its client does not take it.
   */
  async function write(
    { response, query, signal }: Stream,
    { rows, position }: FeedPage<SerializedEvent>,
    limit: number,
  ): Promise<Written | null> {
    const tenant = tenantName(query.tenant);
    for (const [index, event] of rows.entries()) {
      const bytes = bytesOf(event);
      if (lengthOf(bytes) <= PIECE_BYTES) response.write(Buffer.concat(bytes));
      else {
        for await (const piece of pieces.inTurns(response, tenant, bytes)) {
          if (response.writableNeedDrain && !(await isDrained(response, signal))) return null;
          if (signal.aborted) return null;
          response.write(piece);
        }
        // Bytes that the kernel takes at once are drained behind this turn.
        await nextTurn();
      }
      if (response.writableNeedDrain) return { position: event.position, isFull: true, limit: index + 1 };
    }
    return { position, isFull: false, limit: Math.min(query.limit, 2 * limit) };
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
  async function send(stream: Stream, first: Written | null): Promise<void> {
    const { response, signal } = stream;
    for (let written = first; written !== null; ) {
      if (written.isFull && !(await isDrained(response, signal))) return;
      written = await advance(stream, written.position, written.limit);
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
        const stream: Stream = { response, keyId, query, signal };
        write(stream, page, FIRST_ROWS)
          .then((written) => send(stream, written))
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

/** An event of the stream. Its JSON is compact and has no line breaks. */
function bytesOf({ position, type, json }: SerializedEvent): Bytes {
  return [Buffer.from(`id: ${position}\nevent: ${type}\ndata: `), json, Buffer.from('\n\n')];
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
