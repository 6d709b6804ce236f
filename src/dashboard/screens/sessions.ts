/** The list of sessions: found by every filter of the API, page by page, and exported as a file. */

import { isRefusal } from '../../checkout/refusals.ts';
import { tenantName } from '../../checkout/tenant.ts';
import { type Html, html } from '../../lib/html.ts';
import { type ApiAnswer, type Mistake, mistakesOf } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { executeOnUser } from '../execute.ts';
import { pageOf, piecesOf } from '../export.ts';
import { type Form, formOf, mistake, otherMistakes } from '../form.ts';
import { listKeys } from '../keys.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import type { Declare, Visit } from '../screen.ts';
import { askedColumns, columnsFor, columnsForm, columnsIn, sessionTable } from '../sessions/columns.ts';
import { formats } from '../sessions/export.ts';
import { sessionsFile } from '../sessions/export-queue.ts';
import {
  chips,
  type Filters,
  filterFields,
  filterForm,
  filtersIn,
  queryOf,
  searchOf,
} from '../sessions/filters.ts';
import type { Session } from '../sessions/view.ts';
import { viewQuery, viewsIn } from '../sessions/views.ts';

const PAGE = 50;

/** Subjects of sentences about a view that is refused; all of them stand beside its name. */
const subjects: Readonly<Record<string, string>> = { '/query': 'The view', '/views': 'Your views' };

