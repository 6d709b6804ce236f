import { serializeSettings } from '../../../accounts/settings-json.ts';
import { accountOf, liveOption, modeOf } from '../../account.ts';
import { databaseCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { accountNumber } from '../../declare/values.ts';

export const command = databaseCommand({
  purpose: 'Show the settings of an account, as JSON.',
  details: [
    '`opentill accounts configure` accepts what this command prints. With `--json` it prints the same.',
  ],
  arguments: { account: required(accountNumber, 'Number of the account.') },
  options: { live: liveOption },
  json: objectOf({
    business: 'Details of the merchant on receipts.',
    policy: 'Policy for payments that are short, in excess, late or without a reference.',
    receiving_accounts: 'Receiving accounts for bank transfers.',
    csv_mappings: 'Column mappings of CSV statements, by name.',
    compatibility: 'Compatibility mode: `strict`, or `v3` for clients of other v3 services.',
    webhook_url_events: 'Types of events that are sent to the `webhook_url` of a session.',
  }),
  examples: [['opentill accounts settings 1 --live', 'The settings of account 1 in live mode']],
  async run({ account, live }, { store, output }) {
    const { settings } = await accountOf(store, account);
    const shown = serializeSettings(settings[modeOf(live)]);
    output.record(shown, JSON.stringify(shown, null, 2));
  },
});
