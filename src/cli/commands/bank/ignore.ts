import { type Entry, entryId, entryKeys, lineOfState, pathOf } from '../../bank/entry.ts';
import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required } from '../../declare/parameter.ts';
import { nonEmpty } from '../../declare/values.ts';

export const command = apiCommand('bank')({
  purpose: 'Ignore a bank entry that is for no payin.',
  details: ['opentill bank reopen undoes this.'],
  arguments: { entry: required(entryId, 'Id of the bank entry, `ntc_…`.') },
  options: { reason: required(nonEmpty('text', 'a reason'), 'Reason, such as Interest.') },
  json: objectOf(entryKeys, 'bank_entry'),
  examples: [
    ['opentill bank ignore ntc_01k9zq4tn30000x5r7m2c9w1he --reason Interest', 'Interest is for no payin'],
  ],
  async run({ entry: id, reason }, { client, output }) {
    const body = { reason };
    const entry = await client.send<Entry>('POST', `${pathOf(id)}/ignore`, body);
    output.record(entry, lineOfState(entry));
  },
});
