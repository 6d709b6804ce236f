/** Times that a report is about, as a person asks for them, and the sums of a time. */
import { type DayOf, daysIn } from '../../accounting/movement.ts';
import { tenantNow } from '../../accounts/account.ts';
import { intervalUnits, isCalendarDay, timeOfDays } from '../../lib/intervals.ts';
import type { ApiAnswer, Mistake } from '../api.ts';
import type { Form } from '../form.ts';
import type { Filter } from '../listing.ts';
import type { Visit } from '../screen.ts';
import { periodsAt } from './periods.ts';
import type { Total } from './report.ts';

/** Filters of a report; their names in the API are those of the totals. */
export const reportFilters: readonly Filter[] = [
  { name: 'from', label: 'From', type: 'date', as: 'created_at[gte]' },
  { name: 'before', label: 'Before', type: 'date', as: 'created_at[lt]' },
  { name: 'currency', label: 'Currency', maxlength: 3 },
  {
    name: 'interval',
    label: 'Each',
    choices: [['', 'whole time'], ...intervalUnits.map((unit) => [unit, unit] as const)],
  },
  { name: 'time_zone', label: 'Time zone', maxlength: 64 },
];

/** Names of the filters, those of the API too. */
export const filterNames: readonly string[] = reportFilters.flatMap(({ name, as = name }) => [name, as]);

export type Asked = Form & Readonly<Record<'from' | 'before' | 'time_zone', string>>;

/** The time of the account, by the clock of test mode as well. */
export const nowOf = ({ place }: Visit, realNow: () => number): number =>
  tenantNow(place.account, place.mode, realNow());

/** The query with what a report begins with in the place of what is empty. */
export function askedIn({ query }: Visit, now: number): Asked {
  const { from = '', before = '', time_zone = '' } = query;
  const [usual] = periodsAt(now, dayIn(time_zone));
  const hasNone = from === '' && before === '';
  return {
    ...query,
    from: hasNone ? usual.from : from,
    before: hasNone ? usual.before : before,
    time_zone: time_zone || 'UTC',
  };
}

export async function totalsOf({ api }: Visit, query: Form, time: Times): Promise<ApiAnswer<Total[]>> {
  const { currency = '', interval = '', time_zone = '' } = query;
  const totals = timesOf(time, currency);
  if (interval !== '') totals.set('interval', interval);
  totals.set('time_zone', time_zone);
  const answer = await api.get<Total[]>(`/v3/total?${totals}`);
  if (answer.ok) return answer;
  const isUnit = intervalUnits.some((unit) => unit === interval);
  const mistakes = answer.mistakes.map((each) =>
    each.pointer === '/interval' && !isUnit ? each : (inWords[each.pointer] ?? each),
  );
  return { ...answer, mistakes };
}

/** Mistakes of the totals in words of the screen, which asks for days. */
const inWords: Readonly<Record<string, Mistake>> = {
  '/created_at[gte]': {
    message: 'The sums of this time are too large to be told exactly. Choose a shorter time.',
    pointer: '/before',
  },
  '/interval': {
    message: 'There are too many of them. Choose longer ones, or a shorter time.',
    pointer: '/interval',
  },
};

/** Days in a time zone, or in UTC if nobody knows it: the screen says so then. */
export function dayIn(timeZone = ''): DayOf {
  try {
    return daysIn(timeZone || 'UTC');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return daysIn('UTC');
  }
}

export type Times = { readonly from: number; readonly to: number; readonly lastDay: string };

export function timesOf({ from, to }: Times, currency: string): URLSearchParams {
  const query = new URLSearchParams({
    'created_at[gte]': new Date(from).toISOString(),
    'created_at[lt]': new Date(to).toISOString(),
  });
  if (currency !== '') query.set('currency', currency);
  return query;
}

/** The time of the days, or what is wrong with them. */
export async function timeOf({
  from = '',
  before = '',
  time_zone = '',
}: Form): Promise<Times | { readonly wrong: readonly Mistake[] }> {
  const wrong = [
    ['from', from],
    ['before', before],
  ].flatMap(([name, text = '']) =>
    isCalendarDay(text) ? [] : [{ message: 'This must be a day, such as 2030-01-31.', pointer: `/${name}` }],
  );
  if (wrong.length > 0) return { wrong };
  try {
    daysIn(time_zone);
    const time = await timeOfDays(from, before, time_zone);
    if (time.from < time.to) return time;
    return { wrong: [{ message: 'This must be later than the first day.', pointer: '/before' }] };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'Nobody knows this time zone. One is, for example, Europe/Berlin.';
    return { wrong: [{ message, pointer: '/time_zone' }] };
  }
}

/** The parts of a report that stay where another period is chosen. */
export const keptIn = (query: Form): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['currency', 'interval', 'time_zone'].flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  );
