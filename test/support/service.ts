/** A whole service in this process, on a fresh database and port, with a clock that the test moves. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { type Account, createAccount } from '../../src/accounts/account.ts';
import { allPermissions, createApiKey, type Permission } from '../../src/accounts/api-key.ts';
import type { Mode } from '../../src/checkout/tenant.ts';
import { firstStart } from '../../src/cli/first-start.ts';
import { freePort } from '../../src/cli/free-port.ts';
import { readConfig } from '../../src/config/read.ts';
import type { Config } from '../../src/config/settings.ts';
import type { ConnectionOptions } from '../../src/http/connections.ts';
import { createService, type Service } from '../../src/main.ts';
import { asSent, createClient, type Response } from './client.ts';
import { freshTestDatabase, type TestDatabase } from './database.ts';
import { takeLivePayments } from './live-payments.ts';

/** The key under which the service encrypts credentials, unless a test has another one. */
export const CREDENTIALS_KEY = '5e'.repeat(32);
/** More than a test writes: to other connections, a log that SQLite begins anew looks as if something had changed. */
const LOG_BYTES = 2 ** 30;
/** Nobody answers there: a test that has no stand-in for Stripe must not reach Stripe itself. */
export const NO_STRIPE = 'http://127.0.0.1:1';

export type TestKey = { readonly id: string; readonly secret: string; readonly authorization: string };

export type TestService = {
  readonly service: Service;
  readonly config: Config;
  readonly database: TestDatabase;
  /** The service's address, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly account: Account;
  /** The clock of the service. */
  readonly realNow: () => number;
  /** A key of the first account that may do everything in test mode. */
  readonly key: TestKey;
  /** Makes a key. For a live one, its account takes bank transfers in EUR, so that it can have sessions. */
  createKey(options?: {
    account?: number;
    mode?: Mode;
    permissions?: readonly Permission[];
  }): Promise<TestKey>;
  /** Calls the API with the first key, or with the `authorization` among the headers. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  stop(): Promise<void>;
};

/** The part of a service that exists for one in a process of its own, with a store that is open beside it. */
export type OtherService = Pick<TestService, 'url' | 'key' | 'call'> & {
  readonly service: Pick<Service, 'store'>;
  readonly account: Pick<Account, 'number'>;
};

export type ServiceOptions = {
  readonly env?: NodeJS.ProcessEnv;
  readonly realNow?: () => number;
  readonly logger?: Logger;
  readonly database?: TestDatabase;
  readonly documentWaitMs?: number;
  /** Pause between two looks of the worker at what is due: short where many tests wait for what it does. */
  readonly pollMs?: number;
  readonly statementLookMs?: number;
  /** Pause behind which the log of requests is written. */
  readonly requestLogMs?: number | null;
  readonly connections?: ConnectionOptions;
};

export type CallOptions = {
  /** Sent as JSON; a string and a buffer are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Answer = Response & {
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of many shapes, and asserts on what it finds.
  readonly json: any;
};

/**
 * Starts a service that ends with the test. `env` has further settings. A `database` that is given is not removed in
 * the end.
 */
export async function startService(
  context: { after(hook: () => Promise<void>): void },
  {
    env = {},
    realNow = Date.now,
    logger = pino({ level: 'silent' }),
    database: given,
    // A machine with other work may take longer than readers wait, and few tests are about those.
    documentWaitMs = 60_000,
    // A refusal must write nothing, and SQLite does not tell of which table a write was. The log of requests, which is beside all
    // others, is kept where a test is about it.
    requestLogMs = null,
    ...limits
  }: ServiceOptions = {},
): Promise<TestService> {
  const database = given ?? (await freshTestDatabase());
  const config = readConfig({
    PORT: String(await freePort()),
    DATABASE_URL: database.url,
    RATE_LIMIT: '0',
    ADDRESS_RATE_LIMIT: '0',
    CREDENTIALS_KEY,
    STRIPE_API_URL: NO_STRIPE,
    ...env,
  });
  const storeOptions = { copyLogAtBytes: LOG_BYTES };
  const service = await createService(config, {
    logger,
    realNow,
    documentWaitMs,
    storeOptions,
    requestLogMs,
    ...limits,
  });
  const account = await createAccount(service.store, 'Test Shop', realNow());
  const url = await service.start();
  const client = createClient(url);

  async function createKey({
    account: number = account.number,
    mode = 'test' as Mode,
    permissions = allPermissions,
  } = {}) {
    if (mode === 'live') await takeLivePayments(service.store, number);
    const key = await createApiKey(service.store, {
      tenant: { account: number, mode },
      permissions,
      name: 'test',
      nowMs: realNow(),
    });
    return { ...key, authorization: `Basic ${Buffer.from(`${key.id}:${key.secret}`).toString('base64')}` };
  }
  const key = await createKey();

  async function call(
    method: string,
    path: string,
    { body, headers = {} }: CallOptions = {},
  ): Promise<Answer> {
    const { type, content } = asSent(body);
    const response = await client.ask(path, {
      method,
      headers: {
        authorization: key.authorization,
        ...(type === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      body: content,
    });
    const isJson = response.headers.get('content-type')?.includes('json') && response.text !== '';
    return { ...response, json: isJson ? JSON.parse(response.text) : null };
  }

  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    await service.stop();
    client.close();
    // A service that is reopened has the same port: first `fetch` is to see that its connections have ended, which the
    // loop tells it in its next round.
    await nextTurn();
    await nextTurn();
  };
  context.after(async () => {
    await stop();
    if (given === undefined) await database.remove();
  });
  return { service, config, database, url, account, realNow, key, createKey, call, stop };
}

/**
 * Serves by these settings as the command line does, but in this process: to start one takes thirty times as long. For
 * tests of what runs beside a server; those of the server itself have `serve` of `process.ts`.
 */
export async function serveHere(
  context: { after(hook: () => Promise<void>): void },
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; readonly port: number; stop(): Promise<void> }> {
  const config = readConfig({
    RATE_LIMIT: '0',
    ADDRESS_RATE_LIMIT: '0',
    PORT: String(await freePort()),
    ...settings,
  });
  const service = await createService(config, { logger: pino({ level: 'silent' }) });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= service.stop();
    return stopped;
  };
  context.after(stop);
  const url = await service.start(async () => {
    await firstStart(service.store, config);
  });
  return { url, port: config.PORT, stop };
}
