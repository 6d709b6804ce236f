/** How a stream of server-sent events begins, for pages and for the API. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** Takes the answer from the framework and begins it; `block` is sent along with the first bytes. */
export function beginEventStream(reply: FastifyReply, block: string): ServerResponse {
  reply.hijack();
  const stream = reply.raw;
  stream.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': EVENT_STREAM_TYPE,
    // The end of the stream is the end of the connection: nothing is left that a stop would wait for.
    connection: 'close',
    'x-accel-buffering': 'no',
  });
  stream.write(block);
  return stream;
}
