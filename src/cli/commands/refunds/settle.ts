import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { optional, required } from '../../declare/parameter.ts';
import { choice, idOf, text } from '../../declare/values.ts';
import { lineOf, type Refund, refundKeys } from '../../refund.ts';

export const command = apiCommand('refund')({
  purpose: 'Settle a refund by bank transfer that no statement will confirm.',
  arguments: {
    refund: required(idOf('rfd', 'a refund'), 'Id of the refund, `rfd_…`.'),
    status: required(choice('status', 'succeeded', 'failed'), 'Outcome of the refund.'),
  },
  options: { reason: optional(text('text'), 'Why.') },
  json: objectOf(refundKeys, 'refund'),
  examples: [
    [
      "opentill refunds settle rfd_01k9zq4tn30000x5r7m2c9w1he succeeded --reason 'Paid in cash.'",
      'It was paid in another way',
    ],
  ],
  async run({ refund: id, status, reason }, { client, output }) {
    const path = `/refund/${encodeURIComponent(id)}/settle`;
    const body = { status, ...(reason === undefined ? {} : { reason }) };
    const refund = await client.send<Refund>('POST', path, body);
    output.record(refund, lineOf(refund));
  },
});
