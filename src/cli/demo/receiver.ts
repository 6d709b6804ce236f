/** The shop's end of a webhook: a server that takes deliveries and believes only those whose signature is right. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type EventEnvelope, parseEvent } from '../../events/envelope.ts';

export type ReceivedEvent = EventEnvelope<{ readonly id: string; readonly payin?: string }>;

export type Receiver = {
  /** Address for deliveries. */
  readonly url: string;
  /** The secret is known only after the account is made; deliveries without it are refused. */
  secret: string;
  /** The first delivery of this type for this session, which may be here already. Rejects if none comes in time. */
  next(type: string, checkoutId: string): Promise<ReceivedEvent>;
  /** The types received so far for this session, in the order in which they came. */
  typesOf(checkoutId: string): readonly string[];
  close(): Promise<void>;
};

/** Older deliveries may be recordings that somebody plays again (Standard Webhooks). */
const TOLERANCE_SECONDS = 300;
const WAIT_MS = 10_000;

export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedEvent[] = [];
  const listeners = new Set<() => void>();
  let refused = '';

  const server = createServer(async (request, response) => {
    const body = await text(request);
    refused = problemOf(request, body, receiver.secret) ?? '';
    if (refused === '') received.push(parseEvent(body));
    response.writeHead(refused === '' ? 204 : 400).end();
    for (const listener of listeners) listener();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const belongsTo = (event: ReceivedEvent, id: string) => {
    return event.data.id === id || event.data.payin === id;
  };

  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/webhooks`,
    secret: '',

    next: (type, checkoutId) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => finish(`no ${type} arrived within ${WAIT_MS / 1000} seconds`),
          WAIT_MS,
        );
        function finish(outcome: ReceivedEvent | string): void {
          clearTimeout(timer);
          listeners.delete(look);
          if (typeof outcome === 'string') reject(new Error(outcome));
          else resolve(outcome);
        }
        function look(): void {
          const event = received.find((each) => each.type === type && belongsTo(each, checkoutId));
          if (refused !== '') finish(`a webhook was refused: ${refused}`);
          else if (event) finish(event);
        }
        listeners.add(look);
        look();
      }),

    typesOf: (checkoutId) => received.filter((each) => belongsTo(each, checkoutId)).map(({ type }) => type),

    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/**
 * Why a delivery is not to be believed, or null. This is all that a receiver has to check: the signature over
 * `id.timestamp.body` with the base64 part of the secret as key, and that the delivery is from now.
 */
export function problemOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  body: string,
  secret: string,
): string | null {
  const id = String(headers['webhook-id']);
  const timestamp = String(headers['webhook-timestamp']);
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= TOLERANCE_SECONDS)) return 'it is not from now';

  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // There may be several signatures, while a secret is being changed for another.
  const signatures = String(headers['webhook-signature']).split(' ');
  const isGenuine = signatures.some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isGenuine ? null : 'its signature is wrong';
}
