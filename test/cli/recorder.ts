/** A server in front of the service that keeps the objects of its answers, each as its JSON. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Ends } from '../support/clean-up.ts';

export type Recorder = { readonly url: string; readonly objects: ReadonlySet<string> };

export async function startRecorder(t: Ends, origin: string): Promise<Recorder> {
  const objects = new Set<string>();
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const { host: _, connection: _connection, ...headers } = request.headers;
    const body = await buffer(request);
    const answer = await fetch(`${origin}${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    });
    const text = await answer.text();
    const { data } = JSON.parse(text);
    for (const each of [data].flat()) objects.add(JSON.stringify(each));
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, objects };
}
