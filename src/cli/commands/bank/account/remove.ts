import { accountOf, accountOption, changeAccount, liveOption, modeOf } from '../../../account.ts';
import { databaseCommand } from '../../../declare/access.ts';
import { required } from '../../../declare/parameter.ts';
import { nonEmpty } from '../../../declare/values.ts';
import { Failure } from '../../../failure.ts';
import { printable } from '../../../printable.ts';

export const command = databaseCommand({
  purpose: 'Remove a receiving account.',
  details: [
    'Payers who already have its details can still pay into it: waiting attempts keep the account. Its statements can be imported only while it exists.',
  ],
  arguments: {
    id: required(nonEmpty('id', 'the id of a receiving account'), 'Id of the receiving account.'),
  },
  options: { account: accountOption, live: liveOption },
  examples: [['opentill bank account remove eur', 'Payers no longer see the account eur']],
  async run({ id, account, live }, { output, ...database }) {
    const mode = modeOf(live);
    const settings = (await accountOf(database.store, account)).settings[mode];
    const receivingAccounts = settings.receivingAccounts.filter((each) => each.id !== id);
    if (receivingAccounts.length === settings.receivingAccounts.length)
      throw new Failure(
        `there is no receiving account ${printable(id)}; opentill bank account list shows them`,
      );
    const parts = { receivingAccounts };
    await changeAccount(database, { account, mode }, { type: 'configure_account', parts });
    output.line(`${printable(id)} is removed`);
  },
});
