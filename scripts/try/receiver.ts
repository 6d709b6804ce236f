/** The shop's end of a webhook, by the reference library of Standard Webhooks: a body that is not genuine is refused. */
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

type Event = { readonly type: string; readonly data: { readonly id: string } };

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

export async function startReceiver(secret: string) {
  const webhook = new Webhook(secret);
  const events: Event[] = [];
  const refused: string[] = [];
  const news = new EventEmitter();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = Object.fromEntries(HEADERS.map((name) => [name, String(request.headers[name] ?? '')]));
    try {
      events.push(webhook.verify(body, headers) as Event);
      response.writeHead(204).end();
    } catch (error) {
      refused.push((error as Error).message);
      response.writeHead(400).end();
    }
    news.emit('delivery');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,

    /** Resolves with the types that came for a session up to this one; rejects with the first that is not genuine. */
    async until(type: string, id: string, withinMs: number): Promise<readonly string[]> {
      const limit = AbortSignal.timeout(withinMs);
      for (;;) {
        const [reason] = refused;
        if (reason !== undefined) throw new Error(`a webhook is not genuine: ${reason}`);
        const types = events.filter(({ data }) => data.id === id).map((event) => event.type);
        if (types.includes(type)) return types;
        await once(news, 'delivery', { signal: limit });
      }
    },

    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