export function sessionsScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath } = dependencies;
  const needs = { operation: 'CHECKOUT.LIST' } as const;
  const root = '/:account/:mode/sessions';

  declare({ method: 'GET', path: root, needs }, async (visit) => {
    const { api, query: given } = visit;
    const filters = filtersIn(given);
    const { query, mistakes } = queryOf(filters);
    query.append('limit', String(PAGE));
    if (given.after !== undefined) query.append('after', given.after);
    return list(visit, filters, await api.get<Session[]>(`/v3/checkout?${query}`), mistakes);
  });

  for (const format of ['csv', 'jsonl'] as const) {
    declare({ method: 'GET', path: `${root}.${format}`, needs }, async (visit) => {
      const { anew, api, place } = visit;
      const filters = filtersIn(visit.query);
      const { query, mistakes } = queryOf(filters);
      const listed = { path: '/v3/checkout', query };
      if (mistakes.length > 0)
        return list(visit, filters, await pageOf<Session>(api, listed, null), mistakes);
      const first = await piecesOf(api, listed, null);
      if (!first.ok) return list(visit, filters, first, []);
      const name = `sessions-${place.tenant.account}-${place.mode}.${format}`;
      const content = sessionsFile({
        api: anew,
        tenant: tenantName(place.tenant),
        list: listed,
        format,
        first: first.data,
      });
      return { file: { name, type: formats[format].type, content } };
    });
  }

  declare({ method: 'POST', path: `${root}/views`, needs }, async (visit) => {
    const { api, form, place, request, visitor } = visit;
    const shown = shownBy(form);
    const filters = filtersIn(shown);
    const columns = columnsFor({ place, visitor, query: shown });
    const name = (form.view ?? '').trim();
    const view = { account: place.account.number, name, query: viewQuery(filters, columns) };
    const saved = await executeOnUser(dependencies, request, visitor.user.id, { type: 'save_view', view });
    if (!isRefusal(saved)) {
      const done = doneIf(saved.kind === 'change', 'view-saved');
      return { goTo: wayIn(place.tenant, `sessions?${view.query}`), done };
    }
    const mistakes = saved.problems.map(({ detail, pointer }) => ({
      message: `${subjects[pointer] ?? 'The name'} ${detail}.`,
      pointer: '/view',
    }));
    const { query } = queryOf(filters);
    query.append('limit', String(PAGE));
    const found = await api.get<Session[]>(`/v3/checkout?${query}`);
    return list({ ...visit, query: askedColumns(shown) }, filters, found, mistakes);
  });

  declare({ method: 'POST', path: `${root}/columns`, needs }, async ({ form, place, request, visitor }) => {
    const account = place.account.number;
    const columns = columnsIn(form);
    const command = { type: 'choose_columns', account, columns } as const;
    const chosen = await executeOnUser(dependencies, request, visitor.user.id, command);
    if (isRefusal(chosen)) return refused(422, mistake(chosen.detail));
    const done = doneIf(chosen.kind === 'change', 'columns-chosen');
    return { goTo: wayIn(place.tenant, `sessions${searchOf(filtersIn(shownBy(form)))}`), done };
  });

  declare(
    { method: 'POST', path: `${root}/views/remove`, needs },
    async ({ form, place, request, visitor }) => {
      const shown = shownBy(form);
      const view = { account: place.account.number, name: form.view ?? '' };
      const command = { type: 'remove_view', view } as const;
      const removed = await executeOnUser(dependencies, request, visitor.user.id, command);
      if (isRefusal(removed)) return refused(422, mistake(removed.detail));
      const done = doneIf(removed.kind === 'change', 'view-removed');
      const search = searchOf(filtersIn(shown), askedColumns(shown));
      return { goTo: wayIn(place.tenant, `sessions${search}`), done };
    },
  );

  function list(
    visit: Visit,
    filters: Filters,
    found: ApiAnswer<Session[]>,
    own: readonly Mistake[],
  ): Outcome {
    if (!found.ok && found.status !== 400) return refused(found.status, found.mistakes);
    const { form, place, query } = visit;
    const columns = columnsFor(visit);
    const asked = askedColumns(query);
    const path = `${basePath}${pathIn(place.tenant, 'sessions')}`;
    const ofView = own.filter(({ pointer }) => pointer === '/view');
    const mistakes = mistakesOf(found, own).filter((each) => !ofView.includes(each));
    const sessions = found.ok && mistakes.length === 0 ? found.data : [];
    return {
      status: mistakes.length + ofView.length > 0 ? 422 : 200,
      title: 'Payments',
      current: 'sessions',
      main: html`${otherMistakes(mistakes, filterFields)}
${filterForm(filters, path, { mistakes, further: asked, beside: place.may('CHECKOUT.CREATE') && html`<a href="${path}/new">New session</a>` })}
<div id="filters" data-live>${chips(filters, path, asked)}</div>
<div class="parts" id="views">${viewsIn(visit, { filters, columns, path, form, mistakes: ofView })}${columnsForm(visit, filters, path)}</div>
<p class="hidden" role="status" id="told"></p>
<div class="parts" id="found" data-live>${
        sessions.length > 0
          ? sessionTable(sessions, columns, path)
          : mistakes.length === 0 && empty(visit, filters.size > 0 || query.after !== undefined, path)
      }
<nav class="row" aria-label="Pages">
${query.after !== undefined && html`<a href="${path}${searchOf(filters, asked)}">Newest</a>`}
${found.ok && found.nextCursor !== null && html`<a rel="next" href="${path}${searchOf(filters, { ...asked, after: found.nextCursor })}">Older</a>`}
${
  sessions.length > 0 &&
  html`<span>Export all${filters.size > 0 && ' that match'}: <a href="${path}.csv${searchOf(filters)}">CSV</a> or <a href="${path}.jsonl${searchOf(filters)}">JSON Lines</a></span>`
}
</nav></div>
${listKeys({ search: true })}`,
    };
  }
}

/** The query of the list that a form about it was sent from. */
const shownBy = ({ query }: Form): Form => formOf(Object.fromEntries(new URLSearchParams(query)));

function empty({ place }: Visit, isFiltered: boolean, path: string): Html {
  if (isFiltered)
    return html`<div class="card"><p>No session matches.</p><p><a href="${path}">Show all sessions</a></p></div>`;
  return html`<div class="card"><h2>Nobody has been asked for money yet</h2>
<p>${
    place.may('CHECKOUT.CREATE')
      ? html`Create a session, and send its link to a payer. A shop does the same by <code>POST /v3/checkout</code>.`
      : html`Sessions appear here as soon as the shop creates one by <code>POST /v3/checkout</code>.`
  }</p></div>`;
}
