import { accountOf, accountOption, liveOption, modeOf } from '../../../account.ts';
import { databaseCommand } from '../../../declare/access.ts';
import { listOf } from '../../../declare/json.ts';
import { lineOf, receivingAccountKeys, recordOf } from '../../../receiving-account.ts';

export const command = databaseCommand({
  purpose: 'List the receiving accounts for bank transfers.',
  details: ['Payers see the first account of each currency.'],
  options: { account: accountOption, live: liveOption },
  json: listOf(receivingAccountKeys),
  examples: [['opentill bank account list --live', 'The receiving accounts of live mode']],
  async run({ account, live }, { store, output }) {
    const { receivingAccounts } = (await accountOf(store, account)).settings[modeOf(live)];
    for (const each of receivingAccounts) output.record(recordOf(each), lineOf(each));
    if (receivingAccounts.length === 0)
      output.remark('there are no receiving accounts; opentill bank account set creates one');
  },
});
