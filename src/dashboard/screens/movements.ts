/** The list of movements of money: payments, refunds and reversals, with filters, page by page, and as files. */
import { movementsAsCsv } from '../../accounting/csv.ts';
import { daysIn } from '../../accounting/movement.ts';
import { html } from '../../lib/html.ts';
import { type ApiAnswer, mistakesOf } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { jsonLines, pageOf, pagesFrom } from '../export.ts';
import { askedOf, chips, filterForm, pager, queryOf, searchOf } from '../listing.ts';
import { movementFilters as filters } from '../money/filters.ts';
import { type Movement, moneyWays, movementTable, waysTo } from '../money/view.ts';
import { type Outcome, refused } from '../outcome.ts';
import type { Declare, Visit } from '../screen.ts';

const PAGE = 50;

/** Files that have all movements that match: by their extension, the media type, and what writes them. */
const files = [
  ['csv', 'text/csv; charset=utf-8', (movements) => movementsAsCsv(movements, daysIn('UTC'))],
  ['jsonl', 'application/jsonl; charset=utf-8', jsonLines],
] as const satisfies ReadonlyArray<
  readonly [string, string, (movements: AsyncIterable<readonly Movement[]>) => AsyncIterable<string>]
>;

export function movementScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const needs = { operation: 'MOVEMENT.LIST' } as const;
  const root = '/:account/:mode/movements';

  declare({ method: 'GET', path: root, needs }, async (visit) => {
    const { api, query } = visit;
    const asked = queryOf(filters, query);
    const limit = `${asked === '' ? '?' : '&'}limit=${PAGE}`;
    return list(visit, await api.get<Movement[]>(`/v3/movement${asked}${limit}`));
  });

  for (const [extension, type, write] of files) {
    declare({ method: 'GET', path: `${root}.${extension}`, needs }, async (visit) => {
      const { anew, api, place, query } = visit;
      const all = { path: '/v3/movement', query: askedOf(filters, query) };
      const first = await pageOf<Movement>(api, all, null);
      if (!first.ok) return list(visit, first);
      const name = `movements-${place.tenant.account}-${place.mode}.${extension}`;
      return { file: { name, type, content: write(pagesFrom(anew, all, first)) } };
    });
  }

  function list({ place, query }: Visit, found: ApiAnswer<Movement[]>): Outcome {
    if (!found.ok && found.status !== 400) return refused(found.status, found.mistakes);
    const ways = waysTo(place, basePath);
    const action = ways.movements;
    const isFiltered = searchOf(filters, query) !== '' || query.after !== undefined;
    const empty = isFiltered
      ? html`No movement matches. <a href="${action}">Show all movements</a>`
      : html`No money has moved yet. Payments appear here as soon as they are booked, refunds as soon as they are asked for.`;
    return {
      status: found.ok ? 200 : 422,
      title: 'Money',
      current: 'movements',
      main: html`${moneyWays(place, 'movements', basePath)}
${filterForm(filters, query, { action, mistakes: mistakesOf(found) })}
${chips(filters, query, action)}
<section id="found" data-live>${found.ok && movementTable(found.data, { ways, empty })}</section>
${found.ok && pager(filters, query, { action, nextCursor: found.nextCursor })}
${
  found.ok &&
  found.data.length > 0 &&
  html`<p>Export all${isFiltered && ' that match'}: <a href="${action}.csv${searchOf(filters, query)}">CSV</a> or <a href="${action}.jsonl${searchOf(filters, query)}">JSON Lines</a></p>`
}`,
    };
  }
}
