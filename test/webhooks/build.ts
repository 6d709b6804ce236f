/** Receivers to send to, and deliveries to send. */
import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { networkRules } from '../../src/webhooks/guard.ts';
import { createSender, type Sending } from '../../src/webhooks/sender.ts';

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwZ0wQ0hgq7sY=';
export const CREATED_MS = Date.parse('2030-01-31T12:00:00.123Z');
export const BODY = '{"type":"checkout.paid","id":"evt_1","data":{"name":"Zoë 東京 🧾"}}';

export const onlyPublic = networkRules([], false);
export const withLoopback = networkRules([], true);

export function delivery(url: string, { body = BODY, secrets = [SECRET] }: Partial<Content> = {}): Sending {
  const event = {
    id: 'evt_1',
    type: 'checkout.paid',
    subject: 'chk_1',
    sequence: 1,
    createdAt: CREATED_MS,
    cause: null,
  } as const;
  return { url, event: { ...event, body }, secrets };
}
type Content = Pick<Sending, 'secrets'> & { readonly body: string };

type Received = {
  readonly method: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
};

/** A receiver on a fresh port. It reads each request to its end and notes it before it answers. */
export async function receiver(
  t: TestContext,
  answer: (response: ServerResponse, request: IncomingMessage, count: number) => void,
) {
  const received: Received[] = [];
  const handle: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', headers } = request;
    received.push({ method, headers, body: Buffer.concat(chunks) });
    answer(response, request, received.length);
  };
  const server = http.createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const counts = { connections: 0 };
  server.on('connection', () => {
    counts.connections += 1;
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { received, counts, server, port, url: `http://127.0.0.1:${port}/hook?a=1` };
}

/** A sender that is closed when its test is over. */
export function sender(t: TestContext, options: Partial<Parameters<typeof createSender>[0]> = {}) {
  const made = createSender({ rules: withLoopback, version: '1.2.3', ...options });
  t.after(made.close);
  return made;
}

/** A resolver that gives each of these answers once, and then the last one again; it counts how often it is asked. */
export function scriptedResolver(...answers: (readonly string[])[]) {
  const asked: string[] = [];
  return {
    asked,
    async resolve(hostname: string) {
      const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
      asked.push(hostname);
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  };
}
