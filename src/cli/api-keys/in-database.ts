/** API keys in the database: changed by the same rules as over the API, and shown as the API shows them. */
import { tenantNow } from '../../accounts/account.ts';
import { type ApiKey, newApiKey } from '../../accounts/api-key.ts';
import type { ApiKeyCommand } from '../../accounts/key-changes.ts';
import {
  representApiKey,
  representNewApiKey,
  representRevokedApiKey,
} from '../../accounts/representation.ts';
import { isRefusal } from '../../checkout/refusals.ts';
import { ownOrigin, type Value } from '../../writer/command.ts';
import { Failure } from '../failure.ts';
import { tenantAt } from '../place.ts';
import { printable } from '../printable.ts';
import type { Database } from '../with-store.ts';
import type { ApiKeys } from './api-keys.ts';

/** The command line acts without an API key. */
const CALLER = 'operator';

const PAGE = 100;

export function keysInDatabase(database: Database): ApiKeys {
  const { store } = database;

  return {
    async *list(place) {
      const tenant = await tenantAt(store, place);
      for (let cursor = {}; ; ) {
        const { rows, hasMore } = await store.apiKeys.list(tenant, { limit: PAGE, ...cursor });
        for (const key of rows) yield representApiKey(key, CALLER);
        const last = rows.at(-1);
        if (!hasMore || last === undefined) return;
        cursor = { after: last.id };
      }
    },

    async create(place, given) {
      const tenant = await tenantAt(store, place);
      const { key, secret } = newApiKey({ ...given, tenant, nowMs: Date.now() });
      await changeApiKey(database, key, { type: 'create_api_key', key });
      return representNewApiKey(key, secret, CALLER);
    },

    /** The key may be of any account and mode: whoever has to revoke it may know nothing else of it. */
    async revoke(id) {
      const known = await store.apiKeys.fetch(id);
      if (known === null)
        throw new Failure(`there is no API key ${printable(id)}; opentill keys list shows the keys`);
      const command = { type: 'revoke_api_key', at: Date.now() } as const;
      const { key, counts } = await changeApiKey(database, known, command);
      return representRevokedApiKey(key, counts, CALLER);
    },
  };
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
