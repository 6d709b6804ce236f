/** Periods of reports: the times that people look at, as days. */
import type { DayOf } from '../../accounting/movement.ts';

export type NamedPeriod = {
  readonly name: string;
  /** First day, such as `2030-01-01`. */
  readonly from: string;
  /** The day behind the last one. */
  readonly before: string;
};

/** Months of a period, by how many of them begin before the one of today. */
const periods = [
  ['This month', 1, 0],
  ['Last month', 1, 1],
  ['This quarter', 3, 0],
  ['Last quarter', 3, 1],
  ['This year', 12, 0],
  ['Last year', 12, 1],
] as const;

/** The periods around a time in milliseconds, by the day that it is on. Reports begin with the first. */
export function periodsAt(now: number, dayOf: DayOf): readonly [NamedPeriod, ...NamedPeriod[]] {
  const today = new Date(`${dayOf(new Date(now).toISOString())}T00:00:00Z`);
  const period = ([name, months, ago]: (typeof periods)[number]): NamedPeriod => {
    const month = today.getUTCMonth();
    const begin = month - (month % months) - ago * months;
    const dayOf = (each: number) =>
      new Date(Date.UTC(today.getUTCFullYear(), each, 1)).toISOString().slice(0, 10);
    return { name, from: dayOf(begin), before: dayOf(begin + months) };
  };
  const [first, ...others] = periods;
  return [period(first), ...others.map(period)];
}
