/** The settings: one table of environment variables. The settings page of the docs is generated from it. */
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import ipaddr from 'ipaddr.js';
import { messageOf, systemFieldsOf } from './lib/error-message.ts';
import { keysOf } from './lib/keys.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Longest name of the shop that payers see. */
export const ACCOUNT_NAME_LENGTH = 100;

export const DEFAULT_DATABASE_URL = 'sqlite:./data/opentill.db';

type Setting<T> = {
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
const publicUrl = (env: NodeJS.ProcessEnv) =>
  env.PUBLIC_URL || `http://${hostInUrl(env.HOST || '127.0.0.1')}:${env.PORT || '3000'}`;

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
    meaning: 'TCP port for `/livez`, `/readyz` and `/metrics`, then not at `PORT`; empty leaves them there.',
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
      'Where everything is kept: `sqlite:` and the path of a file, or `postgres://user:password@host:port/database`. Of several hosts, separated by commas, the one that takes writes is used. Add `?sslmode=require` for TLS, and `?prepare=false` behind a pooler that shares connections between transactions.',
    isSecret: true,
    parse: databaseUrl,
  }),
  DATABASE_COMMITS: setting({
    default: '4',
    meaning: 'PostgreSQL only: commits under way at once. The process holds eight connections more.',
    parse: integer(1, 64),
  }),
  BOOTSTRAP_API_KEY: setting({
    default: '',
    meaning:
      'A test key `ak_test_…:sk_test_…` that is to exist after the start: for development and automation, not for production.',
    isSecret: true,
    parse: bootstrapKey,
  }),
  ACCOUNT_NAME: setting({
    default: 'My shop',
    meaning: 'Name of the account that a first start makes; payers see it as the one they pay.',
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
      'Webhooks under way at once, of which one receiver gets a quarter at most; 0 holds all of them back until a start with another value.',
    parse: integer(0, 1000),
  }),
  WEBHOOK_LOG_DAYS: setting({
    default: '30',
    meaning: 'How many days deliveries of webhooks are kept, with what came of each attempt.',
    parse: integer(4, 3650),
  }),
  EVENT_RETENTION_DAYS: setting({
    default: '0',
    meaning:
      'How many days events are kept, more than `WEBHOOK_LOG_DAYS`; 0 keeps them for ever. A reader of the feed who was away for longer is told so.',
    parse: integer(0, 36_500),
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
    meaning: 'Number of the account whose card payments go through these keys; others have none.',
    parse: integer(1, 999_999_999),
  }),
  STRIPE_API_URL: setting({
    default: 'https://api.stripe.com',
    meaning: 'Where Stripe is asked: another address is for tests with a stand-in.',
    parse: baseUrl,
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
} as const;

export type Config = { readonly [K in keyof typeof settings]: ReturnType<(typeof settings)[K]['parse']> };

/** A wrong setting, in one line for the operator. */
export class BadSetting extends Error {
  override name = 'BadSetting';
}

/** Reads all settings; throws BadSetting with the name and what is wrong. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const names = keysOf(settings);
  const config = Object.fromEntries(names.map((name) => [name, readSetting(name, env)])) as Config;
  const { EVENT_RETENTION_DAYS: eventDays, WEBHOOK_LOG_DAYS: deliveryDays } = config;
  // A delivery is sent again with the bytes of its event.
  if (eventDays > 0 && eventDays <= deliveryDays) {
    throw new BadSetting(
      `EVENT_RETENTION_DAYS must be 0 or more than WEBHOOK_LOG_DAYS (${deliveryDays}), not "${eventDays}"`,
    );
  }
  const { OPERATIONS_PORT: port, OPERATIONS_HOST: host } = config;
  if (port !== null && port === config.PORT && host === config.HOST) {
    throw new BadSetting(`OPERATIONS_PORT must be another one than PORT, which is ${port} too`);
  }
  // Without provider events a payment would be seen minutes later, and without a key there is nothing to be noticed.
  for (const name of ['STRIPE_TEST', 'STRIPE_LIVE'] as const) {
    const [key, secret] = [`${name}_SECRET_KEY`, `${name}_WEBHOOK_SECRET`] as const;
    if (config[key] === '' && config[secret] !== '') throw new BadSetting(`${key} must be set: ${secret} is`);
    if (config[key] !== '' && config[secret] === '') throw new BadSetting(`${secret} must be set: ${key} is`);
  }
  return config;
}

/** Reads one setting, for a command that needs no others. */
export function readSetting<K extends keyof Config>(name: K, env: NodeJS.ProcessEnv): Config[K] {
  const row: Setting<unknown> = settings[name];
  const text = variableText(name, env);
  const fallback = typeof row.default === 'function' ? row.default(env) : row.default;
  try {
    return row.parse(text || fallback) as Config[K];
  } catch (error) {
    throw new BadSetting(`${name} ${messageOf(error)}`);
  }
}

/** Names of variables that may be in files: secret settings, and the key of commands that talk to a server. */
export const secretNames: readonly string[] = [
  ...Object.entries(settings).flatMap(([name, row]: [string, Setting<unknown>]) =>
    row.isSecret ? [name] : [],
  ),
  'OPENTILL_API_KEY',
];

/** Names of all variables that the service reads: settings, and files of secret ones. */
export const variableNames: readonly string[] = [
  ...Object.keys(settings),
  ...secretNames.map((name) => `${name}_FILE`),
];

/**
 * The text of a variable, empty if it is absent. That of a secret one may be in the file that `<NAME>_FILE` names:
 * other programs of the user can see variables of the environment, and what starts a service may keep them.
 */
export function variableText(name: string, env: NodeJS.ProcessEnv): string {
  const text = env[name]?.trim() ?? '';
  const file = secretNames.includes(name) ? (env[`${name}_FILE`]?.trim() ?? '') : '';
  if (file === '') return text;
  if (text !== '') throw new BadSetting(`${name} and ${name}_FILE are both set, and only one of them can be`);
  // A text in place of a path may be the secret itself.
  const named = isAbsolute(file) ? file : 'a file';
  let content: string;
  try {
    content = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new BadSetting(`${name}_FILE names ${named}, which cannot be read: ${systemFieldsOf(error).code}`);
  }
  if (content === '') throw new BadSetting(`${name}_FILE names ${named}, which is empty`);
  return content;
}

/** An IPv6 address stands in brackets in an address of the web. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function integer(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  };
}

function optionalPort(text: string): number | null {
  return text === '' ? null : integer(1, 65_535)(text);
}

function listenAddress(text: string): string {
  if (isIP(text) === 0 && text !== 'localhost')
    throw new Error('must be an IP address of this machine, such as 127.0.0.1 or ::');
  return text;
}

function hostName(text: string): string {
  if (isIP(text) === 0 && !/^[\w.-]{1,253}$/.test(text))
    throw new Error('must be an IP address or a name of this machine, such as 127.0.0.1, :: or localhost');
  return text;
}

function oneOf<T extends string>(...choices: readonly T[]) {
  return (text: string): T => {
    const choice = choices.find((each) => each === text);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };
}

/** Exported for the commands that take the address of a server as an argument. */
export function baseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new Error(
      'must be an http or https address without user and query, such as https://pay.example.com',
    );
  }
  return url.href.replace(/\/$/, '');
}

