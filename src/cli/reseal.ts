/** Seals stored credentials anew under the current key, beside servers that go on using and setting them. */
import { credentialsAt } from '../accounts/rail-credentials-changes.ts';
import type { Tenant } from '../checkout/tenant.ts';
import type { SealedUnder, Vault } from '../methods/credentials.ts';
import { accountOf, changeAccount } from './account.ts';
import type { Database } from './with-store.ts';

/** Tries for credentials that a server sets at the same moment, each time under the previous key. */
const MAX_TRIES = 5;

export type Resealed = { readonly wasResealed: boolean; readonly sealedUnder: SealedUnder };

/** Puts credentials that are under the previous key under the current one; null if somebody removes them meanwhile. */
export async function reseal(
  database: Database,
  vault: Vault,
  tenant: Tenant,
  rail: string,
): Promise<Resealed | null> {
  const place = { tenant, rail };
  let account = await accountOf(database.store, tenant.account);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const sealed = credentialsAt(account.railCredentials[tenant.mode], rail);
    if (sealed === null) return null;
    const secrets = vault.open(sealed, place);
    const sealedUnder = vault.keyOf(sealed, place);
    if (secrets === null || sealedUnder === 'current') return { wasResealed: false, sealedUnder };
    const to = vault.seal(secrets, place);
    const command = { type: 'reseal_rail_credentials', rail, from: sealed.secrets, to } as const;
    const { before, after } = await changeAccount(database, tenant, command);
    if (after !== before) return { wasResealed: true, sealedUnder: 'current' };
    account = after;
  }
  return { wasResealed: false, sealedUnder: 'previous' };
}
