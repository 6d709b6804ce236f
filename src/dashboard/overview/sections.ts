/** Parts of the overview: a plot each, the sums that matter beside it, and the table with the numbers of the plot. */

import { currencyExponent } from '../../checkout/money.ts';
import type { representOverview } from '../../checkout/overview.ts';
import { MOST_DELIVERIES, MOST_TIMES } from '../../checkout/overview.ts';
import { type Content, type Html, html } from '../../lib/html.ts';
import { type Column, table } from '../table.ts';
import { amountOf, factsOf } from '../texts.ts';
import type { Period } from './period.ts';
import { bars, shares } from './plots.ts';
import { durationOf, type Interval, paidShare, type Sums, timesToPay, type Whole, wholeOf } from './sums.ts';

type Overview = ReturnType<typeof representOverview>;

export type Shown = {
  readonly period: Period;
  readonly currency: string;
  readonly intervals: readonly Interval[];
  readonly overview: Overview;
};

const count = (value: number): string => value.toLocaleString('en');
const percent = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);
const number = (name: string): Column => ({ name, isNumber: true });
const unitNames = { day: 'Day', week: 'Week from', month: 'Month', year: 'Year' } as const;

/** Name of an interval in a table, and shorter, on an axis. */
const nameOf = ({ unit }: Period, { day }: Interval): string => (unit === 'month' ? day.slice(0, 7) : day);
const labelOf = ({ unit }: Period, { day }: Interval): string =>
  unit === 'month' ? day.slice(0, 7) : day.slice(5);

export function sections(shown: Shown): Html {
  const whole = wholeOf(shown.intervals);
  return html`<div class="columns plots">${volume(shown, whole)}${sessions(shown, whole)}${times(shown, whole)}${webhooks(shown)}</div>`;
}

/** The numbers of a plot, for those who want them exactly, or do not see it. */
const numbers = (label: string, columns: readonly Column[], rows: ReadonlyArray<readonly Content[]>): Html =>
  html`<details class="second"><summary>Numbers: ${label}</summary>${table(label, columns, rows)}</details>`;

function volume({ period, currency, intervals }: Shown, whole: Whole): Html {
  const exponent = currencyExponent(currency) ?? 2;
  const short = new Intl.NumberFormat('en', { style: 'currency', currency, notation: 'compact' });
  const amounts = ({ received, refunded, reversed, late }: Sums | Whole) =>
    [received, refunded, reversed, late].map(({ amount }) => amountOf(amount, currency));
  const [received, refunded, reversed, late] = amounts(whole);
  const tick = (value: number) => short.format(value);
  const isWhole = exponent === 0 ? { isWhole: true as const } : {};
  const plot = { id: 'volume', title: 'Received', tick, ...isWhole };
  const summary = `${received} in ${count(whole.received.count)} payments.`;
  return html`<section><h2>Volume</h2>
${factsOf([
  ['Received', html`<strong>${received}</strong> in ${count(whole.received.count)} payments`],
  ['Refunded', `${refunded} in ${count(whole.refunded.count)}`],
  ['Reversed', `${reversed} in ${count(whole.reversed.count)}`],
  ['Late', `${late} in ${count(whole.late.count)} payments`],
])}
${bars(
  { ...plot, summary },
  intervals.map((each) => ({ label: labelOf(period, each), value: each.received.amount / 10 ** exponent })),
)}
${numbers(
  'volume',
  [unitNames[period.unit], number('Payments'), ...['Received', 'Refunded', 'Reversed', 'Late'].map(number)],
  intervals.map((each) => [nameOf(period, each), count(each.received.count), ...amounts(each)]),
)}</section>`;
}

function sessions({ period, intervals }: Shown, whole: Whole): Html {
  const { created, completed, partially_paid: partial, paid_in_excess: excess } = whole.sessions;
  const paid = `${count(completed)} of ${count(created)} sessions are paid.`;
  return html`<section><h2>Sessions and paid rate</h2>
${factsOf([
  ['Created', count(created)],
  ['Paid of them', html`<strong>${percent(paidShare(whole))}</strong>, ${count(completed)}`],
  ['Partially paid', count(partial)],
  ['Paid in excess', count(excess)],
])}
${bars(
  { id: 'sessions', title: 'Sessions created, and paid of them', summary: paid, tick: count, isWhole: true },
  intervals.map((each) => ({
    label: labelOf(period, each),
    value: each.sessions.created,
    part: each.sessions.completed,
  })),
)}
${shares(
  { id: 'paid-rate', title: 'Paid rate', summary: `${percent(paidShare(whole))} in all.` },
  intervals.map((each) => ({ label: labelOf(period, each), share: paidShare(each) })),
)}
${numbers(
  'sessions and paid rate',
  [unitNames[period.unit], ...['Created', 'Paid', 'Paid rate', 'Partial', 'Excess'].map(number)],
  intervals.map((each) => [
    nameOf(period, each),
    count(each.sessions.created),
    count(each.sessions.completed),
    percent(paidShare(each)),
    count(each.sessions.partially_paid),
    count(each.sessions.paid_in_excess),
  ]),
)}</section>`;
}

function times({ overview }: Shown, whole: Whole): Html {
  const { count: paid, median_ms: median, p90_ms: p90 } = overview.time_to_pay;
  const told = (ms: number | null) => (ms === null ? '–' : durationOf(ms));
  const all = timesToPay(whole);
  return html`<section><h2>Time to pay</h2>
${factsOf([
  ['Half pay within', html`<strong>${told(median)}</strong>`],
  ['Nine of ten within', told(p90)],
  [paid >= MOST_TIMES ? 'The newest of them' : 'Sessions paid', count(paid)],
])}
${bars(
  {
    id: 'times',
    title: 'Sessions by time to pay',
    summary: `Half pay within ${told(median)}, nine of ten within ${told(p90)}.`,
    tick: count,
    isWhole: true,
  },
  all.map(([label, value]) => ({ label, value })),
)}
${numbers(
  'time to pay',
  ['Time to pay', number('Sessions')],
  all.map(([name, value]) => [name, count(value)]),
)}</section>`;
}

function webhooks({ overview: { deliveries } }: Shown): Html {
  const all = Object.entries(deliveries);
  const whole = all.reduce((sum, [, value]) => sum + value, 0);
  const of =
    whole >= MOST_DELIVERIES &&
    html`<p class="hint">Of the newest ${count(MOST_DELIVERIES)} of the period.</p>`;
  return html`<section><h2>Webhooks</h2>
${factsOf([
  [
    'Delivered',
    html`<strong>${percent(whole === 0 ? null : deliveries.delivered / whole)}</strong>, ${count(deliveries.delivered)}`,
  ],
  ['Pending', count(deliveries.pending)],
  ['Failed', count(deliveries.failed)],
])}${of}
${bars(
  {
    id: 'webhooks',
    title: 'Webhooks by state',
    summary: all.map(([name, value]) => `${count(value)} ${name}`).join(', '),
    tick: count,
    isWhole: true,
  },
  all.map(([label, value]) => ({ label, value })),
)}
${numbers(
  'webhooks',
  ['State', number('Webhooks')],
  all.map(([name, value]) => [name, count(value)]),
)}</section>`;
}
