/** A merchant's everyday requests, and assertions for every answer. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type OtherService, startService, type TestService } from '../support/service.ts';

/** 2 x Widget, 1 x Gadget for 32.00 EUR, with everything that a shop may say. */
export const order = {
  invoice_currency: 'EUR',
  items: [
    { name: 'Widget', quantity: 2, unit_price: 1250 },
    { name: 'Gadget', quantity: 1, unit_price: 700 },
  ],
  customer_details: {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    country: 'GB',
    phone: { calling_code: '44', number: '2079460000' },
  },
  success_url: 'https://shop.example.com/thanks',
  cancel_url: 'https://shop.example.com/cart',
  reference_id: 'order-1001',
  metadata: { order_id: 'A-1001', gift: true, additional_info: { note: 'ring twice' } },
};

// biome-ignore lint/suspicious/noExplicitAny: the data of an answer; tests assert on what they find.
export type Data = any;

export const WELL_FORMED_ID = '01k9zq4tn30000x5r7m2c9w1he';

export async function createSession(
  { call }: Pick<OtherService, 'call'>,
  fields: object = {},
  headers: Record<string, string> = {},
): Promise<Data> {
  const body = { invoice_currency: 'EUR', amount: 2500, ...fields };
  return succeeded(await call('POST', '/v3/checkout', { body, headers }), 201);
}

export async function fetchSession({ call }: TestService, id: string): Promise<Data> {
  return succeeded(await call('GET', `/v3/checkout/${id}`));
}

export async function pay(
  { call }: Pick<OtherService, 'call'>,
  id: string,
  fields: object = {},
): Promise<Data> {
  return succeeded(await call('POST', `/v3/test_helpers/checkout/${id}/pay`, { body: fields }));
}

export async function advance({ call }: TestService, seconds: number): Promise<string> {
  const { now } = succeeded(await call('POST', '/v3/test_helpers/clock/advance', { body: { seconds } }));
  return now;
}

/** The time of the account's test clock. */
export async function now(service: TestService): Promise<number> {
  const account = await service.service.store.accounts.fetch(service.account.number);
  return Date.now() + (account?.testClockOffsetMs ?? 0);
}

/** All events from the beginning, or behind a cursor, page by page. */
export async function feed({ call }: TestService, after = '0', query = ''): Promise<Data[]> {
  const events: Data[] = [];
  for (let cursor = after; ; ) {
    const { json } = await call('GET', `/v3/event?limit=100&after=${cursor}${query}`);
    events.push(...json.data);
    cursor = json.next_cursor;
    if (!json.has_more) return events;
  }
}

/** The types of a session's events, oldest first. */
export async function eventTypes({ call }: TestService, id: string): Promise<string[]> {
  const { json } = await call('GET', `/v3/checkout/${id}/timeline?limit=100`);
  return json.data.map(({ type }: Data) => type).reverse();
}

export function succeeded({ status, json, text }: Answer, expected = 200): Data {
  assert.equal(status, expected, text);
  assert.equal(json.status, 'success');
  return json.data;
}

export type Refused = {
  readonly status: number;
  readonly message: string;
  /** Errors in the order of the answer: code, and pointer to the field if there is one. */
  readonly errors: ReadonlyArray<readonly [code: number, remarks?: string]>;
};

/** Holds a refusal to its envelope, and to the reasons it should have. */
export function assertRefused(answer: Answer, { status, message, errors }: Refused): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  const { json } = answer;
  assert.deepEqual(Object.keys(json), ['status', 'message', 'errors', 'request_id']);
  assert.equal(json.status, 'error');
  assert.equal(json.message, message);
  assert.equal(json.request_id, answer.headers.get('x-request-id'));
  for (const error of json.errors) {
    assert.deepEqual(Object.keys(error), ['code', 'message', 'remarks']);
    assert.match(error.message, /^\S.*\.$/s, 'a sentence');
  }
  const found = json.errors.map(({ code, remarks }: Data) => [code, remarks]);
  const byPointer = (a: Data, b: Data) => (a[1] < b[1] ? -1 : 1);
  assert.deepEqual(
    [...found].sort(byPointer),
    errors.map(([code, remarks = '']) => [code, remarks]).sort(byPointer),
  );
}

/** Asserts that what is done inside writes nothing at all. */
export async function writesNothing<T>({ database }: TestService, work: () => Promise<T>): Promise<T> {
  const before = await database.state();
  const result = await work();
  assert.deepEqual(await database.state(), before, 'something was written');
  return result;
}

/** Another service on the database of one that has stopped, for the same merchant. */
export async function reopened(
  first: TestService,
  options: { realNow?: () => number } = {},
): Promise<TestService> {
  await first.stop();
  const { database } = first;
  const env = { PORT: String(first.config.PORT) };
  // The database is that of the first; whoever reopens it stops the second.
  const second = await startService({ after: () => {} }, { env, database, ...options });
  const { key, account } = first;
  return {
    ...second,
    key,
    account,
    call: (method, path, { headers, ...rest } = {}) =>
      second.call(method, path, { ...rest, headers: { authorization: key.authorization, ...headers } }),
  };
}

const LONGEST_PAUSE_MS = 20;

/** Asks again and again until there is an answer; the runner's time-out ends a wait in vain. */
export async function until<T>(ask: () => Promise<T | null | false | undefined>): Promise<T> {
  for (let tries = 0; ; tries++) {
    const found = await ask();
    if (found) return found;
    // The pause leaves the processor to the awaited work.
    await pause(Math.min(tries, LONGEST_PAUSE_MS));
  }
}
