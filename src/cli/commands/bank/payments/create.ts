import { paymentFileKeys, paymentFileOptions, writePaymentFile } from '../../../bank/payment-file.ts';
import { apiCommand } from '../../../declare/access.ts';
import { objectOf } from '../../../declare/json.ts';
import { optional, required } from '../../../declare/parameter.ts';
import { date, nonEmpty } from '../../../declare/values.ts';

export const command = apiCommand(
  'refund',
  'bank',
)({
  purpose: 'Create a file of payments with all that is to go back, for the bank to carry out.',
  details: ['The file is ISO 20022 pain.001. What is in one file is in no other.'],
  arguments: {
    receivingAccount: required(
      nonEmpty('id', 'the id of a receiving account'),
      'Id of the receiving account that the money leaves.',
    ),
  },
  options: {
    executeOn: optional(date, 'When the bank is to carry it out, such as 2030-01-31. Today, if not given.'),
    ...paymentFileOptions,
  },
  json: objectOf(paymentFileKeys),
  examples: [
    ['opentill bank payments create eur', 'All that is to go back from the account eur'],
    ['opentill bank payments create eur --execute-on 2030-01-31 --out refunds.xml', 'On a day, in a file'],
  ],
  async run({ receivingAccount, executeOn, out, force }, { client, output }) {
    const body = {
      receiving_account: receivingAccount,
      ...(executeOn === undefined ? {} : { execute_on: executeOn }),
    };
    const { record, lines } = await writePaymentFile(client, { out, force }, () =>
      client.send('POST', '/payment_file', body),
    );
    output.record(record, lines);
  },
});
