/**
 * A shop with one account in test mode, in which nothing happens by itself: what is due is done when the test lets time
 * pass. It can be closed and opened again at every step, so that nothing may live but in its database.
 */

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { createAccount } from '../../src/accounts/account.ts';
import { allPermissions, createApiKey } from '../../src/accounts/api-key.ts';
import type { AccountSettings } from '../../src/accounts/settings.ts';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import { createSerializer } from '../../src/checkout/serializer.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { readConfig } from '../../src/config/read.ts';
import { newId } from '../../src/lib/id.ts';
import { createService } from '../../src/main.ts';
import { findMethod, type Method } from '../../src/methods/catalogue.ts';
import { type Occasion, occasionOf, type Rail, traitsOf } from '../../src/methods/method.ts';
import { newOnce, shownOn } from '../../src/pages/pay-form.ts';
import { isBroken, type Outcome } from '../../src/store/check/check.ts';
import { checkPostgres } from '../../src/store/postgres/check.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import { startAtRail } from '../../src/writer/rails.ts';
import { createWriter } from '../../src/writer/writer.ts';
import { configureAccount } from '../support/configure.ts';
import type { TestDatabase } from '../support/database.ts';

// biome-ignore lint/suspicious/noExplicitAny: the data of an answer; tests assert on what they find.
export type Data = any;

export type Answer = { readonly status: number; readonly data: Data; readonly text: string };

type Headers = Readonly<Record<string, string>>;

export type Till = Awaited<ReturnType<typeof openTill>>;

const CHECKOUT_URL = 'https://pay.example.com';
const WARN = 40;

type Given = {
  readonly database: TestDatabase;
  readonly rails: readonly Rail[];
  readonly settings: AccountSettings;
  /** The number of first steps at which the service is closed and opened again. */
  readonly restarts: number;
};

