/** Public representation of API keys, and of secrets that sign webhooks. Pure. */
import { timestamp } from '../checkout/representation.ts';
import type { SecretFate } from './account-changes.ts';
import type { ApiKey } from './api-key.ts';

const timestampOrNull = (ms: number | null) => (ms === null ? null : timestamp(ms));

/** The key without its secret, of which there is only a hash. `caller` is the key of the request. */
export function representApiKey({ id, createdAt, name, permissions, revokedAt }: ApiKey, caller: string) {
  return {
    id,
    object: 'api_key',
    created_at: timestamp(createdAt),
    name,
    permissions,
    status: revokedAt === null ? 'active' : 'revoked',
    revoked_at: timestampOrNull(revokedAt),
    is_caller: id === caller,
  };
}

/** A new secret, which only the answer to the request that makes it shows, and what becomes of those before it. */
export function representSecretFate({ secret, previousUntil, droppedUntil }: SecretFate) {
  return {
    secret,
    previous_secret_expires_at: timestampOrNull(previousUntil),
    dropped_secret_expires_at: timestampOrNull(droppedUntil),
  };
}
