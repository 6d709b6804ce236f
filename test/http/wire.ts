/** Requests as they go over a connection, and what becomes of them in the service. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestService } from '../support/service.ts';

/** Answers to these requests, which go over one connection at once; the time of an answer is left out. */
export async function answersTo({ config }: TestService, requests: readonly string[]): Promise<string> {
  const socket = connect(config.PORT, '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  socket.write(requests.join(''));
  await once(socket, 'close');
  return text.replaceAll(/^Date: .*\r\n/gm, '');
}

/** Requests that reach the handler of a route while this works. */
export async function atRoutes(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const counts = () => {
    count++;
  };
  subscribe('tracing:fastify.request.handler:start', counts);
  await work();
  unsubscribe('tracing:fastify.request.handler:start', counts);
  return count;
}

/** Requests for a route that were counted, by their status. */
export async function counted({ call }: TestService, route: string): Promise<Record<string, number>> {
  const { text } = await call('GET', '/metrics');
  const begin = `opentill_http_request_duration_seconds_count{method="GET",route="${route}",status="`;
  const lines = text.split('\n').filter((line) => line.startsWith(begin));
  return Object.fromEntries(
    lines.map((line) => {
      const [status = '', count] = line.slice(begin.length).split('"} ');
      return [status, Number(count)];
    }),
  );
}
