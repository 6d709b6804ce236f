/** Reports: totals of a time with the rows behind them, and files for bookkeepers. */
import { bookingsIn, MAX_BOOKINGS } from '../../accounting/datev.ts';
import {
  datevAccounts,
  exportOf,
  type Format,
  fieldsOf,
  formatNames,
  formats,
} from '../../accounting/formats.ts';
import { type DayOf, daysIn } from '../../accounting/movement.ts';
import { tenantNow } from '../../accounts/account.ts';
import { type Html, html } from '../../lib/html.ts';
import { intervalUnits, isCalendarDay, timeOfDays } from '../../lib/intervals.ts';
import { type ApiAnswer, type Mistake, mistakesOf } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { pageOf, pagesFrom } from '../export.ts';
import { type Form, field, hidden, otherMistakes } from '../form.ts';
import { type Filter, filterForm } from '../listing.ts';
import { periodsAt } from '../money/periods.ts';
import { moneyTable, sessionTable, type Total, totalsAsCsv } from '../money/report.ts';
import { type Movement, moneyWays, waysTo } from '../money/view.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn } from '../place.ts';
import type { Declare, Visit } from '../screen.ts';

/** Filters of a report; their names in the API are those of the totals. */
const filters: readonly Filter[] = [
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

/** Names of the fields of formats, which are those of the form behind the name of the format. */
const labels: Readonly<Record<string, string>> = {
  money_account: 'Account of the money',
  income_account: 'Account of what was sold',
  fees_account: 'Account of fees',
  customer_account: 'Account of the customers',
  statement_account: 'Name of the account',
  consultant: 'Number of the consultant (Berater)',
  client: 'Number of the client (Mandant)',
  year_begin: 'First day of the fiscal year',
  account_length: 'Digits of impersonal accounts',
};

export function reportScreens(declare: Declare, { basePath, realNow }: DashboardDependencies): void {
  const root = '/:account/:mode/reports';
  const current = 'movements';

  declare({ method: 'GET', path: root, needs: { operation: 'TOTAL.LIST' } }, (visit) => report(visit));

  declare({ method: 'GET', path: `${root}.csv`, needs: { operation: 'TOTAL.LIST' } }, async (visit) => {
    const query = asked(visit);
    const time = await timeOf(query);
    if ('wrong' in time) return report(visit);
    const totals = await totalsOf(visit, query, time);
    if (!totals.ok) return report(visit);
    const { tenant, mode } = visit.place;
    const name = `totals-${tenant.account}-${mode}-${query.from}-${time.lastDay}.csv`;
    return { file: { name, type: 'text/csv; charset=utf-8', content: totalsAsCsv(totals.data) } };
  });

  declare({ method: 'GET', path: `${root}/export`, needs: { operation: 'MOVEMENT.LIST' } }, async (visit) => {
    const { anew, api, place } = visit;
    const query = asked(visit);
    const time = await timeOf(query);
    if ('wrong' in time) return report(visit, time.wrong);
    const format = formats.find((each) => each === query.format);
    if (format === undefined)
      return report(visit, [{ message: 'format must be one of those below.', pointer: '/format' }]);
    const currency = (query.currency ?? '').toUpperCase();
    const made = exportOf(format, fieldsIn(format, query), {
      ...{ first: query.from, last: time.lastDay, currency, now: nowOf(visit) },
      dayOf: daysIn(query.time_zone),
    });
    if ('problems' in made)
      return report(
        visit,
        made.problems.map((each) => mistakeOf(format, each)),
      );
    if (format === 'datev') {
      // One file has all intervals of a report.
      const totals = await totalsOf(visit, { ...query, interval: '' }, time);
      if (!totals.ok)
        return totals.status === 400
          ? report(visit, totals.mistakes)
          : refused(totals.status, totals.mistakes);
      if (totals.data.some((total) => bookingsIn(total) > MAX_BOOKINGS)) {
        const message = `One file of DATEV has at most ${MAX_BOOKINGS} bookings. Choose a shorter time.`;
        return report(visit, [{ message, pointer: '/format' }]);
      }
    }
    const all = { path: '/v3/movement', query: timesOf(time, currency) };
    const first = await pageOf<Movement>(api, all, null);
    if (!first.ok) return report(visit, mistakesOf(first));
    const { extension, type, write } = made.export;
    const prefix = format === 'datev' ? 'EXTF_' : '';
    const name = `${prefix}${place.tenant.account}-${place.mode}-${query.from}-${time.lastDay}.${extension}`;
    return { file: { name, type, content: write(pagesFrom(anew, all, first)) } };
  });

  const nowOf = ({ place }: Visit) => tenantNow(place.account, place.mode, realNow());

  /** The query with what a report begins with in the place of what is empty. */
  function asked(visit: Visit): Form & Readonly<Record<'from' | 'before' | 'time_zone', string>> {
    const { query } = visit;
    const { from = '', before = '', time_zone = '' } = query;
    const [usual] = periodsAt(nowOf(visit), dayIn(time_zone));
    const hasNone = from === '' && before === '';
    return {
      ...query,
      from: hasNone ? usual.from : from,
      before: hasNone ? usual.before : before,
      time_zone: time_zone || 'UTC',
    };
  }

  async function report(visit: Visit, wrong: readonly Mistake[] = []): Promise<Outcome> {
    const { place } = visit;
    const query = asked(visit);
    const time = await timeOf(query);
    const totals = 'wrong' in time ? null : await totalsOf(visit, query, time);
    if (totals?.ok === false && totals.status !== 400) return refused(totals.status, totals.mistakes);
    const own = [...wrong, ...('wrong' in time && wrong.length === 0 ? time.wrong : [])];
    const mistakes = totals === null ? own : mistakesOf(totals, own);
    const action = `${basePath}${pathIn(place.tenant, 'reports')}`;
    const ways = waysTo(place, basePath);
    const zone = { name: query.time_zone, dayOf: dayIn(query.time_zone) };
    const ofFilters = filters.flatMap(({ name, as = name }) => [name, as]);
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: 'Reports',
      current,
      main: html`${moneyWays(place, 'reports', basePath)}
${otherMistakes(mistakes, [...ofFilters, ...formFields])}
${filterForm(filters, query, { action, mistakes: mistakes.filter(({ pointer }) => ofFilters.includes(pointer.slice(1))) })}
<nav class="row" aria-label="Periods">${periodsAt(nowOf(visit), dayIn(query.time_zone)).map(
        ({
          name,
          ...days
        }) => html`<a href="${action}?${String(new URLSearchParams({ ...kept(query), ...days }))}">${name}</a>
`,
      )}</nav>
${
  totals?.ok === true &&
  html`<section><h2>Money</h2>${moneyTable(totals.data.filter(hasMoved), ways, zone)}
<p class="hint">What is left is received less refunded and reversed. Fees count where the rail tells them, in their own currency.</p></section>
<section><h2>Sessions</h2>${sessionTable(
    totals.data.filter(({ sessions }) => sessions.created > 0),
    ways,
    zone,
  )}
<p class="hint">Sessions that were created in the time, as they are now.</p></section>
<p>These sums as <a href="${action}.csv?${String(new URLSearchParams({ ...kept(query), from: query.from, before: query.before }))}">CSV</a></p>`
}
${exportForm(query, `${action}/export`, mistakes)}`,
    };
  }

  async function totalsOf({ api }: Visit, query: Form, time: Times): Promise<ApiAnswer<Total[]>> {
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
function dayIn(timeZone = ''): DayOf {
  try {
    return daysIn(timeZone || 'UTC');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return daysIn('UTC');
  }
}

type Times = { readonly from: number; readonly to: number; readonly lastDay: string };

function timesOf({ from, to }: Times, currency: string): URLSearchParams {
  const query = new URLSearchParams({
    'created_at[gte]': new Date(from).toISOString(),
    'created_at[lt]': new Date(to).toISOString(),
  });
  if (currency !== '') query.set('currency', currency);
  return query;
}

/** The time of the days, or what is wrong with them. */
async function timeOf({
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

const hasMoved = ({ received, refunded, reversed }: Total): boolean =>
  received.count + refunded.count + reversed.count > 0;

/** The parts of a report that stay where another period is chosen. */
const kept = (query: Form): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['currency', 'interval', 'time_zone'].flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
  );

const nameIn = (format: Format, name: string): string => `${format}.${name}`;

const formFields: readonly string[] = [
  'format',
  ...formats.flatMap((format) => Object.keys(fieldsOf[format]).map((name) => nameIn(format, name))),
];

const fieldsIn = (format: Format, query: Form): Form =>
  Object.fromEntries(Object.keys(fieldsOf[format]).map((name) => [name, query[nameIn(format, name)] ?? '']));

/** A mistake beside its field, which is one of the format or of the report. */
function mistakeOf(
  format: Format,
  { pointer, detail }: { readonly pointer: string; readonly detail: string },
): Mistake {
  const name = pointer.slice(1);
  return Object.hasOwn(fieldsOf[format], name)
    ? { message: `This ${detail}.`, pointer: `/${nameIn(format, name)}` }
    : { message: `This ${detail}.`, pointer };
}

/** Values of DATEV that count where a field is left empty. */
function hintFor(format: Format, name: string): { readonly hint?: string } {
  if (format !== 'datev') return {};
  if (name === 'year_begin') return { hint: 'Leave it empty for January 1.' };
  const usual = Object.entries(datevAccounts).find(([each]) => each === name)?.[1];
  if (usual === undefined) return {};
  const length = name === 'customer_account' ? 'One digit more than the others. ' : '';
  return { hint: `${length}Leave it empty for ${usual}, with zeros behind it where accounts are longer.` };
}

/** Every format with its fields, which are filled with what counts where one is left empty. */
function exportForm(query: Form, action: string, mistakes: readonly Mistake[]): Html {
  const isOpen = (format: Format) =>
    query.format === format && mistakes.some(({ pointer }) => pointer.startsWith(`/${format}.`));
  return html`<section><h2>For bookkeepers</h2>
<p>All payments, refunds, reversals and fees of the time above, as a file that programs of bookkeepers import. CSV and hledger mark refunds that wait for their rail; OFX and DATEV leave them out until they have succeeded.</p>
<form method="get" action="${action}">
${['from', 'before', 'currency', 'interval', 'time_zone'].map((name) => hidden(name, query[name] ?? ''))}
${field({ name: 'format', label: 'Format', value: query.format, choices: formats.map((format) => [format, formatNames[format]] as const) }, mistakes)}
${formats.map((format) => {
  const fields = Object.entries<{ readonly usual: string }>(fieldsOf[format]);
  return (
    fields.length > 0 &&
    html`<details${isOpen(format) && html` open`}><summary>${formatNames[format]}</summary><div class="fields">
${fields.map(([name, { usual }]) =>
  field(
    {
      name: nameIn(format, name),
      label: labels[name] ?? name,
      value: query[nameIn(format, name)] ?? usual,
      ...hintFor(format, name),
    },
    mistakes,
  ),
)}
</div></details>`
  );
})}
<button>Export</button>
</form></section>`;
}
