/** Periods that the overview is about: whole days in UTC, the last of which is today. */
import { type IntervalUnit, splitByCalendar } from '../../lib/intervals.ts';

type Choice = { readonly name: string; readonly unit: IntervalUnit } & (
  | { readonly days: number }
  | { readonly months: number }
);

/** By the name that the address has for it. */
const choices: Readonly<Record<string, Choice>> = {
  '7d': { name: '7 days', unit: 'day', days: 7 },
  '30d': { name: '30 days', unit: 'day', days: 30 },
  '90d': { name: '90 days', unit: 'week', days: 90 },
  '12m': { name: '12 months', unit: 'month', months: 12 },
};
export const periodNames: ReadonlyArray<readonly [id: string, name: string]> = Object.entries(choices).map(
  ([id, { name }]) => [id, name],
);
export const USUAL_PERIOD = '30d';

const DAY_MS = 86_400_000;
/** More than any of them has. */
const MOST = 100;

export type Period = {
  readonly unit: IntervalUnit;
  readonly from: number;
  readonly to: number;
  /** Days, weeks or months of it, oldest first. The first week may have begun before. */
  readonly intervals: ReadonlyArray<{ readonly from: number; readonly to: number }>;
};

/** Null for an id that names none. */
export async function periodOf(id: string, now: number): Promise<Period | null> {
  const choice = Object.hasOwn(choices, id) ? choices[id] : undefined;
  if (choice === undefined) return null;
  const { unit } = choice;
  const to = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  const from = 'days' in choice ? to - choice.days * DAY_MS : monthsBefore(now, choice.months - 1);
  return {
    unit,
    from,
    to,
    intervals: await splitByCalendar({ from, to }, { unit, timeZone: 'UTC', most: MOST }),
  };
}

/** Start of the month that is so many before this one. */
function monthsBefore(now: number, months: number): number {
  const today = new Date(now);
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months);
}