export type DatabaseUrl =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Parameters allowed in the query of a PostgreSQL URL. Others would go to the server, or be ignored. */
const connectionOptions: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'require', 'verify-full'],
  prepare: ['true', 'false'],
  target_session_attrs: ['read-write', 'primary'],
};

/** Exported for the commands that take a database as an argument. */
export function databaseUrl(text: string): DatabaseUrl {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'sqlite', path };
  const [address = '', query = ''] = text.split('?', 2);
  if (!/^postgres(ql)?:\/\/[^/#]+\/[^/#]+$/.test(address) || /%(?![\da-f]{2})/i.test(address)) {
    throw new Error(
      'must be sqlite:<path of a file>, such as sqlite:./data/opentill.db, or postgres://<user>:<password>@<host>/<database> with %2F, %3F, %23 and %25 for /, ?, # and % in the password',
    );
  }
  for (const [name, value] of new URLSearchParams(query)) {
    const values = connectionOptions[name];
    if (values?.includes(value)) continue;
    throw new Error(
      values
        ? `must have one of ${values.join(', ')} as ${name}`
        : `has an option that is not known; there are ${Object.keys(connectionOptions).join(', ')}`,
    );
  }
  return { kind: 'postgres', url: text };
}

function bootstrapKey(text: string): { readonly id: string; readonly secret: string } | null {
  if (text === '') return null;
  const parts = /^(ak_test_[\w-]{1,100}):(sk_test_[\w-]{1,100})$/.exec(text);
  if (!parts) throw new Error('must be a test key of the form ak_test_…:sk_test_…');
  return { id: parts[1] as string, secret: parts[2] as string };
}

function stripeKey(mode: 'test' | 'live') {
  return (text: string): string => {
    if (text !== '' && !new RegExp(`^[sr]k_${mode}_\\w{1,250}$`).test(text)) {
      throw new Error(`must be a secret or restricted key of the form sk_${mode}_… or rk_${mode}_…`);
    }
    return text;
  };
}

function signingSecret(text: string): string {
  if (text !== '' && !/^whsec_\S{1,250}$/.test(text)) {
    throw new Error('must be a signing secret of the form whsec_…');
  }
  return text;
}

function folder(text: string): string {
  if (text === '') return text;
  let isFolder: boolean;
  try {
    isFolder = statSync(text, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    throw new Error(`names what cannot be read: ${systemFieldsOf(error).code}`);
  }
  if (!isFolder) throw new Error('must be a folder that exists');
  return text;
}

function accountName(text: string): string {
  if (text.length > ACCOUNT_NAME_LENGTH) {
    throw new Error(`must have at most ${ACCOUNT_NAME_LENGTH} characters`);
  }
  return text;
}

function networks(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part, index) => {
      const network = isIP(part) ? `${part}/${isIP(part) === 6 ? 128 : 32}` : part;
      if (!ipaddr.isValidCIDR(network)) {
        throw new Error(
          `must be a list of networks such as 10.1.0.0/16,192.0.2.7, and number ${index + 1} is none`,
        );
      }
      return network;
    });
}
