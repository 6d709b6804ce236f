import { createAccount } from '../../../accounts/account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { accountName } from '../../declare/values.ts';

export const command = databaseCommand({
  purpose: 'Create another account, for another shop.',
  arguments: { name: required(accountName, 'The name that payers see.') },
  json: objectOf({ number: 'Number of the account.', name: 'The name that payers see.' }),
  examples: [["opentill accounts create 'Your Other Shop'", 'An account without keys']],
  async run({ name }, { store, output }) {
    const { number } = await createAccount(store, name, Date.now());
    output.record(
      { number, name },
      `account ${number} is created; opentill keys create --account ${number} creates a key for it`,
    );
  },
});
