/** API keys and webhook secrets: how they are made and what is kept of them. */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode, Tenant } from '../checkout/tenant.ts';
import { randomText } from '../lib/id.ts';
import type { Account, NewAccount } from './account.ts';
import type { ApiKey, Permission } from './api-key.ts';

type KeyStore = { readonly apiKeys: { add(key: ApiKey): Promise<boolean> } };
type AccountStore = {
  readonly accounts: {
    create(account: NewAccount, nowMs: number): Promise<Account>;
    createFirst(account: NewAccount, nowMs: number): Promise<Account | null>;
  };
};

const KEY_ID_LENGTH = 16;
/** Base-32 characters of the secret, 5 bits each: 200 random bits. */
const SECRET_LENGTH = 40;

/** Only the hash of a secret is kept; a secret of 200 random bits needs no slow hash. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** The checksum at the end lets scanners for leaked secrets, and people, recognise a real one. */
function newSecret(mode: Mode): string {
  const random = randomText(SECRET_LENGTH);
  return `sk_${mode}_${random}${crc32(random).toString(36).padStart(7, '0')}`;
}

/** A secret of 256 bits in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Makes a key, stores its hash, and returns the secret for the one time that it is shown. */
export async function createApiKey(
  store: KeyStore,
  given: { tenant: Tenant; permissions: readonly Permission[]; name: string; nowMs: number },
): Promise<{ id: string; secret: string }> {
  const { mode } = given.tenant;
  const id = `ak_${mode}_${randomText(KEY_ID_LENGTH)}`;
  const secret = newSecret(mode);
  if (!(await addApiKey(store, { ...given, id, secret }))) throw new Error('a random key id came twice');
  return { id, secret };
}

/** Stores the hash of a given key; false if the id or secret is taken. */
export function addApiKey(
  store: KeyStore,
  key: {
    id: string;
    secret: string;
    tenant: Tenant;
    permissions: readonly Permission[];
    name: string;
    nowMs: number;
  },
): Promise<boolean> {
  const row: ApiKey = {
    id: key.id,
    tenant: key.tenant,
    secretHash: hashSecret(key.secret),
    permissions: key.permissions,
    name: key.name,
    createdAt: key.nowMs,
    revokedAt: null,
  };
  return store.apiKeys.add(row);
}

/** A new account with its webhook secrets. */
export function createAccount(store: AccountStore, name: string, nowMs: number): Promise<Account> {
  return store.accounts.create(newAccount(name), nowMs);
}

/** The same in a database that has none; null if it has. */
export function createFirstAccount(
  store: AccountStore,
  name: string,
  nowMs: number,
): Promise<Account | null> {
  return store.accounts.createFirst(newAccount(name), nowMs);
}

function newAccount(name: string): NewAccount {
  const webhookSecrets = { test: newWebhookSecret(), live: newWebhookSecret() };
  return { name, webhookSecrets, testClockOffsetMs: 0 };
}
