/** The settings: one table of environment variables. The settings page of the docs is generated from it. */
import { retentionDays } from './retention-days.ts';
import {
  accountName,
  baseUrl,
  bootstrapKey,
  databaseUrl,
  encryptionKey,
  folder,
  hostInUrl,
  hostName,
  integer,
  issuer,
  listenAddress,
  networks,
  oneOf,
  optionalPort,
  signingSecret,
  stripeKey,
  token,
} from './values.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export const DEFAULT_DATABASE_URL = 'sqlite:./data/opentill.db';

export type Setting<T> = {
  /** As an operator would write it; a function where it follows from other settings. */
  readonly default: string | ((env: NodeJS.ProcessEnv) => string);
  readonly defaultText?: string;
  readonly meaning: string;
  /** True if it may also be the content of a file, which `<NAME>_FILE` names. */
  readonly isSecret?: true;
  /**
   * Throws an Error with the rest of the sentence "<NAME> …" for a wrong value. It never repeats the value: an address may
   * hold a password, and any setting may have got what was meant for a secret one.
   */
  readonly parse: (text: string) => T;
};

const setting = <T>(row: Setting<T>): Setting<T> => row;
function publicUrl(env: NodeJS.ProcessEnv): string {
  const textOf = (name: string, otherwise: string) => env[name]?.trim() || otherwise;
  const host = hostInUrl(textOf('HOST', '127.0.0.1'));
  return textOf('PUBLIC_URL', `http://${host}:${textOf('PORT', '3000')}`);
}

