import { paymentFileKeys, paymentFileOptions, writePaymentFile } from '../../../bank/payment-file.ts';
import { apiCommand } from '../../../declare/access.ts';
import { objectOf } from '../../../declare/json.ts';
import { required } from '../../../declare/parameter.ts';
import { idOf } from '../../../declare/values.ts';

export const command = apiCommand(
  'read',
  'bank',
)({
  purpose: 'Write an existing payment file again.',
  arguments: { file: required(idOf('bfl', 'a payment file'), 'Id of the payment file, `bfl_…`.') },
  options: paymentFileOptions,
  json: objectOf(paymentFileKeys, 'payment_file'),
  examples: [['opentill bank payments write bfl_01k9zq4tn30000x5r7m2c9w1he', 'The same file once more']],
  async run({ file, out, force }, { client, output }) {
    const { record, lines } = await writePaymentFile(client, { out, force }, () =>
      client.get(`/payment_file/${encodeURIComponent(file)}`),
    );
    output.record(record, lines);
  },
});
