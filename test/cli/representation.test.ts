/**
 * One representation: what a command on the database prints with `--json` is what the API answers, field for field and in
 * the same order. A row for each command does the same over the API. A command that works at a server as well prints the
 * same there.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandNames, loadCommand } from '../../src/cli/table.ts';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { asSent } from '../support/client.ts';
import { png } from '../support/image.ts';
import { freshDirectory, runToEnd } from '../support/process.ts';
import { CREDENTIALS_KEY, serveHere } from '../support/service.ts';
import { OUR_IBAN } from '../support/statements.ts';

type Data = Readonly<Record<string, unknown>>;
type Settings = Readonly<Record<string, string>>;
type Call = (method: string, path: string, body?: object) => Promise<unknown>;

/** Commands of other groups print no resource that the API has for keys with `manage`. */
const groups = ['accounts', 'users', 'keys', 'credentials', 'webhooks', 'bank'];

const secrets = { secret_key: 'rk_test_0123456789abcdef', webhook_secret: 'whsec_0123456789abcdef' };
const holder = { name: 'Shop', country: 'DE' };
const given = { name: 'Till', permissions: ['read', 'webhooks'] };

type Row = {
  readonly args: (made: Made) => readonly string[];
  readonly api: (call: Call, made: Made) => Promise<unknown>;
  /** Fields that differ between two of a kind: an id, a secret, a time. Only their types are compared. */
  readonly differing?: readonly string[];
  readonly isLive?: boolean;
};

/** Names of files, two keys that are alike, one for each of the two, and a user. */
type Made = {
  readonly stripe: string;
  readonly policy: string;
  readonly logo: string;
  readonly keys: readonly [string, string];
  readonly user: string;
};

const policy = { policy: { late: 'hold' } };

/** In the order in which they run. Null for what the API does not do. */
const rows: Readonly<Record<string, Row | null>> = {
  'accounts create': {
    args: () => ['Other Shop'],
    api: (call) => call('POST', '/account', { name: 'Other Shop' }),
    differing: ['id', 'created_at', 'owner', 'owner_url', 'webhook_secrets'],
    isLive: true,
  },
  'accounts list': { args: () => [], api: (call) => call('GET', '/account'), isLive: true },
  'accounts configure': {
    args: ({ policy: file }) => ['--file', file],
    api: (call) => call('PUT', '/account_settings', policy),
  },
  'accounts settings': { args: () => [], api: (call) => call('GET', '/account_settings') },
  'accounts rename': {
    args: () => ['Shop'],
    api: (call) => call('PUT', '/account_settings', { name: 'Shop' }),
    isLive: true,
  },
  'accounts set-logo': {
    args: ({ logo: file }) => [file],
    api: (call) => call('PUT', '/logo', png()),
  },
  'accounts rotate-webhook-secret': {
    args: () => ['--overlap', '0'],
    api: (call) => call('POST', '/webhook_secret/rotate', { overlap_seconds: 0 }),
    differing: ['secret'],
  },
  'keys create': {
    args: () => ['--name', given.name, '--permissions', given.permissions.join(',')],
    api: (call) => call('POST', '/api_key', given),
    differing: ['id', 'created_at', 'secret'],
  },
  'keys revoke': {
    args: ({ keys: [key] }) => [key],
    api: (call, { keys: [, key] }) => call('POST', `/api_key/${key}/revoke`),
    differing: ['id', 'created_at', 'revoked_at'],
  },
  'keys list': {
    args: () => [],
    api: (call) => call('GET', '/api_key?limit=100'),
    // The command line is no key.
    differing: ['is_caller'],
  },
  'users invite': {
    args: () => ['support', '--name', 'Bob'],
    api: (call) => call('POST', '/member', { role: 'support', name: 'Bob' }),
    differing: ['id', 'created_at', 'link_expires_at', 'url'],
    isLive: true,
  },
  'users set-role': {
    args: ({ user }) => [user, 'finance'],
    api: (call, { user }) => call('PUT', `/member/${user}`, { role: 'finance' }),
    isLive: true,
  },
  'users reset': {
    args: ({ user }) => [user],
    api: (call, { user }) => call('POST', `/member/${user}/reset`),
    differing: ['link_expires_at', 'url'],
    isLive: true,
  },
  'users operators': null,
  'users set-operator': null,
  'users list': { args: () => [], api: (call) => call('GET', '/member'), isLive: true },
  'credentials set': {
    args: ({ stripe: file }) => ['stripe', '--file', file],
    api: (call) => call('PUT', '/rail_credentials/stripe', secrets),
    differing: ['set_at', 'set_by'],
  },
  'credentials list': { args: () => [], api: (call) => call('GET', '/rail_credentials') },
  'credentials reseal': null,
  'bank account set': {
    args: () => [
      'eur',
      ...['--currency', 'EUR', '--iban', OUR_IBAN],
      ...['--holder-name', holder.name, '--holder-country', holder.country],
    ],
    api: (call) => call('PUT', '/receiving_account/eur', { currency: 'EUR', iban: OUR_IBAN, holder }),
  },
  'bank account list': { args: () => [], api: (call) => call('GET', '/receiving_account') },
};

