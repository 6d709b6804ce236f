/**
 * Load with a memory: what was asked of the service, and what it acknowledged. After a crash the memory tells what
 * must be there, and what has to be asked again.
 */
import assert from 'node:assert/strict';
import type { Random } from './random.ts';

/** Metadata has room for 50 names, and every update adds one. */
const MAX_UPDATES = 45;

export type Answer = {
  readonly status: number;
  readonly text: string;
  /** The session's version after the change; each change makes one. */
  readonly version: number;
  readonly replayed: boolean;
  readonly retryAfter: string | null;
};

export type Request = {
  readonly kind: 'create' | 'note' | 'items' | 'pay' | 'expire';
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: string;
  readonly key: string;
  /** The session it is about; null for a create, which makes one. */
  readonly session: Session | null;
  readonly amount: number;
  readonly email: string;
  answer: Answer | null;
};

export type Session = {
  readonly id: string;
  readonly webhookUrl: string;
  updates: number;
  /** The create and every change that was acknowledged since. */
  readonly changes: Request[];
};

export type Load = ReturnType<typeof createLoad>;

export function createLoad(random: Random, authorization: string, webhookUrl: string) {
  const requests: Request[] = [];
  const sessions: Session[] = [];
  const emails = ['ada', 'grace', 'edsger', 'barbara'].map((name) => `${name}@example.com`);

  function create(): Request {
    const email = random.next() < 0.4 ? random.pick(emails) : '';
    const hook = random.next() < 0.5 ? webhookUrl : '';
    const body = {
      invoice_currency: 'EUR',
      items: [{ name: 'Widget', quantity: random.between(1, 9), unit_price: random.between(100, 5000) }],
      reference_id: `order-${requests.length}`,
      metadata: { [`m${requests.length}`]: requests.length },
      webhook_url: hook,
      ...(email === '' ? {} : { customer_details: { name: 'Somebody', email } }),
    };
    return made('create', 'POST', '/v3/checkout', body, null, { email });
  }

  function change(session: Session): Request {
    const path = `/v3/checkout/${session.id}`;
    const kind = random.pick(['note', 'note', 'items', 'items', 'pay', 'pay', 'expire'] as const);
    const mark = { [`m${requests.length}`]: requests.length };
    switch (kind) {
      case 'note':
        session.updates++;
        return made(kind, 'PUT', path, { metadata: mark }, session);
      case 'items': {
        session.updates++;
        const items = [
          { name: `Gadget ${requests.length}`, quantity: 1, unit_price: random.between(100, 9000) },
        ];
        return made(kind, 'PUT', path, { items, metadata: mark }, session);
      }
      case 'pay': {
        const amount = random.between(1, 3000);
        const body = { amount, payment_id: `payment-${requests.length}` };
        return made(kind, 'POST', `/v3/test_helpers/checkout/${session.id}/pay`, body, session, { amount });
      }
      case 'expire':
        return made(kind, 'POST', `${path}/expire`, {}, session);
    }
  }

  function made(
    kind: Request['kind'],
    method: Request['method'],
    path: string,
    body: object,
    session: Session | null,
    { amount = 0, email = '' } = {},
  ): Request {
    const key = `key-${requests.length}`;
    const request = {
      kind,
      method,
      path,
      body: JSON.stringify(body),
      key,
      session,
      amount,
      email,
      answer: null,
    };
    requests.push(request);
    return request;
  }

  /** Null if no answer came. */
  async function send(url: string, { method, path, body, key }: Request): Promise<Answer | null> {
    try {
      const response = await fetch(url + path, {
        method,
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': key },
        body,
      });
      const { status, headers } = response;
      return {
        status,
        text: await response.text(),
        version: Number(headers.get('etag')?.slice(1, -1)),
        replayed: headers.has('idempotent-replayed'),
        retryAfter: headers.get('retry-after'),
      };
    } catch {
      return null;
    }
  }

  /** Remembers what the service said; anything but a success or a refusal is a failure of the service. */
  function acknowledge(request: Request, answer: Answer): void {
    const { status, text } = answer;
    assert.ok(status < 300 || status === 409, `${request.kind} was answered with ${status}: ${text}`);
    assert.equal(request.answer, null);
    request.answer = answer;
    if (status === 409) return;
    if (request.session) {
      request.session.changes.push(request);
      return;
    }
    const { id } = JSON.parse(text).data;
    const { webhook_url } = JSON.parse(request.body);
    sessions.push({ id, webhookUrl: webhook_url, updates: 0, changes: [request] });
  }

  /** Mostly the newest sessions, so that changes of one session meet. */
  function nextRequest(): Request {
    const recent = sessions.slice(-24).filter(({ updates }) => updates < MAX_UPDATES);
    return recent.length === 0 || random.next() < 0.2 ? create() : change(random.pick(recent));
  }

  return {
    authorization,
    requests,
    sessions,
    nextRequest,
    send,
    acknowledge,

    /** Asks for one thing after the other, `parallel` at once, until the service is gone. */
    async hammer(url: string, parallel: number): Promise<void> {
      const client = async () => {
        for (;;) {
          const request = nextRequest();
          const answer = await send(url, request);
          if (answer === null) return;
          acknowledge(request, answer);
        }
      };
      await Promise.all(Array.from({ length: parallel }, client));
    },

    unanswered: (): Request[] => requests.filter(({ answer }) => answer === null),
  };
}
