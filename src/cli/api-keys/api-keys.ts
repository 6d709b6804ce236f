/** API keys as commands work with them: in the database, or through the API of a server. */
import type { Permission } from '../../accounts/api-key.ts';
import type {
  representApiKey,
  representNewApiKey,
  representRevokedApiKey,
} from '../../accounts/representation.ts';
import type { Place } from '../place.ts';

export type NewKey = { readonly permissions: readonly Permission[]; readonly name: string };

export type ApiKeys = {
  /** Newest first. */
  list(place: Place): AsyncIterable<ReturnType<typeof representApiKey>>;
  create(place: Place, given: NewKey): Promise<ReturnType<typeof representNewApiKey>>;
  revoke(id: string): Promise<ReturnType<typeof representRevokedApiKey>>;
};

export const apiKeyKeys = {
  id: 'The API key, `ak_…`.',
  created_at: 'Time of creation.',
  name: 'Its name, or empty.',
  permissions: 'Permissions of the key.',
  status: '`active` or `revoked`.',
  revoked_at: 'Time of revocation, or null.',
  is_caller: 'True for the key with which the request was made; false on the database.',
} as const;
