/** API keys: what they may do, how they are made, and what is stored of them. */

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode, Tenant } from '../checkout/tenant.ts';
import { randomText } from '../lib/id.ts';
import type { RealTime } from '../lib/time.ts';

/**
 * What API keys can be allowed to do; `bank` is for statements and bank entries, by which sessions become paid, and for
 * what banks get of payers.
 */
export const allPermissions: readonly Permission[] = ['read', 'write', 'refund', 'webhooks', 'bank'];

/** Permission of an API key. */
export type Permission = 'read' | 'write' | 'refund' | 'webhooks' | 'bank';

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

/** Creates a key, stores its hash, and returns the secret, which is shown only once. */
export async function createApiKey(
  store: KeyStore,
  given: { tenant: Tenant; permissions: readonly Permission[]; name: string; nowMs: RealTime },
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
    nowMs: RealTime;
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
