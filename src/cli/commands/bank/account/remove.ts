import { accountOption, changeAccount, liveOption, modeOf } from '../../../account.ts';
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
    const tenant = { account, mode: modeOf(live) };
    const unknown = `there is no receiving account ${printable(id)}; opentill bank account list shows them`;
    await changeAccount(
      database,
      tenant,
      { type: 'remove_receiving_account', id },
      () => new Failure(unknown),
    );
    output.line(`${printable(id)} is removed`);
  },
});
