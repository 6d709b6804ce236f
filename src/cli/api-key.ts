/** API keys on the command line: changed by the same rules as over the API, and shown as the API shows them. */
import { tenantNow } from '../accounts/account.ts';
import { type ApiKey, newApiKey, type Permission } from '../accounts/api-key.ts';
import type { ApiKeyCommand } from '../accounts/key-changes.ts';
import { representApiKey, representNewApiKey, representRevokedApiKey } from '../accounts/representation.ts';
import { isRefusal } from '../checkout/refusals.ts';
import type { Tenant } from '../checkout/tenant.ts';
import { ownOrigin, type Value } from '../writer/command.ts';
import { accountOf } from './account.ts';
import { Failure } from './failure.ts';
import { printable } from './printable.ts';
import type { Database } from './with-store.ts';

/** The command line acts without an API key. */
const CALLER = 'operator';

const PAGE = 100;

export const apiKeyKeys = {
  id: 'The API key, `ak_…`.',
  created_at: 'Time of creation.',
  name: 'Its name, or empty.',
  permissions: 'Permissions of the key.',
  status: '`active` or `revoked`.',
  revoked_at: 'Time of revocation, or null.',
  is_caller: 'True for the key with which a request is made; false on the command line.',
} as const;

/** The keys of an account and mode, newest first. */
export async function* listApiKeys({ store }: Database, tenant: Tenant) {
  await accountOf(store, tenant.account);
  for (let cursor = {}; ; ) {
    const { rows, hasMore } = await store.apiKeys.list(tenant, { limit: PAGE, ...cursor });
    for (const key of rows) yield representApiKey(key, CALLER);
    const last = rows.at(-1);
    if (!hasMore || last === undefined) return;
    cursor = { after: last.id };
  }
}

export async function createApiKey(
  database: Database,
  tenant: Tenant,
  given: { readonly permissions: readonly Permission[]; readonly name: string },
) {
  await accountOf(database.store, tenant.account);
  const { key, secret } = newApiKey({ ...given, tenant, nowMs: Date.now() });
  await changeApiKey(database, key, { type: 'create_api_key', key });
  return representNewApiKey(key, secret, CALLER);
}

/** Revokes a key of any account and mode. */
export async function revokeApiKey(database: Database, id: string) {
  const known = await database.store.apiKeys.fetch(id);
  if (known === null)
    throw new Failure(`there is no API key ${printable(id)}; opentill keys list shows the keys`);
  const { key, counts } = await changeApiKey(database, known, { type: 'revoke_api_key', at: Date.now() });
  return representRevokedApiKey(key, counts, CALLER);
}

export async function changeApiKey(
  { store, execute }: Database,
  { tenant, id }: Pick<ApiKey, 'tenant' | 'id'>,
  command: ApiKeyCommand,
): Promise<Value<'api_key'>> {
  const now = tenantNow(await store.accounts.fetch(tenant.account), tenant.mode, Date.now());
  const origin = ownOrigin(tenant, 'operator');
  const { result } = await execute({ subject: 'api_key', origin, id, command, now });
  if (isRefusal(result)) throw new Failure(result.detail);
  if (result.kind === 'replay') throw new Error('a command without an idempotency key has no repetition');
  return result.value;
}
