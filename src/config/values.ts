/**
 * Parsers of the values of settings. Each throws an Error with the rest of the sentence "<NAME> …". Commands of the
 * command line take some of the same values as arguments.
 */
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { accountNameProblem } from '../lib/account-name.ts';
import { systemFieldsOf } from '../lib/error-message.ts';

/** An IPv6 address stands in brackets in an address of the web. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function integer(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  };
}

export function optionalPort(text: string): number | null {
  return text === '' ? null : integer(1, 65_535)(text);
}

export function listenAddress(text: string): string {
  if (isIP(text) === 0 && text !== 'localhost')
    throw new Error('must be an IP address of this machine, such as 127.0.0.1 or ::');
  return text;
}

export function hostName(text: string): string {
  if (isIP(text) === 0 && !/^[\w.-]{1,253}$/.test(text))
    throw new Error('must be an IP address or a name of this machine, such as 127.0.0.1, :: or localhost');
  return text;
}

export function oneOf<T extends string>(...choices: readonly T[]) {
  return (text: string): T => {
    const choice = choices.find((each) => each === text);
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`);
    return choice;
  };
}

export function baseUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new Error(
      'must be an http or https address without user and query, such as https://pay.example.com',
    );
  }
  return url.href.replace(/\/$/, '');
}

/** An issuer of OpenID Connect, kept as it was typed: tokens have to name the same text. Empty for none. */
export function issuer(text: string): string {
  if (text === '') return '';
  const url = URL.parse(text);
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '');
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere);
  if (!url || !isSafe || /[?#]/.test(text) || url.username || url.password)
    throw new Error(
      'must be an https address without user and query, such as https://login.example.com, or an http address of this machine',
    );
  // By the address of its metadata a provider would be taken whoever it says it is.
  if (url.pathname.includes('/.well-known/'))
    throw new Error(
      'must be the address of the provider itself, which is the part before /.well-known/, such as https://login.example.com',
    );
  return text;
}

/** A text of a provider, which has no blanks. */
export function token(text: string): string {
  if (!/^[\x21-\x7e]{0,500}$/.test(text))
    throw new Error('must have at most 500 ASCII characters without blanks');
  return text;
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
        : `has an unknown option; known options are ${Object.keys(connectionOptions).join(', ')}`,
    );
  }
  return { kind: 'postgres', url: text };
}

export function bootstrapKey(text: string): { readonly id: string; readonly secret: string } | null {
  if (text === '') return null;
  const parts = /^(ak_test_[\w-]{1,100}):(sk_test_[\w-]{1,100})$/.exec(text);
  if (!parts) throw new Error('must be a test key of the form ak_test_…:sk_test_…');
  return { id: parts[1] as string, secret: parts[2] as string };
}

export function stripeKey(mode: 'test' | 'live') {
  return (text: string): string => {
    if (text !== '' && !new RegExp(`^[sr]k_${mode}_\\w{1,250}$`).test(text)) {
      throw new Error(`must be a secret or restricted key of the form sk_${mode}_… or rk_${mode}_…`);
    }
    return text;
  };
}

export function signingSecret(text: string): string {
  if (text !== '' && !/^whsec_\S{1,250}$/.test(text)) {
    throw new Error('must be a signing secret of the form whsec_…');
  }
  return text;
}

const ENCRYPTION_KEY_BYTES = 32;

/** A key for AES-256 in base64 or hexadecimal; null for none. */
export function encryptionKey(text: string): Buffer | null {
  if (text === '') return null;
  const key = /^[\da-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : Buffer.from(/^[a-z\d+/]{43}=?$/i.test(text) ? text : '', 'base64');
  if (key.length !== ENCRYPTION_KEY_BYTES) {
    throw new Error(
      'must be 32 random bytes in base64 or hexadecimal, as openssl rand -base64 32 makes them',
    );
  }
  return key;
}

export function folder(text: string): string {
  if (text === '') return text;
  let isFolder: boolean;
  try {
    isFolder = statSync(text, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch (error) {
    throw new Error(`names a folder that cannot be read: ${systemFieldsOf(error).code}`);
  }
  if (!isFolder) throw new Error('must be an existing folder');
  return text;
}

export function accountName(text: string): string {
  const problem = accountNameProblem(text);
  if (problem !== null) throw new Error(problem);
  return text;
}

export function networks(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part, index) => {
      const network = isIP(part) ? `${part}/${isIP(part) === 6 ? 128 : 32}` : part;
      if (!ipaddr.isValidCIDR(network)) {
        throw new Error(
          `must be a list of networks such as 10.1.0.0/16,192.0.2.7; entry ${index + 1} is not a network`,
        );
      }
      return network;
    });
}
