/**
 * A stand-in for Stripe: a server on this machine that speaks the part of its API that is used here, with the pages on
 * which payers pay, with the webhooks that Stripe sends, and with everything that can go wrong on the way.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Mode } from '../../src/checkout/tenant.ts';
import { fetchHttp, type StripeHttp } from '../../src/methods/stripe/http.ts';
import {
  type Answer,
  type Call,
  createStripeApi,
  KEYS,
  refusal,
  type SignedEvent,
  type SigningOptions,
} from './stripe-stand-in-api.ts';
import type { Books, StandInEvent } from './stripe-stand-in-books.ts';
import { readForm, text } from './stripe-stand-in-form.ts';

/** Misbehaviour of a call; `after` is after it has had its effect. */
export type Misbehaviour =
  | 'silence_before'
  | 'silence_after'
  | 'reset_before'
  | 'reset_after'
  /** An answer of the machines in front: nothing has happened, and nothing is remembered. */
  | 'error_before'
  /** 500, which is remembered with the idempotency key as any other answer. */
  | 'error_after'
  | 'too_many'
  /** The same, said with 400. */
  | 'too_many_400'
  | 'unauthorized'
  | 'forbidden'
  | 'not_json'
  /** Byte after byte, and never the last one. */
  | 'trickle'
  | 'unknown_status'
  | 'wrong_amount'
  | 'wrong_currency'
  | 'other_mode';

/** Calls that wait, in the order in which they came. */
export type Held = { readonly waiting: readonly unknown[]; letGo(place?: number): void; letAllGo(): void };

export type StripeStandIn = {
  readonly url: string;
  /**
   * Asks the stand-in, and loses patience as soon as it falls silent: no test waits for a time limit, and a slow machine
   * is not taken for a silent Stripe.
   */
  readonly http: StripeHttp;
  readonly keys: Readonly<Record<Mode, { readonly secretKey: string; readonly webhookSecret: string }>>;
  /** Settings of a service that asks the stand-in, with the keys of test mode. */
  readonly settings: Readonly<
    Record<'STRIPE_TEST_SECRET_KEY' | 'STRIPE_TEST_WEBHOOK_SECRET' | 'STRIPE_API_URL', string>
  >;
  /** Takes a further key, as of another merchant, which may not make some calls (`POST /v1/refunds`). */
  admit(secretKey: string, mode: Mode, mayNot?: readonly RegExp[]): void;
  readonly books: Readonly<Record<Mode, Books>>;
  readonly calls: readonly Call[];
  /** The next calls, or those of them that `on` fits (`POST /v1/refunds`), go wrong in these ways, one after another. */
  next(misbehaviour: Misbehaviour, options?: { times?: number; on?: RegExp }): void;
  /** From now on these calls wait before they have an effect, until they are let go one by one, or all of them. */
  hold(on: RegExp): Held;
  /** A day has gone by. */
  forgetKeys(): void;
  /** An event as Stripe would send it: bytes and the header that signs them; `timestamp` in seconds. */
  signed(event: StandInEvent, options?: SigningOptions): SignedEvent;
  /** Sends it there, and says what the answer was. */
  deliver(event: StandInEvent, url: string, options?: SigningOptions): Promise<number>;
  /** Breaks off what hangs. */
  close(): Promise<void>;
};

const SILENT: ReadonlySet<Misbehaviour> = new Set(['silence_before', 'silence_after', 'trickle']);

/** Tells calls of `http` apart. */
const CALL_HEADER = 'x-call';

