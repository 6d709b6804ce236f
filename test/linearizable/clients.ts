/**
 * Clients that work on one session at once, over HTTP, and write down what they have called and what was answered. Some
 * give up before there is an answer, as people and gateways do; those that name their request repeat it.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../crash/random.ts';
import type { Operation } from './checker.ts';
import type { Input, Output, Shown } from './session-model.ts';

export type Line = Operation<Input, Output>;

export type Service = {
  readonly authorization: string;
  /** Addresses of the instances, and of what stands before them. */
  readonly urls: readonly string[];
};

const CLIENTS = 4;
const REQUESTS_EACH = 6;
const MAX_THINK_MS = 12;
/** Within this time, every client that repeats its request has an answer. */
const GIVE_UP_AFTER_MS = 60_000;

type Call = {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: object;
};
type Received = { readonly status: number; readonly etag: string | null; readonly text: string };

/** `refused`: nobody has had the request; `lost`: nobody knows. */
type Came = Received | 'refused' | 'lost';

/** Has a session made by clients at once, and returns what has happened. */
export async function history(
  { authorization, urls }: Service,
  random: Random,
  amount: number,
): Promise<Line[]> {
  const lines: Line[] = [];
  /** Shared knowledge of all clients: the newest version, and attempts by the reference of their payment. */
  const known = { version: 1, attempts: new Map<string, string>() };
  let count = 0;

  async function send({ method, path, body, headers }: Call, timeoutMs: number | null): Promise<Came> {
    try {
      const response = await fetch(random.pick(urls) + path, {
        method,
        headers: {
          authorization,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs ?? GIVE_UP_AFTER_MS),
      });
      const { status } = response;
      const text = await response.text();
      // The request may have failed before or after its commit.
      return status >= 500 ? 'lost' : { status, etag: response.headers.get('etag'), text };
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      return cause?.code === 'ECONNREFUSED' ? 'refused' : 'lost';
    }
  }

  /** The answer to a request that is repeated until there is one, and whether it may have been heard before. */
  async function insist(
    call: Call,
    timeoutMs: number | null = null,
  ): Promise<{ readonly received: Received; readonly isRepeated: boolean; readonly calledAt: number }> {
    const begun = performance.now();
    let isRepeated = false;
    for (let tries = 1; ; tries++) {
      const calledAt = performance.now();
      const came = await send(call, tries === 1 ? timeoutMs : null);
      if (typeof came === 'object') return { received: came, isRepeated, calledAt };
      if (came === 'lost') isRepeated = true;
      const now = performance.now();
      const told = `${call.method} ${call.path} had no answer; the last of ${tries} tries took ${now - calledAt} ms`;
      assert.ok(now - begun < GIVE_UP_AFTER_MS, told);
      await pause(20);
    }
  }

  const { received: created } = await insist({
    method: 'POST',
    path: '/v3/checkout',
    body: { invoice_currency: 'EUR', amount },
    headers: { 'idempotency-key': `create-${random.next()}` },
  });
  assert.equal(created.status, 201, created.text);
  const { id } = JSON.parse(created.text).data;
  const path = `/v3/checkout/${id}`;

  function shownIn({ etag, text }: Received): Shown {
    const { data } = JSON.parse(text);
    const version = Number(etag?.slice(1, -1));
    known.version = Math.max(known.version, version);
    for (const attempt of data.payment_attempts)
      known.attempts.set(attempt.payment_method_details.reference, attempt.id);
    return {
      version,
      amount: data.amount,
      mark: data.metadata.mark ?? 0,
      paid: data.amount_paid,
      status: data.status,
      paymentStatus: data.payment_status,
    };
  }

  function outputOf(input: Input, received: Received): Output {
    const { status, text } = received;
    if (status === 304) return { type: 'not_modified' };
    if (status === 409) return { type: 'conflict' };
    if (status === 412) return { type: 'stale' };
    assert.ok(status === 200 || status === 201, `${input.type} was answered with ${status}: ${text}`);
    if (input.type === 'refund') return { type: 'refunded' };
    if (input.type !== 'fetch_payin') return { type: 'session', shown: shownIn(received) };
    const { data } = JSON.parse(text);
    const refunds: readonly { readonly amount: number; readonly status: string }[] = data.refunds;
    return {
      type: 'payin',
      amount: data.amount,
      paid: data.amount_paid,
      refunded: refunds.reduce((sum, each) => sum + each.amount, 0),
      pendingRefunds: refunds.filter((each) => each.status === 'pending').length,
    };
  }

  function callOf(input: Input): Call {
    const ifMatch = 'ifMatch' in input && input.ifMatch !== null ? { 'if-match': `"${input.ifMatch}"` } : {};
    switch (input.type) {
      case 'fetch':
        return { method: 'GET', path };
      case 'fetch_payin':
        return { method: 'GET', path: `/v3/payin/${id}` };
      case 'fetch_if_changed':
        return { method: 'GET', path, headers: { 'if-none-match': `"${input.known}"` } };
      case 'set_items': {
        const items = [{ name: 'Widget', quantity: 1, unit_price: input.amount }];
        return { method: 'PUT', path, body: { items }, headers: ifMatch };
      }
      case 'set_mark':
        return { method: 'PUT', path, body: { metadata: { mark: input.mark } }, headers: ifMatch };
      case 'expire':
        return { method: 'POST', path: `${path}/expire`, headers: ifMatch };
      case 'pay': {
        const body = {
          payment_id: input.reference,
          ...(input.amount === null ? {} : { amount: input.amount }),
        };
        return { method: 'POST', path: `/v3/test_helpers/checkout/${id}/pay`, body };
      }
      case 'refund': {
        const body = {
          payin: id,
          payment_attempt: known.attempts.get(input.reference),
          amount: input.amount,
        };
        return { method: 'POST', path: '/v3/refund', body };
      }
    }
  }

  function nextInput(): Input {
    const number = ++count;
    const kinds = [
      'fetch',
      'fetch',
      'fetch',
      'payin',
      'changed',
      'items',
      'mark',
      'mark',
      'pay',
      'refund',
      'expire',
    ];
    // A version that somebody has seen, or that comes next; most changes want any.
    const ifMatch = random.next() < 0.3 ? known.version + random.between(-1, 1) : null;
    switch (random.pick(kinds)) {
      case 'payin':
        return { type: 'fetch_payin' };
      case 'changed':
        return { type: 'fetch_if_changed', known: known.version };
      case 'items':
        return { type: 'set_items', amount: amount + number, ifMatch };
      case 'mark':
        return { type: 'set_mark', mark: number, ifMatch };
      case 'pay': {
        // Some payments are reported twice, and then with the same amount: it does not matter by whom.
        const which = random.next() < 0.3 ? random.between(1, 3) : number;
        const isPart = which <= 3 || random.next() < 0.6;
        return { type: 'pay', reference: `${id}-${which}`, amount: isPart ? 1 + (which % 50) : null };
      }
      case 'refund': {
        const references = [...known.attempts.keys()];
        if (references.length === 0) return { type: 'fetch' };
        return { type: 'refund', reference: random.pick(references), amount: random.between(1, 30) };
      }
      case 'expire':
        // Seldom, for little can happen afterwards.
        return random.next() < 0.4 ? { type: 'expire', ifMatch } : { type: 'fetch' };
      default:
        return { type: 'fetch' };
    }
  }

  async function request(input: Input): Promise<void> {
    const call = callOf(input);
    const isRead = call.method === 'GET';
    const isNamed = !isRead && random.next() < 0.5;
    const headers = isNamed
      ? { ...call.headers, 'idempotency-key': `${id}-${lines.length}-${random.next()}` }
      : call.headers;
    const timeoutMs = random.next() < 0.12 ? random.between(1, 15) : null;
    const whole = { ...call, ...(headers === undefined ? {} : { headers }) };
    const calledAt = performance.now();
    const lost = { input, output: null, calledAt, answeredAt: Number.POSITIVE_INFINITY };
    if (!isNamed) {
      const came = await send(whole, timeoutMs);
      const answeredAt = performance.now();
      if (typeof came === 'object')
        lines.push({ input, output: outputOf(input, came), calledAt, answeredAt });
      // A read without an answer says nothing.
      else if (came === 'lost' && !isRead) lines.push(lost);
      return;
    }
    const { received, isRepeated, calledAt: calledLast } = await insist(whole, timeoutMs);
    const answeredAt = performance.now();
    const output = outputOf(input, received);
    // All tries that succeed are one. But a refusal is not kept: it is that of the last try, and another one may happen yet.
    const isRefused = received.status >= 400;
    if (isRefused && isRepeated) lines.push(lost);
    lines.push({ input, output, calledAt: isRefused ? calledLast : calledAt, answeredAt });
  }

  async function client(): Promise<void> {
    for (let left = REQUESTS_EACH; left > 0; left--) {
      await request(nextInput());
      await pause(random.between(0, MAX_THINK_MS));
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client));
  // The final state, as all clients would see it.
  for (const input of [{ type: 'fetch' }, { type: 'fetch_payin' }] as const) {
    const { received, calledAt } = await insist(callOf(input));
    lines.push({ input, output: outputOf(input, received), calledAt, answeredAt: performance.now() });
  }
  return lines;
}
