import { type Entry, entryId, entryKeys, lineOfState, pathOf } from '../../bank/entry.ts';
import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { optional, required } from '../../declare/parameter.ts';
import { text } from '../../declare/values.ts';

export const command = apiCommand('refund')({
  purpose: 'Send the money of a bank entry back to the payer.',
  details: ['The money goes back with the next payment file: see opentill bank payments create.'],
  arguments: { entry: required(entryId, 'Id of the bank entry, `ntc_…`.') },
  options: { reason: optional(text('text'), 'Why.') },
  json: objectOf(entryKeys, 'bank_entry'),
  examples: [
    [
      "opentill bank send-back ntc_01k9zq4tn30000x5r7m2c9w1he --reason 'We know of no such order.'",
      'No order matches the transfer',
    ],
  ],
  async run({ entry: id, reason }, { client, output }) {
    const body = reason ? { reason } : {};
    const entry = await client.send<Entry>('POST', `${pathOf(id)}/send_back`, body);
    output.record(entry, lineOfState(entry));
  },
});
