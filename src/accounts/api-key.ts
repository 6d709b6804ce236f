/** API keys: what they may do, how they are made, and what is stored of them. */

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode, Tenant } from '../checkout/tenant.ts';
import { randomText } from '../lib/id.ts';
import type { RealTime } from '../lib/time.ts';

/** `bank` is for statements and bank entries, by which sessions become paid, and for what banks get of payers. */
const usual = ['read', 'write', 'refund', 'webhooks', 'bank'] as const;
/** A key gets these only where they are named. `manage` is for the API keys and settings of the account and mode. */
const onlyNamed = ['manage'] as const;

/** `accounts` is for all accounts of the installation. The command line alone gives it, and only to keys of live mode. */
const ofInstallation = ['accounts'] as const;

/** Permission of an API key. */
export type Permission = (typeof usual | typeof onlyNamed | typeof ofInstallation)[number];

/** Permissions of a key for which none are named. */
export const usualPermissions: readonly Permission[] = usual;

/** Permissions that are about one account: who manages it gives them to its keys, and has them as its owner. */
export const accountPermissions = [...usual, ...onlyNamed] as const;

export const allPermissions: readonly Permission[] = [...accountPermissions, ...ofInstallation];

export type ApiKey = {
  readonly id: string;
  readonly tenant: Tenant;
  /** Hexadecimal SHA-256 of the secret. */
  readonly secretHash: string;
  readonly permissions: readonly Permission[];
  readonly name: string;
  readonly createdAt: RealTime;
  readonly revokedAt: RealTime | null;
};

/** Maximum length of the name of a key. */
export const API_KEY_NAME_LENGTH = 100;

type KeyStore = { readonly apiKeys: { add(key: ApiKey): Promise<boolean> } };

const KEY_ID_LENGTH = 16;
/** Base-32 characters of the secret, 5 bits each: 200 random bits. */
const SECRET_LENGTH = 40;

/** Hash of a secret, the only thing stored of it. A secret of 200 random bits needs no slow hash. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret);
}

/** A new secret. Its checksum at the end lets scanners for leaked secrets, and people, recognise a real one. */
function newSecret(mode: Mode): string {
  const random = randomText(SECRET_LENGTH);
  return `sk_${mode}_${random}${crc32(random).toString(36).padStart(7, '0')}`;
}

type NewKey = Pick<ApiKey, 'tenant' | 'permissions' | 'name'> & { readonly nowMs: RealTime };

/** A new key and its secret, which is shown only once; nothing is stored yet. */
export function newApiKey(given: NewKey): { readonly key: ApiKey; readonly secret: string } {
  const { mode } = given.tenant;
  const secret = newSecret(mode);
  return { key: apiKeyOf({ ...given, id: `ak_${mode}_${randomText(KEY_ID_LENGTH)}`, secret }), secret };
}

/** Creates a key, stores its hash, and returns the secret. For what has no writer yet: a first start, and tests. */
export async function createApiKey(store: KeyStore, given: NewKey): Promise<{ id: string; secret: string }> {
  const { key, secret } = newApiKey(given);
  if (!(await store.apiKeys.add(key))) throw new Error('a random key id came twice');
  return { id: key.id, secret };
}

/** Stores the hash of a given key; false if the id or secret is taken. */
export function addApiKey(
  store: KeyStore,
  key: NewKey & { readonly id: string; readonly secret: string },
): Promise<boolean> {
  return store.apiKeys.add(apiKeyOf(key));
}

/** The key as it is stored. Its permissions come in one order, each once. */
function apiKeyOf(given: NewKey & { readonly id: string; readonly secret: string }): ApiKey {
  const { id, tenant, permissions, name, secret, nowMs } = given;
  return {
    id,
    tenant,
    secretHash: hashSecret(secret),
    permissions: allPermissions.filter((each) => permissions.includes(each)),
    name,
    createdAt: nowMs,
    revokedAt: null,
  };
}