export async function startStripe(context: {
  after(hook: () => Promise<void>): void;
}): Promise<StripeStandIn> {
  const pageUrl = (session: string) => `${url()}/c/pay/${session}`;
  const api = createStripeApi(pageUrl);
  const { books } = api;
  const calls: Call[] = [];
  const planned: Array<{ misbehaviour: Misbehaviour; on: RegExp }> = [];
  const silences = new EventEmitter().setMaxListeners(0);
  const held: Array<{ readonly on: RegExp; readonly waiting: Array<() => void> }> = [];
  let asked = 0;

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/', method = '', headers } = request;
    const body = await bodyOf(request);
    if (url.startsWith('/c/pay/')) return page(books, url, method, body, response);

    const call = api.readCall({ method, url, headers, body });
    if ('status' in call) {
      send(response, call);
      return;
    }
    calls.push(call);
    const hold = held.find(({ on }) => on.test(`${call.method} ${call.path}`));
    if (hold) await new Promise<void>((letGo) => hold.waiting.push(letGo));
    const index = planned.findIndex(({ on }) => on.test(`${call.method} ${call.path}`));
    const misbehaviour = index < 0 ? undefined : planned.splice(index, 1)[0]?.misbehaviour;
    const answer = misbehave(
      misbehaviour,
      () => api.answerOnce(call, (act) => altered(act(), misbehaviour)),
      response,
    );
    if (answer) send(response, answer);
    else if (misbehaviour && SILENT.has(misbehaviour)) silences.emit(String(headers[CALL_HEADER]));
  }

  const http: StripeHttp = async (request) => {
    asked += 1;
    const call = String(asked);
    const silence = once(silences, call).then(() => {
      throw new Error('there was no whole answer');
    });
    silence.catch(() => undefined);
    const answer = fetchHttp({ ...request, headers: { ...request.headers, [CALL_HEADER]: call } });
    // An answer that is not awaited any more ends with the connections of the stand-in.
    answer.catch(() => undefined).finally(() => silences.removeAllListeners(call));
    return Promise.race([answer, silence]);
  };

  const standIn: StripeStandIn = {
    url: url(),
    http,
    keys: KEYS,
    settings: {
      STRIPE_TEST_SECRET_KEY: KEYS.test.secretKey,
      STRIPE_TEST_WEBHOOK_SECRET: KEYS.test.webhookSecret,
      STRIPE_API_URL: url(),
    },
    books,
    admit: api.admit,
    calls,
    next(misbehaviour, { times = 1, on = /^/ } = {}) {
      for (let count = 0; count < times; count += 1) planned.push({ misbehaviour, on });
    },
    hold(on) {
      const waiting: Array<() => void> = [];
      const hold = { on, waiting };
      held.push(hold);
      const letGo = (place = 0) => waiting.splice(place, 1)[0]?.();
      return {
        waiting,
        letGo,
        letAllGo() {
          held.splice(held.indexOf(hold), 1);
          while (waiting.length > 0) letGo();
        },
      };
    },
    forgetKeys: api.forgetKeys,
    signed: api.signed,
    async deliver(event, address, options) {
      const { body, headers } = standIn.signed(event, options);
      const response = await fetch(address, { method: 'POST', headers, body: new Uint8Array(body) });
      await response.arrayBuffer();
      return response.status;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  context.after(standIn.close);
  return standIn;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_standin' });
  response.end(JSON.stringify(body));
}

/** The answer to send, or null where there is none or it was sent some other way. */
function misbehave(
  how: Misbehaviour | undefined,
  act: () => Answer,
  response: ServerResponse,
): Answer | null {
  switch (how) {
    case 'silence_before':
      return null;
    case 'silence_after':
      act();
      return null;
    case 'reset_before':
      response.socket?.resetAndDestroy();
      return null;
    case 'reset_after':
      act();
      response.socket?.resetAndDestroy();
      return null;
    case 'error_before':
      return refusal(503, 'Something went wrong on our end.');
    case 'too_many':
      return refusal(429, 'Request rate limit exceeded.');
    case 'too_many_400': {
      const error = { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests.' };
      return { status: 400, body: { error } };
    }
    case 'unauthorized':
      return refusal(401, 'Invalid API Key provided: sk_test_*****ng');
    case 'forbidden':
      return refusal(403, "The provided key 'sk_test_*****ng' may not do this.");
    case 'not_json':
      act();
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
      return null;
    case 'trickle': {
      act();
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
      return null;
    }
    default:
      return act();
  }
}

/** Answers with something unexpected; the books stay as they are. */
function altered(answer: Answer, how: Misbehaviour | undefined): Answer {
  if (answer.status !== 200) return answer;
  const { body } = answer;
  switch (how) {
    case 'error_after':
      return { status: 500, body: { error: { type: 'api_error', message: 'An error occurred.' } } };
    case 'unknown_status':
      return changed(body, () => ({ status: 'levitating', payment_status: 'levitating' }));
    case 'wrong_amount':
      return changed(body, (object) => ({ amount_total: Number(object.amount_total) + 1 }));
    case 'wrong_currency':
      return changed(body, () => ({ currency: 'xts' }));
    case 'other_mode':
      return changed(body, (object) => ({ livemode: !object.livemode }));
    default:
      return answer;
  }
}

type Body = Readonly<Record<string, unknown>>;

/** Changes the answer, or each entry of the list that it is. */
function changed(body: unknown, change: (object: Body) => Body): Answer {
  const object = body as Body;
  const list = object.data as Body[] | undefined;
  if (!list) return { status: 200, body: { ...object, ...change(object) } };
  return { status: 200, body: { ...object, data: list.map((each) => ({ ...each, ...change(each) })) } };
}

/** The page of the payer: pay, be declined, or go back. */
function page(
  books: Readonly<Record<Mode, Books>>,
  path: string,
  method: string | undefined,
  body: string,
  response: ServerResponse,
): void {
  const id = path.split('/')[3] ?? '';
  const home = books.test.sessions.has(id) ? books.test : books.live;
  const session = home.sessions.get(id);
  const html = { 'content-type': 'text/html; charset=utf-8' };
  if (session?.status !== 'open') {
    response.writeHead(410, html).end('<!doctype html><title>Stripe</title><p>This page is closed.</p>');
    return;
  }
  if (method === 'POST') {
    const outcome = text(readForm(body), 'outcome') === 'declined' ? 'declined' : 'succeeds';
    home.pay(id, { outcome });
    const location = outcome === 'succeeds' ? session.success_url : path;
    response.writeHead(303, { location }).end();
    return;
  }
  const escaped = (raw: string) => raw.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  response.writeHead(200, html).end(`<!doctype html>
<html lang="en"><title>Stripe</title>
<h1>${escaped(session.title)}</h1>
<p>${session.amount_total} ${session.currency.toUpperCase()}</p>
<form method="post">
<button name="outcome" value="succeeds">Pay</button>
<button name="outcome" value="declined">Pay with a card that is declined</button>
</form>
<a href="${escaped(session.cancel_url)}">Back</a></html>`);
}
