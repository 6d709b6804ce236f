import { paymentFileKeys, paymentFileOptions, writePaymentFile } from '../../../bank/payment-file.ts';
import { apiCommand } from '../../../declare/access.ts';
import { objectOf } from '../../../declare/json.ts';
import { optional, required } from '../../../declare/parameter.ts';
import { date, nonEmpty } from '../../../declare/values.ts';

export const command = apiCommand(
  'refund',
  'bank',
)({
  purpose: 'Create a payment file of all pending refunds and returns, for the bank to carry out.',
  details: ['The file is ISO 20022 pain.001. Each refund or return is in one file only.'],
  arguments: {
    receivingAccount: required(
      nonEmpty('id', 'the id of a receiving account'),
      'Id of the receiving account that the money leaves.',
    ),
  },
  options: {
    executeOn: optional(date, 'Execution date, such as 2030-01-31. Default: today.'),
    ...paymentFileOptions,
  },
  json: objectOf(paymentFileKeys, 'payment_file'),
  examples: [
    ['opentill bank payments create eur', 'All refunds and returns from the account eur'],
    [
      'opentill bank payments create eur --execute-on 2030-01-31 --out refunds.xml',
      'With an execution date and a file name',
    ],
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
