/** Public representation of API keys. Pure. */
import { timestamp } from '../checkout/representation.ts';
import type { ApiKey } from './api-key.ts';

/** The key without its secret, of which there is only a hash. `caller` is the key of the request. */
export function representApiKey({ id, createdAt, name, permissions, revokedAt }: ApiKey, caller: string) {
  return {
    id,
    object: 'api_key',
    created_at: timestamp(createdAt),
    name,
    permissions,
    status: revokedAt === null ? 'active' : 'revoked',
    revoked_at: revokedAt === null ? null : timestamp(revokedAt),
    is_caller: id === caller,
  };
}
