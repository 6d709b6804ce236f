/** Changes an account beside a service, by no rules. */
import type { Account } from '../../src/accounts/account.ts';
import type { AccountSettings } from '../../src/accounts/settings.ts';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Store } from '../../src/store/store.ts';

/** False if there is no such account. */
export async function writeAccount(
  store: Pick<Store, 'commit'>,
  tenant: Tenant,
  change: (account: Account) => Account,
): Promise<boolean> {
  let isThere = false;
  await store.commit([
    {
      needs: { tenant, accounts: [tenant.account] },
      decide({ accounts }) {
        const before = accounts.get(String(tenant.account));
        isThere = before !== undefined;
        return before === undefined ? [] : [{ account: { before, after: change(before) } }];
      },
    },
  ]);
  return isThere;
}

/** Replaces the settings of a mode. False if there is no such account. */
export function configureAccount(
  store: Pick<Store, 'commit'>,
  tenant: Tenant,
  settings: AccountSettings,
): Promise<boolean> {
  return writeAccount(store, tenant, (account) => ({
    ...account,
    settings: { ...account.settings, [tenant.mode]: settings },
  }));
}
