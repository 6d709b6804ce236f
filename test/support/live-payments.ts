/** A payment method for live mode, without which an account cannot create live sessions. */
import assert from 'node:assert/strict';
import { readReceivingAccount } from '../../src/methods/bank/receiving-account-schema.ts';
import type { Store } from '../../src/store/store.ts';
import { configureAccount } from './configure.ts';

const holder = { name: 'Test Shop', country: 'DE' };

/** Lets the account take bank transfers in live mode, unless it does already. */
export async function takeLivePayments(
  store: Pick<Store, 'accounts' | 'commit'>,
  account: number,
  currencies: readonly string[] = ['EUR'],
): Promise<void> {
  const settings = (await store.accounts.fetch(account))?.settings.live;
  if (settings === undefined || settings.receivingAccounts.length > 0) return;
  const receivingAccounts = currencies.map((currency) => {
    const read = readReceivingAccount({
      id: currency.toLowerCase(),
      currency,
      holder,
      account_number: '12030000',
    });
    return 'account' in read ? read.account : assert.fail(JSON.stringify(read.problems));
  });
  assert.ok(await configureAccount(store, { account, mode: 'live' }, { ...settings, receivingAccounts }));
}
