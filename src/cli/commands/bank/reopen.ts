import { type Entry, entryId, entryKeys, lineOfState, pathOf } from '../../bank/entry.ts';
import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { optional, required } from '../../declare/parameter.ts';
import { text } from '../../declare/values.ts';

export const command = apiCommand('bank')({
  purpose: 'Reopen a bank entry that was ignored, or is to be sent back.',
  details: [
    'If its money is to be sent back, first make sure that the bank will not carry out the transfer.',
  ],
  arguments: { entry: required(entryId, 'Id of the bank entry, `ntc_…`.') },
  options: { reason: optional(text('text'), 'Why.') },
  json: objectOf(entryKeys, 'bank_entry'),
  examples: [
    [
      "opentill bank reopen ntc_01k9zq4tn30000x5r7m2c9w1he --reason 'The bank has refused the file.'",
      'The money was not sent back',
    ],
  ],
  async run({ entry: id, reason }, { client, output }) {
    const body = reason ? { reason } : {};
    const entry = await client.send<Entry>('POST', `${pathOf(id)}/reopen`, body);
    output.record(entry, lineOfState(entry));
  },
});
