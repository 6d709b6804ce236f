import { amountOf } from '../../amount.ts';
import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { optional, required } from '../../declare/parameter.ts';
import { idOf, nonEmpty, text } from '../../declare/values.ts';
import { lineOf, type Refund, refundKeys } from '../../refund.ts';

export const command = apiCommand(
  'read',
  'refund',
)({
  purpose: 'Refund money of a payin.',
  arguments: {
    payin: required(idOf('chk', 'a payin'), 'Id of the payin, `chk_…`.'),
    amount: required(
      nonEmpty('amount', 'an amount'),
      'The amount in the currency of the payin, such as 12.50.',
    ),
  },
  options: {
    attempt: optional(
      idOf('pat', 'a payment attempt'),
      'Attempt to refund. Default: the newest one that has brought that much.',
    ),
    reason: optional(text('text'), 'Why.'),
  },
  json: objectOf(refundKeys, 'refund'),
  examples: [
    [
      "opentill refunds create chk_01k9zq4tn30000x5r7m2c9w1he 12.50 --reason 'Lost parcel'",
      'Refund a part of a payment',
    ],
  ],
  async run({ payin, amount, attempt, reason }, { client, output }) {
    const path = `/checkout/${encodeURIComponent(payin)}`;
    const { invoice_currency } = await client.get<{ readonly invoice_currency: string }>(path);
    const refund = await client.send<Refund>('POST', '/refund', {
      payin,
      amount: amountOf(amount, invoice_currency),
      ...(attempt === undefined ? {} : { payment_attempt: attempt }),
      ...(reason === undefined ? {} : { reason }),
    });
    output.record(refund, lineOf(refund));
  },
});
