import { amountOf } from '../../amount.ts';
import { type Entry, entryId, entryKeys, lineOfState, pathOf } from '../../bank/entry.ts';
import { apiCommand } from '../../declare/access.ts';
import { objectOf } from '../../declare/json.ts';
import { required, several, type Value } from '../../declare/parameter.ts';
import { idOf } from '../../declare/values.ts';

type Part = { readonly payin: string; readonly amount: string | null };

const payin = idOf('chk', 'a payin');
const part: Value<Part> = {
  placeholder: 'payin',
  parse: (text, env) => {
    const [id = '', amount = null] = text.split('=', 2);
    return { payin: payin.parse(id, env), amount };
  },
};

export const command = apiCommand(
  'read',
  'bank',
)({
  purpose: 'Book a bank entry for a payin, or split it between several.',
  details: ['Amounts are in the currency of the entry. A payin without an amount gets the rest.'],
  arguments: {
    entry: required(entryId, 'Id of the bank entry, `ntc_…`.'),
    payin: several(part, 'Id of a payin, `chk_…`, or `chk_…=12.50` with the amount for it.'),
  },
  json: objectOf(entryKeys, 'bank_entry'),
  examples: [
    [
      'opentill bank assign ntc_01k9zq4tn30000x5r7m2c9w1he chk_01k9zq4tn30000x5r7m2c9w1he',
      'The whole entry for one payin',
    ],
    [
      'opentill bank assign ntc_01k9zq4tn30000x5r7m2c9w1he chk_01k9zq4tn30000x5r7m2c9w1he=10.00 chk_01k9zr8x2p0000h3v6n1d4t7kc=2.50',
      'Split between two',
    ],
  ],
  async run({ entry: id, payin: parts }, { client, output }) {
    const isSplit = parts.some(({ amount }) => amount !== null);
    const { currency } = isSplit ? await client.get<Entry>(pathOf(id)) : { currency: '' };
    const body = {
      parts: parts.map(({ payin, amount }) => ({
        payin,
        ...(amount === null ? {} : { amount: amountOf(amount, currency) }),
      })),
    };
    const entry = await client.send<Entry>('POST', `${pathOf(id)}/assign`, body);
    output.record(entry, lineOfState(entry));
  },
});
