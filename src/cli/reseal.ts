/** Seals stored credentials anew under the current key, in the database. */
import { type Resealed, resealAt } from '../accounts/reseal.ts';
import type { Tenant } from '../checkout/tenant.ts';
import type { Vault } from '../methods/credentials.ts';
import { accountOf, changeAccount } from './account.ts';
import type { Database } from './with-store.ts';

/** Puts credentials that are under the previous key under the current one; null if somebody removes them meanwhile. */
export async function reseal(
  database: Database,
  vault: Vault,
  tenant: Tenant,
  rail: string,
): Promise<Resealed | null> {
  const account = await accountOf(database.store, tenant.account);
  return resealAt({ tenant, rail }, account, vault, (command) => changeAccount(database, tenant, command));
}