export const settings = {
  PORT: setting({
    default: '3000',
    meaning: 'TCP port to listen on; 0 takes a free one.',
    parse: integer(0, 65_535),
  }),
  HOST: setting({
    default: '127.0.0.1',
    meaning:
      'Address to listen on. While this and `PUBLIC_URL` are loopback addresses, webhooks may go to this machine too.',
    parse: hostName,
  }),
  OPERATIONS_PORT: setting({
    default: '',
    meaning:
      'TCP port for `/livez`, `/readyz` and `/metrics`, instead of `PORT`; empty keeps them at `PORT`.',
    parse: optionalPort,
  }),
  OPERATIONS_HOST: setting({
    default: '127.0.0.1',
    meaning: 'Address to listen on for `OPERATIONS_PORT`.',
    parse: listenAddress,
  }),
  PUBLIC_URL: setting({
    default: publicUrl,
    defaultText: '`http://HOST:PORT`',
    meaning: 'Base address of the API as merchants reach it.',
    parse: baseUrl,
  }),
  CHECKOUT_URL: setting({
    default: publicUrl,
    defaultText: '`PUBLIC_URL`',
    meaning: 'Base address of the payment pages as payers reach them.',
    parse: baseUrl,
  }),
  DATABASE_URL: setting({
    default: DEFAULT_DATABASE_URL,
    meaning:
      'The database: `sqlite:` and the path of a file, or `postgres://user:password@host:port/database`. With several hosts, separated by commas, the writable one is used. Add `?sslmode=require` for TLS, and `?prepare=false` behind a pooler that shares connections between transactions.',
    isSecret: true,
    parse: databaseUrl,
  }),
  DATABASE_COMMITS: setting({
    default: '4',
    meaning: 'PostgreSQL only: concurrent commits. The process holds eight more connections.',
    parse: integer(1, 64),
  }),
  BOOTSTRAP_API_KEY: setting({
    default: '',
    meaning:
      'A test key `ak_test_…:sk_test_…` that the start creates if it does not exist: for development and automation, not for production.',
    isSecret: true,
    parse: bootstrapKey,
  }),
  ACCOUNT_NAME: setting({
    default: 'My shop',
    meaning:
      'Name of the account that the first start creates, as accounts may be named: payers see it as the recipient.',
    parse: accountName,
  }),
  WEBHOOK_ALLOW: setting({
    default: '',
    meaning:
      'Networks (CIDR, comma-separated) that webhooks may go to although they are not public, such as `10.1.0.0/16`.',
    parse: networks,
  }),
  WEBHOOK_CONCURRENCY: setting({
    default: '256',
    meaning:
      'Concurrent webhook deliveries; one receiver gets a quarter at most. 0 holds all of them back until a start with another value.',
    parse: integer(0, 1000),
  }),
  WEBHOOK_LOG_DAYS: setting({
    default: '30',
    meaning: 'Days for which webhook deliveries are kept, with the result of each attempt.',
    parse: integer(retentionDays.deliveries.least, retentionDays.deliveries.most),
  }),
  EVENT_RETENTION_DAYS: setting({
    default: '0',
    meaning:
      'Days for which events are kept, more than `WEBHOOK_LOG_DAYS`; 0 keeps them for ever. A reader of the feed that was away for longer gets an error.',
    parse: integer(retentionDays.events.least, retentionDays.events.most),
  }),
  STRIPE_TEST_SECRET_KEY: setting({
    default: '',
    meaning: 'Secret key of Stripe (`sk_test_…`) for card payments in test mode.',
    isSecret: true,
    parse: stripeKey('test'),
  }),
  STRIPE_TEST_WEBHOOK_SECRET: setting({
    default: '',
    meaning:
      'Signing secret (`whsec_…`) of the webhook that Stripe sends to `PUBLIC_URL/notices/stripe` in test mode.',
    isSecret: true,
    parse: signingSecret,
  }),
  STRIPE_LIVE_SECRET_KEY: setting({
    default: '',
    meaning: 'Secret key of Stripe (`sk_live_…`) for card payments.',
    isSecret: true,
    parse: stripeKey('live'),
  }),
  STRIPE_LIVE_WEBHOOK_SECRET: setting({
    default: '',
    meaning: 'Signing secret (`whsec_…`) of the webhook that Stripe sends to `PUBLIC_URL/notices/stripe`.',
    isSecret: true,
    parse: signingSecret,
  }),
  STRIPE_ACCOUNT: setting({
    default: '1',
    meaning:
      'Number of the account whose card payments go through these keys, unless it has credentials of its own. Others have none but their own.',
    parse: integer(1, 999_999_999),
  }),
  STRIPE_API_URL: setting({
    default: 'https://api.stripe.com',
    meaning: 'Address of the Stripe API; other addresses are for tests with a stand-in.',
    parse: baseUrl,
  }),
  CREDENTIALS_KEY: setting({
    default: '',
    meaning:
      'Key under which the credentials that accounts have of their own at rails are encrypted: 32 random bytes, as `openssl rand -base64 32` makes them. Without it, none can be set or used. Keep a copy apart from backups of the database: what is encrypted is lost with the key.',
    isSecret: true,
    parse: encryptionKey,
  }),
  CREDENTIALS_KEY_PREVIOUS: setting({
    default: '',
    meaning:
      'The value of `CREDENTIALS_KEY` before it was replaced: what is encrypted under it can still be read. It is no longer needed once all of it is encrypted anew, by `opentill credentials reseal`, over the API or in the dashboard.',
    isSecret: true,
    parse: encryptionKey,
  }),
  OIDC_ISSUER: setting({
    default: '',
    meaning:
      'Provider of OpenID Connect by which users of the dashboard sign in besides other ways, such as `https://login.example.com`; its name is the host. Its callback address is `PUBLIC_URL/dashboard/oidc/callback`. With another provider, or none, users who have neither a password nor a passkey cannot sign in: only a new link (`opentill users reset`) brings them back.',
    parse: issuer,
  }),
  OIDC_CLIENT_ID: setting({
    default: '',
    meaning: 'Id of the client that is registered at `OIDC_ISSUER`.',
    parse: token,
  }),
  OIDC_CLIENT_SECRET: setting({
    default: '',
    meaning: 'Secret of that client.',
    isSecret: true,
    parse: token,
  }),
  STATEMENT_DIR: setting({
    default: '',
    meaning:
      'A folder that is watched for bank statements, in subfolders such as `1-live` for account 1 in live mode; empty for none.',
    parse: folder,
  }),
  LOG_LEVEL: setting({
    default: 'info',
    meaning:
      'One of `fatal`, `error`, `warn`, `info`, `debug`, `trace`, `silent`. Logs are JSON on standard error.',
    parse: oneOf<LogLevel>('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  }),
  TRUST_PROXY: setting({
    default: '',
    meaning:
      'Addresses or networks (comma-separated) of proxies whose `X-Forwarded-For` tells the address of the client.',
    parse: networks,
  }),
  RATE_LIMIT: setting({
    default: '50000',
    meaning:
      'Requests a second for each API key, and twice as many for all keys of an account and mode together; bursts of twice as many pass. Lower it where merchants share an instance; 0 is no limit.',
    parse: integer(0, 1_000_000),
  }),
  ADDRESS_RATE_LIMIT: setting({
    default: '100',
    meaning:
      'Requests a second that need no key, for each address (IPv4, or the first 64 bits of IPv6): payment pages, wrong credentials, and provider events without a valid signature; bursts of twice as many pass. 0 is no limit.',
    parse: integer(0, 1_000_000),
  }),
  ADDRESS_CONNECTION_LIMIT: setting({
    default: '500',
    meaning:
      'Open connections of each address (IPv4, or the first 64 bits of IPv6); further ones are closed at once. It does not concern the proxies of `TRUST_PROXY`. 0 is no limit.',
    parse: integer(0, 1_000_000),
  }),
} as const;

export type Config = { readonly [K in keyof typeof settings]: ReturnType<(typeof settings)[K]['parse']> };
