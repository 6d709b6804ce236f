import { settingsKeys } from '../../account-settings/account-settings.ts';
import { settingsCommand } from '../../account-settings/command.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { accountName } from '../../declare/values.ts';
import { placeOptions } from '../../place.ts';
import { printable } from '../../printable.ts';

export const command = settingsCommand({
  purpose: 'Change the name of an account that payers see.',
  details: [
    'The name is of both modes: at a server it takes a key of live mode. With `--json` it prints the settings of live mode.',
  ],
  arguments: { name: required(accountName, 'The new name.') },
  options: { account: placeOptions.account },
  json: objectOf(settingsKeys, 'account_settings'),
  examples: [
    ["opentill accounts rename 'Your Shop'", 'Rename the first account'],
    ["opentill accounts rename 'Your Other Shop' --account 2", 'Rename the second one'],
  ],
  async run({ name, account }, { settings, output }) {
    output.record(await settings.rename(account, name), `the account is now called ${printable(name)}`);
  },
});
