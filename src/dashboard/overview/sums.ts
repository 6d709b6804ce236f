/** Sums of a period as the overview shows them: interval by interval, and in all. */
import type { representTotal } from '../../checkout/representation.ts';
import { timestamp } from '../../checkout/representation.ts';
import type { Period } from './period.ts';

type Total = ReturnType<typeof representTotal>;

const none = { count: 0, amount: 0 };
const noTimes = {
  within_1_minute: 0,
  within_10_minutes: 0,
  within_1_hour: 0,
  within_1_day: 0,
  within_1_week: 0,
  over_1_week: 0,
};
const noSessions = { created: 0, active: 0, completed: 0, expired: 0, partially_paid: 0, paid_in_excess: 0 };
const empty = {
  received: none,
  late: none,
  refunded: none,
  reversed: none,
  time_to_pay: noTimes,
  sessions: noSessions,
};
export type Sums = typeof empty;
type Counted = Pick<Sums, 'time_to_pay' | 'sessions'>;

const moneyKeys = ['received', 'late', 'refunded', 'reversed'] as const;
/** The amount of many intervals is exact, however large. */
export type Whole = Counted & {
  readonly [K in (typeof moneyKeys)[number]]: { readonly count: number; readonly amount: bigint };
};

/** Sums of an interval, with its first day: `2030-01-31`. */
export type Interval = Sums & { readonly day: string };

/** The intervals of the period, those without anything too, of which the API tells none. */
export function intervalsOf({ intervals }: Period, totals: readonly Total[]): Interval[] {
  const byStart = new Map(totals.map((total) => [total.from, total]));
  return intervals.map(({ from }) => {
    const start = timestamp(from);
    const { received, late, refunded, reversed, time_to_pay, sessions } = byStart.get(start) ?? empty;
    return { day: start.slice(0, 10), received, late, refunded, reversed, time_to_pay, sessions };
  });
}

/** All of it together. */
export function wholeOf(intervals: readonly Interval[]): Whole {
  const sumOf = (key: (typeof moneyKeys)[number]) => ({
    count: intervals.reduce((sum, each) => sum + each[key].count, 0),
    amount: intervals.reduce((sum, each) => sum + BigInt(each[key].amount), 0n),
  });
  return {
    received: sumOf('received'),
    late: sumOf('late'),
    refunded: sumOf('refunded'),
    reversed: sumOf('reversed'),
    time_to_pay: summed(
      noTimes,
      intervals.map((each) => each.time_to_pay),
    ),
    sessions: summed(
      noSessions,
      intervals.map((each) => each.sessions),
    ),
  };
}

function summed<K extends string>(
  zero: Readonly<Record<K, number>>,
  all: ReadonlyArray<Readonly<Record<K, number>>>,
) {
  const sums: Record<K, number> = { ...zero };
  for (const each of all) for (const key of Object.keys(zero) as K[]) sums[key] += each[key];
  return sums;
}

/** Share of the created sessions that are paid; null where none was created. */
export const paidShare = ({ sessions: { created, completed } }: Counted): number | null =>
  created === 0 ? null : completed / created;

/** Numbers of sessions by how long they took to be paid, no session in two of them. */
export function timesToPay({
  time_to_pay: times,
}: Counted): ReadonlyArray<readonly [name: string, count: number]> {
  const { within_1_minute, within_10_minutes, within_1_hour, within_1_day, within_1_week, over_1_week } =
    times;
  return [
    ['≤ 1 min', within_1_minute],
    ['≤ 10 min', within_10_minutes - within_1_minute],
    ['≤ 1 h', within_1_hour - within_10_minutes],
    ['≤ 1 day', within_1_day - within_1_hour],
    ['≤ 1 week', within_1_week - within_1_day],
    ['longer', over_1_week],
  ];
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** A length of time in its two largest units: `1 h 12 min`. */
export function durationOf(ms: number): string {
  let seconds = Math.round(ms / 1000);
  const parts: string[] = [];
  for (const [name, length] of UNITS) {
    const count = Math.floor(seconds / length);
    if (count > 0) parts.push(`${count} ${name}`);
    if (parts.length === 2 || (parts.length === 1 && count === 0)) break;
    seconds -= count * length;
  }
  return parts.join(' ') || 'less than 1 s';
}
