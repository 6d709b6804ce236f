/** Totals of a time as tables, in which each number leads to the rows behind it. */
import type { DayOf } from '../../accounting/movement.ts';
import { decimalAmount, formatAmount } from '../../checkout/money.ts';
import type { representTotal } from '../../checkout/representation.ts';
import { type Columns, csvOf } from '../../lib/csv.ts';
import { type Content, type Html, html } from '../../lib/html.ts';
import { type Column, table } from '../table.ts';
import { amountOf } from '../texts.ts';
import type { Ways } from './view.ts';

export type Total = ReturnType<typeof representTotal>;

const columns: Columns<Total> = [
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['currency', ({ currency }) => currency],
  ...(['received', 'late', 'refunded', 'reversed'] as const).flatMap(
    (name): Columns<Total> => [
      [name, ({ currency, [name]: { amount } }) => decimalAmount(amount, currency)],
      [`${name}_count`, ({ [name]: { count } }) => String(count)],
    ],
  ),
  ['fees', ({ fees }) => fees.map(({ amount, currency }) => formatAmount(amount, currency)).join(' ')],
  ...(['created', 'active', 'completed', 'expired', 'partially_paid', 'paid_in_excess'] as const).map(
    (name) => [`sessions_${name}`, ({ sessions }: Total) => String(sessions[name])] as const,
  ),
];

async function* pageOf(totals: readonly Total[]): AsyncGenerator<readonly Total[]> {
  yield totals;
}

/** The same sums as CSV. */
export const totalsAsCsv = (totals: readonly Total[]): AsyncGenerator<string> =>
  csvOf(columns, pageOf(totals));

const numbers = (...names: readonly string[]): Column[] => names.map((name) => ({ name, isNumber: true }));

/** The time zone whose days a report is about. */
export type Zone = { readonly name: string; readonly dayOf: DayOf };

export const moneyTable = (totals: readonly Total[], ways: Ways, zone: Zone): Html =>
  table(
    'Money by time and currency',
    [timeIn(zone), ...numbers('Received', 'of it late', 'Refunded', 'Reversed', 'Left', 'Fees')],
    totals.map((total) => {
      const { currency, received, late, refunded, reversed, fees } = total;
      const rows = (query: Readonly<Record<string, string>>, content: Content) =>
        linkTo(
          ways.movements,
          { ...query, currency, from: dayOrTime(total.from), before: dayOrTime(total.to) },
          content,
        );
      const sum = ({ count, amount }: Total['received'], query: Readonly<Record<string, string>>) =>
        count === 0
          ? amountOf(0, currency)
          : html`${rows(query, amountOf(amount, currency))}<br><span class="hint">${count}</span>`;
      return [
        timeOf(total, zone),
        sum(received, { type: 'payment' }),
        sum(late, { late: 'true' }),
        sum(refunded, { type: 'refund' }),
        sum(reversed, { type: 'reversal' }),
        leftOf(total),
        fees.length === 0
          ? '–'
          : fees.map(
              (fee) =>
                html`${rows({ type: 'payment' }, amountOf(fee.amount, fee.currency))}<br><span class="hint">of ${fee.count}</span> `,
            ),
      ];
    }),
    'No money has moved in this time.',
  );

export const sessionTable = (totals: readonly Total[], ways: Ways, zone: Zone): Html =>
  table(
    'Sessions by the time of their creation',
    [
      timeIn(zone),
      'Currency',
      ...numbers('Created', 'Open', 'Completed', 'Expired', 'Partly paid', 'Paid in excess'),
    ],
    totals.map((total) => {
      const { currency, sessions } = total;
      const cell = (count: number, query: Readonly<Record<string, string>>) =>
        count === 0
          ? 0
          : linkTo(
              ways.sessions,
              {
                ...query,
                invoice_currency: currency,
                'created_at[gte]': dayOrTime(total.from),
                'created_at[lt]': dayOrTime(total.to),
              },
              count,
            );
      return [
        timeOf(total, zone),
        currency,
        cell(sessions.created, {}),
        cell(sessions.active, { status: 'active' }),
        cell(sessions.completed, { status: 'completed' }),
        cell(sessions.expired, { status: 'expired' }),
        cell(sessions.partially_paid, { partially_paid: 'true' }),
        cell(sessions.paid_in_excess, { paid_in_excess: 'true' }),
      ];
    }),
    'No session was created in this time.',
  );

const linkTo = (path: string, query: Readonly<Record<string, string>>, content: Content): Html =>
  html`<a href="${path}?${String(new URLSearchParams(query))}">${content}</a>`;

/** A time at midnight as its day, which the fields of lists show. */
const dayOrTime = (time: string): string => time.replace('T00:00:00.000Z', '');

const timeIn = ({ name }: Zone): string => `Days (${name})`;

/** First and last day of a time, which begins and ends at midnights of the zone. */
function timeOf({ from, to }: Total, { dayOf }: Zone): string {
  const [first, last] = [dayOf(from), dayOf(new Date(Date.parse(to) - 1).toISOString())];
  return first === last ? first : `${first} – ${last}`;
}

/** Difference of what came and what went back; null for sums that are too large for an exact one. */
function leftOf({ received, refunded, reversed, currency }: Total): string {
  const left = received.amount - refunded.amount - reversed.amount;
  return Number.isSafeInteger(left) ? amountOf(left, currency) : '–';
}
