import { intervalUnits } from '../../../lib/intervals.ts';
import { apiCommand } from '../../declare/access.ts';
import { listOf } from '../../declare/json.ts';
import { optional, withDefault } from '../../declare/parameter.ts';
import { choice, currency as currencyValue, moment, nonEmpty } from '../../declare/values.ts';
import { type Total, totalKeys, totalLine } from '../../money/movement.ts';
import { answered, timesOf } from '../../money/query.ts';

export const command = apiCommand('read')({
  purpose: 'Sum up payments, refunds and reversals by currency.',
  details: [
    'A line has the time, the currency, sums with the number of movements in brackets, and where fees are known a sum of them in each of their currencies; then sessions that a payment of the time completed, by how long that took (those within an hour include those within a minute), and sessions that were created in the time, how many of them are completed, what active ones are still owed, and what was paid beyond the amounts. With --json, `rails` has the sums of each rail. Intervals of which there is nothing are left out. Where a test clock is ahead, name the end with --to.',
  ],
  options: {
    from: withDefault(moment, '30d', 'Start of the time.'),
    to: withDefault(moment, '0s', 'End of the time, which does not belong to it.'),
    interval: optional(
      choice('interval', ...intervalUnits),
      'Totals of each day, week, month or year; needs --currency.',
    ),
    currency: optional(currencyValue, 'Only this currency.'),
    'time-zone': optional(
      nonEmpty('zone', 'the name of a time zone'),
      'Time zone in which days begin; UTC without one.',
    ),
  },
  json: listOf(totalKeys, 'total'),
  examples: [
    ['opentill money totals', 'The last 30 days'],
    [
      'opentill money totals --from 2030-01-01 --to 2031-01-01 --currency EUR --interval month',
      'The months of a year',
    ],
  ],
  async run({ from, to, interval, currency, 'time-zone': timeZone }, { client, output }) {
    const query = new URLSearchParams({
      ...timesOf(from, to),
      ...(interval === undefined ? {} : { interval }),
      ...(currency === undefined ? {} : { currency }),
      ...(timeZone === undefined ? {} : { time_zone: timeZone }),
    });
    const totals = await answered(client.get<readonly Total[]>(`/total?${query}`));
    for (const each of totals) output.record(each, totalLine(each));
    if (totals.length === 0) output.remark('there is nothing in this time');
  },
});
