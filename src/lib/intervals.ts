/** Intervals of a calendar, such as the months in Berlin. */

export const intervalUnits = ['day', 'week', 'month', 'year'] as const;
export type IntervalUnit = (typeof intervalUnits)[number];

/** Times are milliseconds since the epoch. */
type Interval = { readonly from: number; readonly to: number };

const steps = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 }, year: { years: 1 } } as const;

/**
 * The days, weeks (which begin on Monday), months or years that a time goes through, the first and the last one cut off
 * where it begins and ends: so many and one more at most. Rejects with a RangeError if nobody knows the time zone.
 */
export async function splitByCalendar(
  { from, to }: Interval,
  { unit, timeZone, most }: { readonly unit: IntervalUnit; readonly timeZone: string; readonly most: number },
): Promise<Interval[]> {
  // Only reports need it.
  const { Temporal } = await import('temporal-polyfill');
  const first = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone).toPlainDate();
  let start = first;
  if (unit === 'week') start = first.subtract({ days: first.dayOfWeek - 1 });
  if (unit === 'month' || unit === 'year') start = first.with({ day: 1 });
  if (unit === 'year') start = start.with({ month: 1 });
  const intervals: Interval[] = [];
  for (let begun = from; begun < to && intervals.length <= most; ) {
    start = start.add(steps[unit]);
    const end = Math.min(to, start.toZonedDateTime(timeZone).epochMilliseconds);
    intervals.push({ from: begun, to: end });
    begun = end;
  }
  return intervals;
}
