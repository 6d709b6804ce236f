import { required } from '../../../declare/parameter.ts';
import { nonEmpty } from '../../../declare/values.ts';
import { placeOptions } from '../../../place.ts';
import { printable } from '../../../printable.ts';
import { receivingAccountsCommand } from '../../../receiving-accounts/command.ts';

export const command = receivingAccountsCommand({
  purpose: 'Remove a receiving account.',
  details: [
    'Payers who already have its details can still pay into it: waiting attempts keep the account. Its statements can be imported only while it exists.',
  ],
  arguments: {
    id: required(nonEmpty('id', 'the id of a receiving account'), 'Id of the receiving account.'),
  },
  options: placeOptions,
  examples: [['opentill bank account remove eur', 'Payers no longer see the account eur']],
  async run({ id, account, live }, { accounts, output }) {
    await accounts.remove({ account, live }, id);
    output.line(`${printable(id)} is removed`);
  },
});