export async function openTill(
  context: Pick<TestContext, 'after'>,
  { database, rails, settings, restarts }: Given,
) {
  /** Alerts of rails to the operator, and everything else that was logged. */
  const alerts: string[] = [];
  const errors: string[] = [];
  /** Questions of a start that a rail has not answered. */
  const silences: string[] = [];
  const stream = {
    write(line: string): void {
      const { level, rail, msg } = JSON.parse(line);
      if (level === WARN && rail !== undefined) alerts.push(`${rail}: ${msg}`);
      else errors.push(line);
    },
  };
  const config = readConfig({
    DATABASE_URL: database.url,
    CHECKOUT_URL,
    RATE_LIMIT: '0',
    ADDRESS_RATE_LIMIT: '0',
  });
  const serializer = createSerializer(CHECKOUT_URL);

  async function open() {
    const service = await createService(config, { logger: pino({ level: 'warn' }, stream), rails });
    const { store } = service;
    return { service, store, execute: createWriter({ store, serializer, realNow: Date.now }) };
  }
  let opened = await open();
  let isOpen = true;
  async function close(): Promise<void> {
    if (isOpen) await opened.service.stop();
    isOpen = false;
  }
  context.after(async () => {
    await close();
    await database.remove();
  });

  const account = await createAccount(opened.store, 'Test Shop', Date.now());
  const tenant: Tenant = { account: account.number, mode: 'test' };
  await configureAccount(opened.store, tenant, settings);
  const key = await createApiKey(opened.store, {
    tenant,
    permissions: allPermissions,
    name: 'test',
    nowMs: Date.now(),
  });
  const authorization = `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}`;

  let left = restarts;
  async function step(): Promise<void> {
    if (left-- <= 0) return;
    await close();
    opened = await open();
    isOpen = true;
  }

  async function send(method: string, url: string, body: unknown, headers: Headers): Promise<Answer> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const response = await opened.service.app.inject({
      method: method as 'GET',
      url,
      headers,
      ...(body === undefined ? {} : { payload: isRaw ? body : JSON.stringify(body) }),
    });
    const isJson = String(response.headers['content-type']).includes('json');
    return {
      status: response.statusCode,
      data: isJson ? response.json().data : null,
      text: response.body,
    };
  }

  /** Calls the API, whatever comes of it. */
  function call(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
    return send(method, `/v3${path}`, body, { authorization, ...type, ...headers });
  }

  /** Calls the API; the data of a success. */
  async function ask(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Data> {
    const { status, data, text } = await call(method, path, body, headers);
    assert.ok(status < 300, `${method} ${path} was answered with ${status}: ${text}`);
    return data;
  }

  /** Advances the clock of test mode; everything due by then is done. */
  async function pass(seconds = 1): Promise<void> {
    await step();
    await ask('POST', '/test_helpers/clock/advance', { seconds });
  }

  async function now(): Promise<number> {
    const { testClockOffsetMs = 0 } = (await opened.store.accounts.fetch(account.number)) ?? {};
    return Date.now() + testClockOffsetMs;
  }

  async function stored(id: CheckoutId): Promise<Checkout> {
    const checkout = await opened.store.checkouts.fetch(tenant, id);
    assert.ok(checkout);
    return checkout;
  }

  async function occasionFor(checkout: Checkout): Promise<Occasion> {
    const current = await opened.store.accounts.fetch(account.number);
    assert.ok(current);
    return occasionOf(checkout, current);
  }

  /** The field of the form that tells what the page shows. */
  const shown = async (session: Data): Promise<string> => shownOn(await stored(session.id));

  const pathOf = (session: Data): string => new URL(session.url).pathname;

  /** Sends a form of the page, as browsers do. */
  async function submit(session: Data, action: string, form: Readonly<Record<string, string>>) {
    return send('POST', `${pathOf(session)}/${action}`, new URLSearchParams(form).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  }

  return {
    alerts,
    silences,
    tenant,
    call,
    ask,
    pass,
    now,
    stored,
    step,
    occasionFor,
    shown,
    submit,
    /** The payer's page. */
    page: async (session: Data): Promise<string> => (await send('GET', pathOf(session), undefined, {})).text,
    /** The path of provider events is open to everybody. */
    tell: (rail: string, body: Buffer | string, headers: Headers) =>
      send('POST', `/notices/${rail}`, body, headers),
    metrics: async () => (await send('GET', '/metrics', undefined, {})).text,
    database,

    session: (fields: object): Promise<Data> => ask('POST', '/checkout', fields),
    fetch: (id: string): Promise<Data> => ask('GET', `/checkout/${id}`),
    payin: (id: string): Promise<Data> => ask('GET', `/payin/${id}`),
    /** The types of all events of a session, oldest first. */
    async events(id: CheckoutId): Promise<string[]> {
      const { rows } = await opened.store.events.timeline(tenant, id, null, 1000);
      return rows.map(({ type }) => type).reverse();
    },

    /** The payer chooses a method on the page; the newest attempt after that. */
    async choose(session: Data, method: string, form: Readonly<Record<string, string>> = {}): Promise<Data> {
      const fields = { method, shown: await shown(session), once: newOnce(), ...form };
      const { status, text } = await submit(session, 'pay', fields);
      assert.equal(status, 303, text);
      return (await ask('GET', `/checkout/${session.id}`)).payment_attempts.at(-1);
    },
    /** The rail prepares what the payer needs, where there is something to prepare. */
    async start(id: CheckoutId): Promise<void> {
      const checkout = await stored(id);
      const attempt = checkout.attempts.at(-1);
      assert.ok(attempt);
      const { store, execute } = opened;
      const onAlert = (rail: string, text: string) => void alerts.push(`${rail}: ${text}`);
      const onSilence = (rail: string, text: string) => void silences.push(`${rail}: ${text}`);
      const at = await now();
      const duties = { store, execute, rails, onAlert, onSilence };
      await startAtRail(duties, checkout, attempt, `${CHECKOUT_URL}/back`, at);
    },
    /** Plans an attempt; what is returned writes it down, which may be later than the provider has heard of it. */
    async plan(id: CheckoutId, rail: Rail, methodId: string) {
      const checkout = await stored(id);
      const method = findMethod(methodId) as Method;
      const at = await now();
      const attemptId = newId('pat', at);
      const plan = rail.plan(checkout, method, await occasionFor(checkout), attemptId, at);
      const origin = { tenant, actor: 'payer', requestId: '', idempotency: null };
      const command = {
        type: 'start_attempt',
        now: at,
        attemptId,
        rail: rail.name,
        method: methodId,
        expectedAmount: checkout.amount,
        traits: traitsOf(rail, checkout),
        ...plan,
      } as const;
      const { type, now: createdAt, attemptId: _, expectedAmount: amount, ...rest } = command;
      return {
        checkout,
        attempt: { ...rest, id: attemptId, createdAt, amount, version: checkout.version, reason: '' },
        async write(): Promise<void> {
          const { result } = await opened.execute({ subject: 'checkout', origin, id, command });
          assert.equal(result.kind, 'change');
        },
      };
    },

    /** Closes the shop, and fails with whatever went wrong or does not add up. */
    async checkBooks(): Promise<void> {
      await close();
      assert.deepEqual(errors, []);
      const broken: Outcome[] = [];
      const listener = {
        outcome: (outcome: Outcome) => void (isBroken(outcome) && broken.push(outcome)),
        progress() {},
      };
      if (database.url.startsWith('postgres')) await checkPostgres(database.url, listener);
      else {
        const file = new DatabaseSync(database.url.replace(/^sqlite:/, ''), { readOnly: true });
        await checkSqlite(file, listener);
        file.close();
      }
      assert.deepEqual(broken, []);
    },
  };
}
