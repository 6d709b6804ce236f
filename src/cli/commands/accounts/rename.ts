import { changeAccount } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { required } from '../../declare/parameter.ts';
import { accountName, accountNumber } from '../../declare/values.ts';

export const command = databaseCommand({
  purpose: 'Change the name of an account that payers see.',
  arguments: {
    account: required(accountNumber, 'Number of the account.'),
    name: required(accountName, 'The new name.'),
  },
  examples: [["opentill accounts rename 1 'Your Shop'", 'Rename the first account']],
  async run({ account, name }, { output, ...database }) {
    await changeAccount(database, { account, mode: 'live' }, { type: 'rename_account', name });
    output.line(`account ${account} is now called ${name}`);
  },
});
