import { listOf } from '../../../declare/json.ts';
import { placeOptions } from '../../../place.ts';
import { receivingAccountsCommand } from '../../../receiving-accounts/command.ts';
import { lineOf, receivingAccountKeys } from '../../../receiving-accounts/receiving-accounts.ts';

export const command = receivingAccountsCommand({
  purpose: 'List the receiving accounts for bank transfers.',
  details: ['Payers see the first account of each currency.'],
  options: placeOptions,
  json: listOf(receivingAccountKeys, 'receiving_account'),
  examples: [
    ['opentill bank account list --live', 'The receiving accounts of live mode'],
    [
      'opentill bank account list --url https://pay.example',
      'Those of the account and mode of `OPENTILL_API_KEY`',
    ],
  ],
  async run({ account, live }, { accounts, output }) {
    const all = await accounts.list({ account, live });
    for (const shown of all) output.record(shown, lineOf(shown));
    if (all.length === 0)
      output.remark('there are no receiving accounts; opentill bank account set creates one');
  },
});
