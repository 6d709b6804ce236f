import { settingsKeys } from '../../account-settings/account-settings.ts';
import { settingsCommand } from '../../account-settings/command.ts';
import { objectOf } from '../../declare/json.ts';
import { placeOptions } from '../../place.ts';

export const command = settingsCommand({
  purpose: 'Show the settings of an account, as JSON.',
  details: [
    '`opentill accounts configure` accepts what this command prints. With `--json` it prints the same. Receiving accounts are apart: see `opentill bank account list`.',
  ],
  options: placeOptions,
  json: objectOf(settingsKeys, 'account_settings'),
  examples: [
    ['opentill accounts settings --account 2 --live', 'The settings of account 2 in live mode'],
    [
      'opentill accounts settings --url https://pay.example',
      'Those of the account and mode of `OPENTILL_API_KEY`',
    ],
  ],
  async run({ account, live }, { settings, output }) {
    const shown = await settings.fetch({ account, live });
    output.record(shown, JSON.stringify(shown, null, 2));
  },
});
