import { representSettings } from '../../../accounts/representation.ts';
import { accountOf, liveOption, modeOf } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { accountNumber } from '../../declare/values.ts';
import { settingsKeys } from '../../settings-file.ts';

export const command = databaseCommand({
  purpose: 'Show the settings of an account, as JSON.',
  details: [
    '`opentill accounts configure` accepts what this command prints. With `--json` it prints the same. Receiving accounts are apart: see `opentill bank account list`.',
  ],
  arguments: { account: required(accountNumber, 'Number of the account.') },
  options: { live: liveOption },
  json: objectOf(settingsKeys, 'account_settings'),
  examples: [['opentill accounts settings 1 --live', 'The settings of account 1 in live mode']],
  async run({ account, live }, { store, output }) {
    const shown = representSettings(await accountOf(store, account), modeOf(live));
    output.record(shown, JSON.stringify(shown, null, 2));
  },
});
