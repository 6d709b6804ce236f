/**
 * The API of the stand-in for Stripe, however its calls come: keys, idempotency, what it has on its books, and the events
 * that it signs.
 */
import Stripe from 'stripe';
import type { Mode } from '../../src/checkout/tenant.ts';
import {
  type Books,
  createBooks,
  Refused,
  type Session,
  type StandInEvent,
} from './stripe-stand-in-books.ts';
import { type Form, part, readForm, text, texts } from './stripe-stand-in-form.ts';

export type Call = {
  readonly mode: Mode;
  readonly method: string;
  readonly path: string;
  readonly form: Form;
  readonly idempotencyKey: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type SignedEvent = { readonly body: Buffer; readonly headers: Record<string, string> };
export type SigningOptions = { secret?: string; timestamp?: number; alter?: (text: string) => string };

/** The answer to a call; its body is JSON. */
export type Answer = { readonly status: number; readonly body: unknown };

export const KEYS = {
  test: { secretKey: 'sk_test_standin', webhookSecret: 'whsec_standin_test' },
  live: { secretKey: 'sk_live_standin', webhookSecret: 'whsec_standin_live' },
} as const;

/** Stripe forgets an idempotency key behind so much time. */
const KEY_LIFETIME_MS = 24 * 60 * 60_000;

type Request = Omit<Call, 'mode' | 'form' | 'path' | 'idempotencyKey'> & {
  /** Path and query. */
  readonly url: string;
  readonly body: string;
};

export type StripeApi = ReturnType<typeof createStripeApi>;

/** `nowMs` is Stripe's own clock. */
export function createStripeApi(pageUrl: (session: string) => string, nowMs = () => Date.now()) {
  const books = { test: createBooks(false, pageUrl, nowMs), live: createBooks(true, pageUrl, nowMs) };
  const modesOfKeys = new Map<string, Mode>([
    [KEYS.test.secretKey, 'test'],
    [KEYS.live.secretKey, 'live'],
  ]);
  /** Calls that a restricted key may not make (`POST /v1/refunds`), by the key. */
  const lacks = new Map<string, readonly RegExp[]>();
  const remembered = new Map<string, { request: string; answer: Answer; at: number }>();

  return {
    books,

    /** Takes a further key, as of another merchant; what it makes is on the same books. It may not make some calls. */
    admit(secretKey: string, mode: Mode, mayNot: readonly RegExp[] = []) {
      modesOfKeys.set(secretKey, mode);
      lacks.set(secretKey, mayNot);
    },

    /** The request as a call, or the answer to one whose key nobody has, or that its key may not make. */
    readCall({ method, url, headers, body }: Request): Call | Answer {
      const key = /^Bearer (.+)$/.exec(String(headers.authorization ?? headers.Authorization ?? ''))?.[1];
      const mode = modesOfKeys.get(key ?? '');
      if (mode === undefined) return refusal(401, 'Invalid API Key provided: sk_test_*****ng');
      const [path = '', query = ''] = url.split('?');
      // Before anything else of the call is looked at.
      if (lacks.get(key ?? '')?.some((on) => on.test(`${method} ${path}`)))
        return refusal(403, `The provided key '${key}' does not have the required permissions for ${path}.`);
      return {
        mode,
        method,
        path,
        form: readForm(method === 'GET' ? query : body),
        idempotencyKey: String(headers['idempotency-key'] ?? headers['Idempotency-Key'] ?? ''),
        headers,
      };
    },

    /**
     * The same answer to the same key, whatever it was; only what never began is not remembered. `work` does what is asked,
     * or something else.
     */
    answerOnce(call: Call, work: (act: () => Answer) => Answer = (act) => act()): Answer {
      const request = JSON.stringify([call.path, call.form]);
      const key = call.idempotencyKey && `${call.mode} ${call.idempotencyKey}`;
      const earlier = remembered.get(key);
      const known = earlier && nowMs() - earlier.at < KEY_LIFETIME_MS ? earlier : undefined;
      if (known && known.request !== request) {
        const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${call.idempotencyKey}' if you meant to execute a different request.`;
        return { status: 400, body: { error: { type: 'idempotency_error', message } } };
      }
      if (known) return known.answer;
      const answer = work(() => answerTo(books[call.mode], call));
      // Refusals for what is wrong with a request are answered anew.
      if (key && (answer.status < 400 || answer.status >= 500))
        remembered.set(key, { request, answer, at: nowMs() });
      return answer;
    },

    forgetKeys: () => remembered.clear(),

    /** An event as Stripe would send it: bytes and the header that signs them; `timestamp` in seconds. */
    signed(
      event: StandInEvent,
      { secret, timestamp = Math.floor(nowMs() / 1000), alter }: SigningOptions = {},
    ): SignedEvent {
      const payload = JSON.stringify({ api_version: Stripe.API_VERSION, ...event });
      const signature = Stripe.webhooks.generateTestHeaderString({
        payload,
        secret: secret ?? KEYS[event.livemode ? 'live' : 'test'].webhookSecret,
        timestamp,
      });
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
      return { body: Buffer.from(alter ? alter(payload) : payload), headers };
    },
  };
}

export function refusal(status: number, message: string): Answer {
  return { status, body: { error: { type: 'invalid_request_error', message } } };
}

function answerTo(books: Books, call: Call): Answer {
  try {
    // A copy, as it is now: what is remembered must not change with the books.
    return { status: 200, body: structuredClone(route(books, call)) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, body: { error: error.error } };
  }
}

function route(books: Books, { method, path, form }: Call): unknown {
  const [, , area = '', ...rest] = path.split('/');
  const subject = area === 'checkout' ? `checkout/${rest.shift()}` : area;
  const [id = '', verb = ''] = rest;
  switch (`${method} ${subject}${id && '/id'}${verb && `/${verb}`}`) {
    case 'POST checkout/sessions':
      return shown(books.createSession(form));
    case 'GET checkout/sessions':
      return list([...books.sessions.values()].map(shown), form, '/v1/checkout/sessions');
    case 'GET checkout/sessions/id':
      return expanded(books, books.take(books.sessions, 'checkout.session', id), texts(form, 'expand'));
    case 'POST checkout/sessions/id/expire':
      return shown(books.expireSession(id));
    case 'GET payment_intents':
      return list([...books.intents.values()], form, '/v1/payment_intents');
    case 'GET payment_intents/id':
      return books.take(books.intents, 'payment_intent', id);
    case 'GET charges':
      return list([...books.charges.values()], form, '/v1/charges');
    case 'GET charges/id':
      return books.take(books.charges, 'charge', id);
    case 'GET balance_transactions/id':
      return books.take(books.balanceTransactions, 'balance_transaction', id);
    case 'POST refunds':
      return books.createRefund(form);
    // Nothing is changed here in a refund; one that is not there is refused, as all are.
    case 'POST refunds/id':
    case 'GET refunds/id':
      return books.take(books.refunds, 'refund', id);
    case 'GET refunds':
      return list(ofIntent(books.refunds, form), form, '/v1/refunds');
    case 'GET disputes/id':
      return books.take(books.disputes, 'dispute', id);
    case 'GET disputes':
      return list(ofIntent(books.disputes, form), form, '/v1/disputes');
    default:
      throw new Refused(404, {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${path}).`,
      });
  }
}

function shown({ intentMetadata, title, ...session }: Session): Omit<Session, 'intentMetadata' | 'title'> {
  return session;
}

function expanded(books: Books, session: Session, paths: readonly string[]): unknown {
  const intent = books.intents.get(session.payment_intent ?? '');
  if (!intent || !paths.some((each) => each.startsWith('payment_intent'))) return shown(session);
  const charge = books.charges.get(intent.latest_charge ?? '');
  const withCharge = charge && paths.includes('payment_intent.latest_charge');
  return {
    ...shown(session),
    payment_intent: { ...intent, ...(withCharge ? { latest_charge: charge } : {}) },
  };
}

function ofIntent<Kept extends { payment_intent: string }>(
  kept: ReadonlyMap<string, Kept>,
  form: Form,
): Kept[] {
  return [...kept.values()].filter((each) => each.payment_intent === text(form, 'payment_intent'));
}

/** Newest first, a page at a time. */
function list(all: ReadonlyArray<{ id: string; created: number }>, form: Form, url: string): unknown {
  const created = part(form, 'created');
  const from = Number(text(created, 'gte') || 0);
  const to = Number(text(created, 'lte') || Number.MAX_SAFE_INTEGER);
  const limit = Number(text(form, 'limit') || 10);
  const meant = all.filter((each) => each.created >= from && each.created <= to).reverse();
  const start = meant.findIndex(({ id }) => id === text(form, 'starting_after')) + 1;
  const data = meant.slice(start, start + limit);
  return { object: 'list', url, has_more: start + limit < meant.length, data };
}
