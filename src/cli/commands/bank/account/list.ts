import { representReceivingAccount } from '../../../../accounts/representation.ts';
import { accountOf, accountOption, liveOption, modeOf } from '../../../account.ts';
import { databaseCommand } from '../../../declare/access.ts';
import { listOf } from '../../../declare/json.ts';
import { lineOf, receivingAccountKeys } from '../../../receiving-account.ts';

export const command = databaseCommand({
  purpose: 'List the receiving accounts for bank transfers.',
  details: ['Payers see the first account of each currency.'],
  options: { account: accountOption, live: liveOption },
  json: listOf(receivingAccountKeys, 'receiving_account'),
  examples: [['opentill bank account list --live', 'The receiving accounts of live mode']],
  async run({ account, live }, { store, output }) {
    const { receivingAccounts } = (await accountOf(store, account)).settings[modeOf(live)];
    for (const shown of receivingAccounts.map(representReceivingAccount)) output.record(shown, lineOf(shown));
    if (receivingAccounts.length === 0)
      output.remark('there are no receiving accounts; opentill bank account set creates one');
  },
});
