/** Periods of reports: the times that people look at, as days in UTC. */

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

/** The periods around a time in milliseconds, the first of which reports begin with. */
export function periodsAt(now: number): readonly [NamedPeriod, ...NamedPeriod[]] {
  const today = new Date(now);
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
