import { representSettings } from '../../../accounts/representation.ts';
import { changeAccount } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { accountName, accountNumber } from '../../declare/values.ts';
import { settingsKeys } from '../../settings-file.ts';

export const command = databaseCommand({
  purpose: 'Change the name of an account that payers see.',
  details: ['With `--json` it prints the settings of live mode: the name is of both modes.'],
  arguments: {
    account: required(accountNumber, 'Number of the account.'),
    name: required(accountName, 'The new name.'),
  },
  json: objectOf(settingsKeys, 'account_settings'),
  examples: [["opentill accounts rename 1 'Your Shop'", 'Rename the first account']],
  async run({ account, name }, { output, ...database }) {
    const tenant = { account, mode: 'live' } as const;
    const { after } = await changeAccount(database, tenant, { type: 'rename_account', name });
    output.record(representSettings(after, tenant.mode), `account ${account} is now called ${name}`);
  },
});
