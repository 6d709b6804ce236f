import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createFirstAccount } from '../accounts/account.ts';
import { addApiKey, createApiKey, hashSecret, usualPermissions } from '../accounts/api-key.ts';
import type { Config } from '../config/settings.ts';
import type { Store } from '../store/store.ts';
import { secretOfChallenges } from '../users/passkeys.ts';
import { Failure } from './failure.ts';
import { inviteUser } from './members/in-database.ts';
import { executeOn } from './with-store.ts';

/**
 * Makes what an empty database lacks: an account, an invitation of its owner and, unless one is given by
 * BOOTSTRAP_API_KEY, a test key. Returns what to tell the operator, or null if there is nothing new.
 */
export async function firstStart(
  store: Store,
  { ACCOUNT_NAME, BOOTSTRAP_API_KEY: given, PUBLIC_URL }: Config,
): Promise<string | null> {
  const nowMs = Date.now();
  const [existing] = await store.accounts.list();
  const made = existing ? null : await createFirstAccount(store, ACCOUNT_NAME, nowMs);
  // Another instance that started at the same moment may have been first.
  const account = made ?? existing ?? (await store.accounts.list())[0];
  if (!account) throw new Error('there is no account, and none could be made');
  const tenant = { account: account.number, mode: 'test' } as const;
  if (given) {
    await addApiKey(store, { ...given, tenant, permissions: usualPermissions, name: 'bootstrap', nowMs });
    const key = await store.apiKeys.fetch(given.id);
    if (key?.secretHash !== hashSecret(given.secret)) {
      throw new Failure(
        'the secret in BOOTSTRAP_API_KEY is not the stored one of this key, or belongs to another key',
      );
    }
    if (key.revokedAt !== null) throw new Failure('the key of BOOTSTRAP_API_KEY is revoked');
  }
  if (made === null) return null;
  await secretOfChallenges(store);
  const link = await linkForOwner(store, PUBLIC_URL, account.number);
  const webhookSecret = account.webhookSecrets.test;
  if (given) return `Webhook secret  ${webhookSecret}\n${signingIn(link)}`;
  const { id, secret } = await createApiKey(store, {
    tenant,
    permissions: usualPermissions,
    name: 'first key',
    nowMs,
  });
  return firstSteps(PUBLIC_URL, id, secret, webhookSecret, link);
}

/** Link for the owner of the account that was just made, who operates the installation, so that no later start makes another. */
async function linkForOwner(store: Store, publicUrl: string, account: number): Promise<string> {
  const owner = { account, role: 'owner', name: '', email: '', isOperator: true } as const;
  const { url } = await inviteUser({ store, execute: executeOn(store) }, publicUrl, owner);
  return url;
}

/**
 * What to print of the welcome. On a terminal that is all of it. Elsewhere the output is kept, in a journal or by a
 * container, where secrets must not be: they go to a file that only its owner can read.
 */
export function announced(welcome: string, isTerminal: boolean, databaseUrl: Config['DATABASE_URL']): string {
  if (isTerminal) return welcome;
  const file = resolve(`${databaseUrl.kind === 'sqlite' ? databaseUrl.path : 'opentill'}.first-start.txt`);
  try {
    rmSync(file, { force: true });
    writeFileSync(file, `${welcome.trim()}\n`, { mode: 0o600, flag: 'wx' });
  } catch {
    // Where no file can be written, a key that nobody has seen would be lost.
    return welcome;
  }
  return `This is a new database. Its secrets and first steps are in ${file} (mode 600). Delete it after reading.`;
}

function firstSteps(url: string, id: string, secret: string, webhookSecret: string, link: string): string {
  return `
This is a new database. Here is a key for test mode; the secret is shown only now:

  API key         ${id}
  API secret      ${secret}
  Webhook secret  ${webhookSecret}
${signingIn(link)}
Create a checkout session, open the page that its "url" names, and pay in test mode:

  curl -s -u ${id}:${secret} ${url}/v3/checkout \\
    -H 'Content-Type: application/json' \\
    -d '{"invoice_currency":"EUR","items":[{"name":"Widget","quantity":2,"unit_price":1250}]}'

List your sessions:

  curl -s -u ${id}:${secret} ${url}/v3/checkout

The reference of the API is at ${url}/docs
`;
}

const signingIn = (link: string): string => `
To sign in to the dashboard, open this link within three days and choose a password:

  ${link}

"opentill users reset" makes a new link, "opentill users invite owner" one for somebody else.
`;