/** As JSON, in its order; of fields that differ there is only the type. */
function comparable(value: unknown, differing: readonly string[] = []): string {
  return JSON.stringify(value, (name, each) => (differing.includes(name) ? typeof each : each));
}

async function setUp(t: Ends) {
  const directory = freshDirectory(t);
  const settings = {
    DATABASE_URL: `sqlite:${join(directory, 'till.db')}`,
    PUBLIC_URL: 'https://pay.example',
    CREDENTIALS_KEY,
  };
  const server = await serveHere(t, settings);

  async function printedBy(
    name: string,
    args: readonly string[],
    env: Settings = settings,
  ): Promise<unknown> {
    const words = [...name.split(' '), ...args, '--json'];
    const { code, stdout, stderr } = await runToEnd(t, words, env);
    assert.deepEqual([code, stderr], [0, ''], words.join(' '));
    return JSON.parse(stdout);
  }

  async function keyOf(...args: readonly string[]): Promise<Data> {
    return (await printedBy('keys create', args)) as Data;
  }

  async function adminOf(permissions: string, ...args: readonly string[]): Promise<string> {
    const { id, secret } = await keyOf('--permissions', permissions, ...args);
    return `${id}:${secret}`;
  }

  function callerOf(key: string): Call {
    const authorization = `Basic ${btoa(key)}`;
    return async (method, path, body) => {
      const { type, content = null } = asSent(body);
      const headers = { authorization, ...(type === undefined ? {} : { 'content-type': type }) };
      const response = await fetch(`${server.url}/v3${path}`, { method, headers, body: content });
      const { status, data } = (await response.json()) as { status: string; data: unknown };
      assert.equal(status, 'success', path);
      return data;
    };
  }

  const put = (name: string, body: object) => {
    const path = join(directory, name);
    writeFileSync(path, asSent(body).content ?? '');
    return path;
  };
  const [one, other] = [await keyOf('--name', 'One'), await keyOf('--name', 'One')];
  const user = (await printedBy('users invite', ['support', '--name', 'Ada'])) as Data;
  const made: Made = {
    stripe: put('stripe.json', secrets),
    policy: put('policy.json', policy),
    logo: put('logo.png', png()),
    keys: [String(one.id), String(other.id)],
    user: String(user.id),
  };
  const keys = { test: await adminOf('manage'), live: await adminOf('manage,accounts', '--live') };
  const callers = { test: callerOf(keys.test), live: callerOf(keys.live) };
  return { printedBy, made, callers, server: server.url, keys };
}

test('a command on the database prints what the API answers', async () => {
  await using t = cleanUp();
  const { printedBy, made, callers, server, keys } = await setUp(t);
  for (const [name, row] of Object.entries(rows)) {
    if (row === null) continue;
    const printed = await printedBy(name, row.args(made));
    const mode = row.isLive ? 'live' : 'test';
    const answered = comparable(await row.api(callers[mode], made), row.differing);
    assert.equal(comparable(printed, row.differing), answered, name);
    if ((await loadCommand(name))?.access !== 'either') continue;
    // Only with the key: the database is of no use there.
    const there = [...row.args(made), '--url', server];
    const printedThere = await printedBy(name, there, { OPENTILL_API_KEY: keys[mode] });
    assert.equal(comparable(printedThere, row.differing), answered, `${name} --url`);
  }
});

test('every command that prints what the API has is compared with it', async () => {
  const names = commandNames.filter((name) => groups.includes(name.split(' ')[0] ?? ''));
  const compared = await Promise.all(
    names.map(async (name) => {
      const command = await loadCommand(name);
      return command && command.access !== 'api' && command.json !== null ? [name] : [];
    }),
  );
  assert.deepEqual(Object.keys(rows).sort(), compared.flat().sort());
});
