/** Receiving accounts in the database: changed by the same rules as over the API, and shown as the API shows them. */
import { representReceivingAccount } from '../../accounts/representation.ts';
import { accountOf, changeAccount } from '../account.ts';
import { Failure } from '../failure.ts';
import { tenantAt } from '../place.ts';
import { printable } from '../printable.ts';
import type { Database } from '../with-store.ts';
import type { ReceivingAccounts } from './receiving-accounts.ts';

export function receivingAccountsInDatabase(database: Database): ReceivingAccounts {
  const { store } = database;

  return {
    async list(place) {
      const { account, mode } = await tenantAt(store, place);
      return (await accountOf(store, account)).settings[mode].receivingAccounts.map(
        representReceivingAccount,
      );
    },

    async set(place, { id, fields, isFirst }, mistakes) {
      const tenant = await tenantAt(store, place);
      const command = { type: 'set_receiving_account', id, fields, isFirst } as const;
      const { after } = await changeAccount(database, tenant, command, ({ problems }) => mistakes(problems));
      const set = after.settings[tenant.mode].receivingAccounts.find((each) => each.id === id.trim());
      if (set === undefined) throw new Error(`${id} is not among the accounts`);
      return representReceivingAccount(set);
    },

    async remove(place, id) {
      const tenant = await tenantAt(store, place);
      const unknown = `there is no receiving account ${printable(id)}; opentill bank account list shows them`;
      const command = { type: 'remove_receiving_account', id } as const;
      await changeAccount(database, tenant, command, () => new Failure(unknown));
    },
  };
}
