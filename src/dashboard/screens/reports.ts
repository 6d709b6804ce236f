/** Reports: totals of a time with the rows behind them, on a screen and as CSV. */
import type { DashboardDependencies } from '../dependencies.ts';
import { railTotalsAsCsv, type Total, totalsAsCsv } from '../money/report.ts';
import { askedIn, nowOf, timeOf, totalsOf } from '../money/report-query.ts';
import { reportScreen } from '../money/report-screen.ts';
import type { Declare } from '../screen.ts';

/** Files of the sums, by the ends of their paths. */
const files: ReadonlyArray<
  readonly [path: string, name: string, (totals: readonly Total[]) => AsyncIterable<string>]
> = [
  ['.csv', 'totals', totalsAsCsv],
  ['/rails.csv', 'totals-by-rail', railTotalsAsCsv],
];

export function reportScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const needs = { operation: 'TOTAL.LIST' } as const;
  const root = '/:account/:mode/reports';
  const report = reportScreen(dependencies);

  declare({ method: 'GET', path: root, needs }, (visit) => report(visit));

  for (const [path, title, write] of files) {
    declare({ method: 'GET', path: `${root}${path}`, needs }, async (visit) => {
      const query = askedIn(visit, nowOf(visit, dependencies.realNow));
      const time = await timeOf(query);
      if ('wrong' in time) return report(visit);
      const totals = await totalsOf(visit, query, time);
      if (!totals.ok) return report(visit);
      const { tenant, mode } = visit.place;
      const name = `${title}-${tenant.account}-${mode}-${query.from}-${time.lastDay}.csv`;
      return { file: { name, type: 'text/csv; charset=utf-8', content: write(totals.data) } };
    });
  }
}
