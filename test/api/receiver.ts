/** A merchant's receiver of webhooks on this machine. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Data } from './shop.ts';

export type Delivery = {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly event: Data;
  /** The number of other deliveries under way at its arrival. */
  readonly beside: number;
};

type Response =
  | number
  | { readonly status: number; readonly body?: string; readonly headers?: OutgoingHttpHeaders };
type Respond = (delivery: Delivery, count: number) => Response | Promise<Response>;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** `respond` says with which status a delivery is answered, and perhaps with what body and headers; it may take its time. */
export async function startReceiver(
  context: { after(hook: () => void): void },
  respond: Respond = () => 200,
) {
  const deliveries: Delivery[] = [];
  const news = new EventEmitter();
  let underWay = 0;
  const server = createServer(async (request, response) => {
    const beside = underWay++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const delivery = { headers: request.headers, text, event: JSON.parse(text), beside };
    deliveries.push(delivery);
    news.emit('delivery');
    const said = await respond(delivery, deliveries.length);
    underWay--;
    const { status, body = '', headers = {} } = typeof said === 'number' ? { status: said } : said;
    response.writeHead(status, headers).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    /** Resolves with the first `count` deliveries, once they have come. */
    async received(count: number): Promise<Delivery[]> {
      while (deliveries.length < count) await once(news, 'delivery');
      return deliveries.slice(0, count);
    },
  };
}

/** Checks both signatures as receivers do, each with its own means. */
export function assertSigned({ headers, text, event }: Delivery, secret: string): void {
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['webhook-id'], event.id);
  assert.match(String(headers['user-agent']), /^opentill\//);
  assert.deepEqual(new Webhook(secret).verify(text, headers as Record<string, string>), event);
  const older = createHmac('sha256', secret)
    .update(event.id + text + event.created_at)
    .digest('base64');
  assert.equal(headers.signature, older);
}
