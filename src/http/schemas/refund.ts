/** What refunds accept and look like. */
import Type from 'typebox';
import { pageQuery } from './checkout.ts';
import { address, amount, closed, metadata, TEXT, text } from './fields.ts';

const idPattern = (prefix: string) => `^${prefix}_[0-9a-z]{20,40}$`;

const payin = Type.String({
  pattern: idPattern('chk'),
  description: 'Id of the payin, which is the id of the session.',
  examples: ['chk_01k9zq4tn30000x5r7m2c9w1he'],
});

export const refundBody = Type.Object(
  {
    payin,
    payment_attempt: Type.Optional(
      Type.String({
        pattern: idPattern('pat'),
        description:
          'Id of the attempt whose money goes back. Without it, the newest that has brought that much.',
        examples: ['pat_01k9zq4tn30000x5r7m2c9w1he'],
      }),
    ),
    amount: amount('How much goes back, in minor units; at most what is left of the attempt.', 1),
    reason: Type.Optional(text(250, 'Why, in your words.', 'The parcel was lost.')),
    remarks: Type.Optional(Type.String({ maxLength: 1000, pattern: TEXT, description: 'Anything else.' })),
    metadata: Type.Optional(metadata),
    webhook_url: Type.Optional(
      address('Where events of this refund are sent. Without it, where those of the session are.'),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ payin: 'chk_01k9zq4tn30000x5r7m2c9w1he', amount: 1250, reason: 'The parcel was lost.' }],
  },
);

export const refundQuery = Type.Object(
  { payin: Type.Optional(payin), ...pageQuery('rfd') },
  { additionalProperties: false },
);

export const settleBody = Type.Object(
  {
    status: closed(['succeeded', 'failed'], 'What became of it: the money has gone back, or it will not.'),
    reason: Type.Optional(text(250, 'Why it failed, or how it was paid.', 'Paid in cash at the counter.')),
  },
  { additionalProperties: false, examples: [{ status: 'succeeded', reason: 'Paid in cash.' }] },
);
