import { movementTypes } from '../../../checkout/movements.ts';
import { withoutUndefined } from '../../../lib/keys.ts';
import { apiCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { flag, optional, withDefault } from '../../declare/parameter.ts';
import {
  choice,
  currency as currencyValue,
  idOf,
  moment,
  nonEmpty,
  wholeNumber,
} from '../../declare/values.ts';
import { type Movement, movementKeys, movementLine } from '../../money/movement.ts';
import { timesOf } from '../../money/query.ts';

export const command = apiCommand('read')({
  purpose: 'List payments, refunds and reversals, newest first.',
  details: [
    'A line has the id, the time, the amount, the type, the payin, the rail and the reference. Behind them stand `late`, for the payment that completed its session the time since the creation, and the fee that the provider kept, where it is known.',
  ],
  options: {
    from: optional(moment, 'Only movements at this time or later.'),
    to: optional(moment, 'Only movements before this time.'),
    type: optional(choice('type', ...movementTypes), 'Only movements of this type.'),
    currency: optional(currencyValue, 'Only movements in this currency.'),
    payin: optional(idOf('chk', 'a payin'), 'Only movements of this payin, `chk_…`.'),
    rail: optional(nonEmpty('rail', 'the name of a rail'), 'Only movements of this rail.'),
    reference: optional(
      nonEmpty('reference', 'a reference'),
      'Only the movement with this id of the payment or reversal at its rail, or of the refund.',
    ),
    late: flag('Only payments after the end of their session.'),
    limit: withDefault(wholeNumber(1, 10_000), '100', 'Maximum number.'),
  },
  json: listOf(movementKeys, 'movement'),
  examples: [
    ['opentill money movements --from 7d --type refund', 'Refunds of the last seven days'],
    ['opentill money movements --late --limit 20', 'The last 20 payments that came late'],
  ],
  async run({ from, to, type, currency, payin, rail, reference, late, limit }, { client, output }) {
    const query = {
      ...timesOf(from, to),
      ...withoutUndefined({ payin, rail, reference }),
      ...(type === undefined ? {} : { type }),
      ...(currency === undefined ? {} : { currency }),
      ...(late ? { late: 'true' } : {}),
    };
    let shown = 0;
    for await (const page of client.pages<Movement>('/movement', query)) {
      for (const each of page) {
        if (shown === limit) return output.remark('there are more; --limit sets how many are shown');
        output.record(each, movementLine(each));
        shown++;
      }
    }
    if (shown === 0) output.remark('there are no such movements');
  },
});
