/** Start of a stream of server-sent events, for pages and for the API. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** Takes the answer over from the framework and starts the stream; `block` is sent along with the first bytes. */
export function beginEventStream(reply: FastifyReply, block: string): ServerResponse {
  reply.hijack();
  const stream = reply.raw;
  stream.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': EVENT_STREAM_TYPE,
    // The connection ends with the stream: nothing is left that a stop would wait for.
    connection: 'close',
    'x-accel-buffering': 'no',
  });
  stream.write(block);
  return stream;
}
