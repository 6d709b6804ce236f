/** Revokes a key beside a service, as the command line does. */
import { changeApiKey } from '../../src/cli/api-keys/in-database.ts';
import { executeOn } from '../../src/cli/with-store.ts';
import type { Store } from '../../src/store/store.ts';

/** False if there is no such key, or it is revoked already. */
export async function revokeKey(store: Store, id: string, at: number = Date.now()): Promise<boolean> {
  const key = await store.apiKeys.fetch(id);
  if (key === null) return false;
  const database = { store, execute: executeOn(store) };
  await changeApiKey(database, key, { type: 'revoke_api_key', at });
  return key.revokedAt === null;
}
