/** Requests about refunds. */
import { Type } from '../../lib/json-schema.ts';
import { pageQuery } from './checkout.ts';
import {
  address,
  amount,
  closed,
  currency,
  givenMetadata,
  givenSessionId,
  idText,
  lines,
  text,
  titled,
} from './fields.ts';

const payin = givenSessionId('Id of the payin, which is the id of the session.');

const note = (description: string, example: string) => titled('RefundNote', text(250, description, example));

export const refundBody = Type.Object(
  {
    payin,
    payment_attempt: Type.Optional(
      idText(
        'pat',
        'Id of the attempt to refund. Default: the newest one with enough money; without `amount`, every attempt with money left.',
      ),
    ),
    amount: Type.Optional(
      amount(
        'Amount to refund, in minor units; at most the unrefunded rest of one attempt. Default: all that is left.',
        1,
      ),
    ),
    amount_left: Type.Optional(
      amount(
        'The rest that the decision was made on: `amount_paid` without reversals that were not won and refunds that have not failed. Nothing is refunded if it has changed since.',
      ),
    ),
    currency: Type.Optional(currency),
    source: Type.Optional(Type.Unknown({ description: 'Accepted for compatibility; without effect.' })),
    reason: Type.Optional(note('Reason, in your words.', 'The parcel was lost.')),
    remarks: Type.Optional(lines(1000, 'Remarks for your records.')),
    metadata: Type.Optional(givenMetadata),
    webhook_url: Type.Optional(
      address('Receiver of this refund’s events. Default: the receiver of the session.'),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ payin: 'chk_01k9zq4tn30000x5r7m2c9w1he', amount: 1250, reason: 'The parcel was lost.' }],
  },
);

export const refundQuery = Type.Object(
  {
    payin: Type.Optional(payin),
    status: Type.Optional(closed(['pending'], 'Only refunds that wait for their rail.')),
    rail: Type.Optional(text(64, 'Only refunds by this rail.', 'bank')),
    ...pageQuery('rfd'),
  },
  { additionalProperties: false },
);

export const settleBody = Type.Object(
  {
    status: closed(['succeeded', 'failed'], '`succeeded`: the money was returned; `failed`: it will not be.'),
    reason: Type.Optional(
      note('Reason of the failure, or how the money was returned.', 'Paid in cash at the counter.'),
    ),
  },
  { additionalProperties: false, examples: [{ status: 'succeeded', reason: 'Paid in cash.' }] },
);
