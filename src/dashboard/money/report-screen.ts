/** The screen of a report: sums of a time with the rows behind them, and the form that exports those. */
import { html } from '../../lib/html.ts';
import { type Mistake, mistakesOf } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { otherMistakes } from '../form.ts';
import { filterForm } from '../listing.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn } from '../place.ts';
import type { Visit } from '../screen.ts';
import { exportForm, formFields } from './export-form.ts';
import { periodsAt } from './periods.ts';
import { moneyTable, railTable, sessionTable, type Total } from './report.ts';
import {
  askedIn,
  dayIn,
  filterNames,
  keptIn,
  nowOf,
  reportFilters,
  timeOf,
  totalsOf,
} from './report-query.ts';
import { moneyWays, waysTo } from './view.ts';

export type ShowReport = (visit: Visit, wrong?: readonly Mistake[]) => Promise<Outcome>;

/** Shows the report that a request asks for, with what is wrong with the request. */
export function reportScreen({ basePath, realNow }: DashboardDependencies): ShowReport {
  return async (visit, wrong = []) => {
    const { place } = visit;
    const now = nowOf(visit, realNow);
    const query = askedIn(visit, now);
    const time = await timeOf(query);
    const totals = 'wrong' in time ? null : await totalsOf(visit, query, time);
    if (totals?.ok === false && totals.status !== 400) return refused(totals.status, totals.mistakes);
    const own = [...wrong, ...('wrong' in time && wrong.length === 0 ? time.wrong : [])];
    const mistakes = totals === null ? own : mistakesOf(totals, own);
    const action = `${basePath}${pathIn(place.tenant, 'reports')}`;
    const ways = waysTo(place, basePath);
    const zone = { name: query.time_zone, dayOf: dayIn(query.time_zone) };
    const search = (further: Readonly<Record<string, string>>) =>
      String(new URLSearchParams({ ...keptIn(query), ...further }));
    const shown = search({ from: query.from, before: query.before });
    const moneyOf = (all: readonly Total[]) => all.filter(hasMoved);
    return {
      status: mistakes.length > 0 ? 422 : 200,
      title: 'Reports',
      current: 'movements',
      main: html`${moneyWays(place, 'reports', basePath)}
${otherMistakes(mistakes, [...filterNames, ...formFields])}
${filterForm(reportFilters, query, { action, mistakes: mistakes.filter(({ pointer }) => filterNames.includes(pointer.slice(1))) })}
<nav class="row" aria-label="Periods">${periodsAt(now, dayIn(query.time_zone)).map(
        ({ name, ...days }) => html`<a href="${action}?${search(days)}">${name}</a>
`,
      )}</nav>
${
  totals?.ok === true &&
  html`<section><h2>Money</h2>${moneyTable(moneyOf(totals.data), ways, zone)}
<p class="hint">What is left is received less refunded and reversed. Fees count where the rail tells them, in their own currency.</p></section>
${totals.data.some(hasMoved) && html`<section><h2>By rail</h2>${railTable(moneyOf(totals.data), ways, zone)}</section>`}
<section><h2>Sessions</h2>${sessionTable(
    totals.data.filter(({ sessions }) => sessions.created > 0),
    ways,
    zone,
  )}
<p class="hint">Sessions that were created in the time, as they are now. Open is what active ones are still owed; excess is what was paid beyond their amounts, even if it went back.</p></section>
<p>These sums as CSV: <a href="${action}.csv?${shown}">all</a> or <a href="${action}/rails.csv?${shown}">by rail</a></p>`
}
${exportForm(query, `${action}/export`, mistakes)}`,
    };
  };
}

const hasMoved = ({ received, refunded, reversed }: Total): boolean =>
  received.count + refunded.count + reversed.count > 0;
