/**
 * Streams of server-sent events that tell open pages the version of their session whenever it changes. Most changes are
 * pushed at once, the others are found by polling. A stream that breaks or is refused only costs speed: the page polls
 * by itself.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Checkout } from '../checkout/session.ts';
import { createCounts } from '../lib/counts.ts';
import { beginEventStream } from '../lib/server-sent-events.ts';
import type { PageDependencies } from './dependencies.ts';

const MAX_STREAMS = 1_000;
const MAX_STREAMS_OF_SESSION = 20;
/** Shorter than the time after which proxies, and the server itself, take a silent connection for dead. */
const HEARTBEAT_MS = 25_000;
/** Polling interval of a stream for changes by other processes. */
const LOOK_MS = 5_000;
const RECONNECT_MS = 3_000;
const RETRY_AFTER_SECONDS = '15';
/** Buffered bytes from which a reader counts as not reading. */
const MAX_UNREAD_BYTES = 16_384;

export function createEventStreams({ live, store }: Pick<PageDependencies, 'live' | 'store'>) {
  /** Open streams, each with its functions to poll and to tell its page. */
  const open = new Map<ServerResponse, () => Promise<void>>();
  const openOfSession = createCounts();
  let timers: NodeJS.Timeout[] = [];
  let looking = false;
  let closed = false;

  function beat(): void {
    for (const stream of open.keys()) {
      if (stream.writableLength > MAX_UNREAD_BYTES) stream.destroy();
      else stream.write(':\n\n');
    }
  }

  /** One stream after the other, so that many of them are no burst of reads. */
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    for (const tell of open.values()) await tell();
    looking = false;
  }

  function enter(stream: ServerResponse, id: string, tell: () => Promise<void>): void {
    open.set(stream, tell);
    openOfSession.add(id, 1);
    if (open.size > 1) return;
    timers = [setInterval(beat, HEARTBEAT_MS).unref(), setInterval(look, LOOK_MS).unref()];
  }

  function leave(stream: ServerResponse, id: string): void {
    open.delete(stream);
    openOfSession.add(id, -1);
    if (open.size > 0) return;
    for (const timer of timers) clearInterval(timer);
  }

  return {
    /** Answers the request with a stream, or with 503 when there are too many. */
    answer(reply: FastifyReply, { id, tenant }: Checkout): FastifyReply {
      if (closed || open.size >= MAX_STREAMS || openOfSession.of(id) >= MAX_STREAMS_OF_SESSION) {
        return reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).type('text/plain').send('');
      }
      const stream = beginEventStream(reply, `retry: ${RECONNECT_MS}\n\n`);
      let sent = 0;
      async function tell(): Promise<void> {
        try {
          const version = (await store.checkouts.fetch(tenant, id))?.version ?? 0;
          // Several changes at once need one message; the last look is the newest.
          if (version <= sent || stream.writableEnded) return;
          sent = version;
          stream.write(`data: ${version}\n\n`);
        } catch {
          // The next look may be answered.
        }
      }
      enter(stream, id, tell);
      const unsubscribe = live.subscribe(id, tell);
      stream.once('close', () => {
        unsubscribe();
        leave(stream, id);
      });
      // A change between the rendering of the page and now is sent like any other.
      void tell();
      return reply;
    },

    /** Ends all streams and opens no more. */
    close(): void {
      closed = true;
      for (const stream of open.keys()) stream.end();
    },
  };
}
