/** Exports of movements in the formats of bookkeepers. */
import { bookingsIn, MAX_BOOKINGS } from '../../accounting/datev.ts';
import { exportOf, formats } from '../../accounting/formats.ts';
import { daysIn, endBehind } from '../../accounting/movement.ts';
import { mistakesOf } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { pageOf, pagesFrom } from '../export.ts';
import { fieldsIn, mistakeOf } from '../money/export-form.ts';
import { askedIn, nowOf, timeOf, timesOf, totalsOf } from '../money/report-query.ts';
import { reportScreen } from '../money/report-screen.ts';
import type { Movement } from '../money/view.ts';
import { refused } from '../outcome.ts';
import type { Declare } from '../screen.ts';

export function exportScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const path = '/:account/:mode/reports/export';
  const report = reportScreen(dependencies);

  declare({ method: 'GET', path, needs: { operation: 'MOVEMENT.LIST' } }, async (visit) => {
    const { anew, api, place } = visit;
    const now = nowOf(visit, dependencies.realNow);
    const query = askedIn(visit, now);
    const time = await timeOf(query);
    if ('wrong' in time) return report(visit, time.wrong);
    const format = formats.find((each) => each === query.format);
    if (format === undefined)
      return report(visit, [{ message: 'format must be one of those below.', pointer: '/format' }]);
    const currency = (query.currency ?? '').toUpperCase();
    const made = exportOf(format, fieldsIn(format, query), {
      ...{ first: query.from, last: time.lastDay, currency, now },
      dayOf: daysIn(query.time_zone),
    });
    if ('problems' in made)
      return report(
        visit,
        made.problems.map((each) => mistakeOf(format, each)),
      );
    const all = { path: '/v3/movement', query: timesOf(time, currency) };
    const first = await pageOf<Movement>(api, all, null);
    if (!first.ok) return report(visit, mistakesOf(first));
    if (format === 'datev') {
      // One file has all intervals of a report, and nothing that has come behind its first page.
      const to = endBehind(first.data, time.to);
      const totals = await totalsOf(visit, { ...query, interval: '' }, { ...time, to });
      if (!totals.ok)
        return totals.status === 400
          ? report(visit, totals.mistakes)
          : refused(totals.status, totals.mistakes);
      if (totals.data.some((total) => bookingsIn(total) > MAX_BOOKINGS)) {
        const message = `One file of DATEV has at most ${MAX_BOOKINGS} bookings. Choose a shorter time.`;
        return report(visit, [{ message, pointer: '/format' }]);
      }
    }
    const { extension, type, write } = made.export;
    const prefix = format === 'datev' ? 'EXTF_' : '';
    const name = `${prefix}${place.tenant.account}-${place.mode}-${query.from}-${time.lastDay}.${extension}`;
    return { file: { name, type, content: write(pagesFrom(anew, all, first)) } };
  });
}
