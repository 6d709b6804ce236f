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

/** The sums of a rail, in the interval and the currency of a total. */
type RailTotal = Pick<Total, 'from' | 'to' | 'currency'> & Total['rails'][number];
type Sum = Total['received'];
type Moved = Omit<RailTotal, 'rail'>;

const intervalColumns: Columns<Moved> = [
  ['from', ({ from }) => from],
  ['to', ({ to }) => to],
  ['currency', ({ currency }) => currency],
];

/** An amount and how many it is of, by the name of both. */
function sumColumns<T extends { readonly currency: string }>(
  name: string,
  sumOf: (row: T) => Sum | null,
): Columns<T> {
  const cell = (row: T, textOf: (sum: Sum) => string) => {
    const sum = sumOf(row);
    return sum === null ? '' : textOf(sum);
  };
  return [
    [name, (row) => cell(row, ({ amount }) => decimalAmount(amount, row.currency))],
    [`${name}_count`, (row) => cell(row, ({ count }) => String(count))],
  ];
}

const movedColumns: Columns<Moved> = [
  ...(['received', 'late', 'refunded', 'reversed'] as const).flatMap((name) =>
    sumColumns<Moved>(name, (moved) => moved[name]),
  ),
  ['fees', ({ fees }) => fees.map(({ amount, currency }) => formatAmount(amount, currency)).join(' ')],
];

const columns: Columns<Total> = [
  ...intervalColumns,
  ...movedColumns,
  ...(['open', 'excess'] as const).flatMap((name) => sumColumns<Total>(name, (total) => total[name])),
  ...(['created', 'active', 'completed', 'expired', 'partially_paid', 'paid_in_excess'] as const).map(
    (name) => [`sessions_${name}`, ({ sessions }: Total) => String(sessions[name])] as const,
  ),
];

const railColumns: Columns<RailTotal> = [...intervalColumns, ['rail', ({ rail }) => rail], ...movedColumns];

async function* pageOf<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  yield rows;
}

/** Totals by rail, each with the interval and the currency that it is of. */
const byRail = (totals: readonly Total[]): RailTotal[] =>
  totals.flatMap(({ from, to, currency, rails }) => rails.map((each) => ({ from, to, currency, ...each })));

/** The same sums as CSV. */
export const totalsAsCsv = (totals: readonly Total[]): AsyncGenerator<string> =>
  csvOf(columns, pageOf(totals));

/** Those of each rail. */
export const railTotalsAsCsv = (totals: readonly Total[]): AsyncGenerator<string> =>
  csvOf(railColumns, pageOf(byRail(totals)));

const numbers = (...names: readonly string[]): Column[] => names.map((name) => ({ name, isNumber: true }));

/** The time zone whose days a report is about. */
export type Zone = { readonly name: string; readonly dayOf: DayOf };

type Query = Readonly<Record<string, string>>;

const movedNames = numbers('Received', 'of it late', 'Refunded', 'Reversed', 'Left', 'Fees');

/** Cells with the sums, each of which leads to the movements that it has, of the rail that is named. */
function movedCells(moved: Moved, ways: Ways, rail: Query = {}): Content[] {
  const { currency, received, late, refunded, reversed, fees } = moved;
  const rows = (query: Query, content: Content) =>
    linkTo(
      ways.movements,
      { ...query, currency, from: dayOrTime(moved.from), before: dayOrTime(moved.to), ...rail },
      content,
    );
  const sum = (each: Sum, query: Query) => sumCell(each, currency, (amount) => rows(query, amount));
  return [
    sum(received, { type: 'payment' }),
    sum(late, { late: 'true' }),
    sum(refunded, { type: 'refund' }),
    sum(reversed, { type: 'reversal' }),
    leftOf(moved),
    fees.length === 0
      ? '–'
      : fees.map(
          (fee) =>
            html`${rows({ type: 'payment' }, amountOf(fee.amount, fee.currency))}<br><span class="hint">of ${fee.count}</span> `,
        ),
  ];
}

/** An amount that leads to its rows, with their number below it. */
const sumCell = ({ count, amount }: Sum, currency: string, leading: (amount: Content) => Content): Content =>
  count === 0
    ? amountOf(0, currency)
    : html`${leading(amountOf(amount, currency))}<br><span class="hint">${count}</span>`;

export const moneyTable = (totals: readonly Total[], ways: Ways, zone: Zone): Html =>
  table(
    'Money by time and currency',
    [timeIn(zone), ...movedNames],
    totals.map((total) => [timeOf(total, zone), ...movedCells(total, ways)]),
    'No money has moved in this time.',
  );

export const railTable = (totals: readonly Total[], ways: Ways, zone: Zone): Html =>
  table(
    'Money by rail',
    [timeIn(zone), 'Rail', ...movedNames],
    byRail(totals).map((each) => [
      timeOf(each, zone),
      each.rail,
      ...movedCells(each, ways, { rail: each.rail }),
    ]),
  );

/** Stands in the place of a sum of more sessions than are added up. */
const TOO_MANY = 'Choose a shorter time';

export const sessionTable = (totals: readonly Total[], ways: Ways, zone: Zone): Html =>
  table(
    'Sessions by the time of their creation',
    [
      timeIn(zone),
      'Currency',
      ...numbers('Created', 'Active', 'Open', 'Completed', 'Expired', 'Partly paid', 'Excess'),
    ],
    totals.map((total) => {
      const { currency, sessions, open, excess } = total;
      const rows = (query: Query, content: Content) =>
        linkTo(
          ways.sessions,
          {
            ...query,
            invoice_currency: currency,
            'created_at[gte]': dayOrTime(total.from),
            'created_at[lt]': dayOrTime(total.to),
          },
          content,
        );
      const cell = (count: number, query: Query) => (count === 0 ? 0 : rows(query, count));
      // An active session owes nothing only while it has no amount.
      const owing = { status: 'active', 'amount[gte]': decimalAmount(1, currency) };
      return [
        timeOf(total, zone),
        currency,
        cell(sessions.created, {}),
        cell(sessions.active, { status: 'active' }),
        open === null ? TOO_MANY : sumCell(open, currency, (amount) => rows(owing, amount)),
        cell(sessions.completed, { status: 'completed' }),
        cell(sessions.expired, { status: 'expired' }),
        cell(sessions.partially_paid, { partially_paid: 'true' }),
        excess === null
          ? TOO_MANY
          : sumCell(excess, currency, (amount) => rows({ paid_in_excess: 'true' }, amount)),
      ];
    }),
    'No session was created in this time.',
  );

const linkTo = (path: string, query: Query, content: Content): Html =>
  html`<a href="${path}?${String(new URLSearchParams(query))}">${content}</a>`;

/** A time at midnight as its day, which the fields of lists show. */
const dayOrTime = (time: string): string => time.replace('T00:00:00.000Z', '');

const timeIn = ({ name }: Zone): string => `Days (${name})`;

/** First and last day of a time, which begins and ends at midnights of the zone. */
function timeOf({ from, to }: Pick<Total, 'from' | 'to'>, { dayOf }: Zone): string {
  const [first, last] = [dayOf(from), dayOf(new Date(Date.parse(to) - 1).toISOString())];
  return first === last ? first : `${first} – ${last}`;
}

/** Difference of what came and what went back; null for sums that are too large for an exact one. */
function leftOf({ received, refunded, reversed, currency }: Moved): string {
  const left = received.amount - refunded.amount - reversed.amount;
  return Number.isSafeInteger(left) ? amountOf(left, currency) : '–';
}
