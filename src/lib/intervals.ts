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

/** True for a day of the calendar, such as `2030-01-31`. */
export function isCalendarDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * A time of whole days: from the beginning of the first one to that of the day behind the last one. Days are texts such as
 * `2030-01-31`. Rejects with a RangeError if nobody knows a day or the time zone.
 */
export async function timeOfDays(
  from: string,
  before: string,
  timeZone: string,
): Promise<Interval & { readonly lastDay: string }> {
  const { Temporal } = await import('temporal-polyfill');
  const [first, behind] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(before)];
  const beginOf = (day: typeof first) => day.toZonedDateTime(timeZone).epochMilliseconds;
  return { from: beginOf(first), to: beginOf(behind), lastDay: behind.subtract({ days: 1 }).toString() };
}
