/** The log of requests of an account and mode: those of the last days, and all that is known of one. */
import { type Html, html } from '../../lib/html.ts';
import { type Actors, actorsOf } from '../actors.ts';
import { type ApiAnswer, type ApiCaller, mistakesOf } from '../api.ts';
import { type AuditEntry, auditTable } from '../audit-list.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { chips, dayFilters, type Filter, filterForm, pager, queryOf, searchOf } from '../listing.ts';
import { refused } from '../outcome.ts';
import { type Place, pathIn } from '../place.ts';
import {
  adviceFor,
  callerLink,
  fieldOf,
  type LoggedRequest,
  pathOf,
  requestLink,
  statusOf,
  subjectLink,
} from '../request-texts.ts';
import type { Declare } from '../screen.ts';
import { table } from '../table.ts';
import { factsOf, known, timeIn } from '../texts.ts';

const PAGE = 50;
/** Entries and changes of one request that are shown. */
const OF_ONE = 20;
/** Changes of a request are in the log of changes about as long before and behind it; clocks differ. */
const AROUND_MS = 300_000;

const filters: readonly Filter[] = [
  { name: 'request', label: 'Request id', maxlength: 64, as: 'request_id' },
  { name: 'status', label: 'Status', maxlength: 3 },
  { name: 'operation', label: 'Operation', maxlength: 64 },
  { name: 'actor', label: 'By', maxlength: 128 },
  { name: 'subject', label: 'About the id', maxlength: 128 },
  ...dayFilters,
];

type Where = { readonly place: Place; readonly basePath: string };

export function requestScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath } = dependencies;
  const needs = { operation: 'REQUEST.LIST' } as const;

  declare({ method: 'GET', path: '/:account/:mode/requests', needs }, async ({ api, place, query }) => {
    const asked = queryOf(filters, query);
    const found = await api.get<LoggedRequest[]>(
      `/v3/request${asked}${asked === '' ? '?' : '&'}limit=${PAGE}`,
    );
    if (!found.ok && found.status !== 400) return refused(found.status, found.mistakes);
    const action = `${basePath}${pathIn(place.tenant, 'requests')}`;
    const isFiltered = searchOf(filters, query) !== '' || query.after !== undefined;
    const empty = isFiltered
      ? html`No request matches. <a href="${action}">Show all requests</a>`
      : html`No request yet. Call the API with a key of this account and mode: changes, and whatever is refused, appear here soon, mostly within a second.`;
    const actors = await actorsOf(dependencies, place);
    return {
      status: found.ok ? 200 : 422,
      title: 'Requests',
      current: 'requests',
      main: html`<p class="hint">Changes that were asked for, and what was refused, of the last seven days. Paths that are none are not among them. Each answer of the API has its id in <code>X-Request-Id</code>, and a refusal in <code>request_id</code>. Bodies and values are not kept. A status is one such as <code>409</code>, or <code>4xx</code> for all of its kind.</p>
${filterForm(filters, query, { action, mistakes: mistakesOf(found) })}
${chips(filters, query, action)}
<section id="found" data-live>${found.ok && requestTable(found.data, { place, basePath }, { actors, empty })}</section>
${found.ok && pager(filters, query, { action, nextCursor: found.nextCursor })}`,
    };
  });

  declare({ method: 'GET', path: '/:account/:mode/requests/:id', needs }, async ({ api, params, place }) => {
    const id = params.id ?? '';
    const where = { place, basePath };
    const asked = new URLSearchParams({ request_id: id, limit: String(OF_ONE) });
    const found = await api.get<LoggedRequest[]>(`/v3/request?${asked}`);
    if (!found.ok) return refused(found.status === 400 ? 404 : found.status, found.mistakes);
    const changes = await changesOf(api, place, id, found.data);
    if (changes !== null && !changes.ok) return refused(changes.status, changes.mistakes);
    const actors = await actorsOf(dependencies, place);
    return {
      title: `Request ${id}`,
      current: 'requests',
      main: html`${
        found.data.length === 0
          ? html`<section><p>The log has nothing about this request. It may be older than seven days, or have only read, or its path may be none, or it came without a valid key.</p></section>`
          : found.data.map((entry) => requestIn(entry, where, actors))
      }
${changes?.ok && changesIn(changes, id, where, actors)}`,
    };
  });
}

/** The newest first. */
function requestTable(
  entries: readonly LoggedRequest[],
  where: Where,
  { actors, empty }: { readonly actors: Actors; readonly empty: Html },
): Html {
  const rows = entries.map((entry) => [
    timeIn(entry.created_at),
    statusOf(entry.status),
    entry.operation,
    entry.errors[0] === undefined ? '' : entry.errors[0].message,
    requestLink(entry.request_id, where),
    subjectLink(entry.subject, where),
    callerLink(entry.actor, actors, where),
  ]);
  return table('Requests', ['Time', 'Status', 'Operation', 'Refusal', 'Request', 'About', 'By'], rows, empty);
}

const uses: Readonly<Record<LoggedRequest['idempotency'], string>> = {
  none: 'no',
  key: 'given',
  replayed: 'given before: the stored answer was given again, and nothing was done',
};

function requestIn(entry: LoggedRequest, where: Where, actors: Actors): Html {
  const { status, errors, left_out: leftOut } = entry;
  return html`<section><h2>${entry.operation}</h2>
${factsOf(
  known([
    ['Time', timeIn(entry.created_at) as Html],
    ['Status', statusOf(status)],
    ['Request', html`<code>${entry.method} ${pathOf(entry)}</code>`],
    ['About', html`${subjectLink(entry.subject, where)}`],
    ['By', html`${callerLink(entry.actor, actors, where)}`],
    ['Answered within', `${entry.duration_ms} ms`],
    ['Idempotency key', uses[entry.idempotency]],
    [
      'Left out before it',
      leftOut > 0 &&
        `${leftOut} requests of the same kind: there were more in a minute than the log takes of one kind`,
    ],
  ]),
)}
${errors.length > 0 && html`<h3>Refused, because</h3>${reasonsIn(errors, status)}`}</section>
`;
}

/** The reasons, each with its fields and what to do about it. */
function reasonsIn(errors: LoggedRequest['errors'], status: number): Html {
  const reasons = [...Map.groupBy(errors, ({ code, message }) => `${code} ${message}`).values()];
  return html`<ul>${reasons.map((alike) => {
    const [{ code, message } = { code: 0, message: '' }] = alike;
    const fields = alike.map(({ remarks }) => fieldOf(remarks)).filter((each) => each !== '');
    return html`<li>${message} <span class="hint">Code ${code}</span>${
      fields.length > 0 &&
      html`<p>${fields.map((each, index) => html`${index > 0 && ', '}<code>${each}</code>`)}</p>`
    }<p class="hint">${adviceFor(code, status)}</p></li>
`;
  })}</ul>`;
}

/** Changes with the id of the request, as far as one page of the log of changes finds them; null for who may not see them. */
async function changesOf(
  api: ApiCaller,
  place: Place,
  id: string,
  [newest]: readonly LoggedRequest[],
): Promise<ApiAnswer<AuditEntry[]> | null> {
  if (!place.may('AUDIT.LIST')) return null;
  const asked = new URLSearchParams({ request_id: id, limit: String(OF_ONE) });
  // Changes of test data have the time of its clock.
  if (newest !== undefined && place.mode === 'live')
    asked.set('created_at[lt]', new Date(Date.parse(newest.created_at) + AROUND_MS).toISOString());
  return api.get<AuditEntry[]>(`/v3/audit?${asked}`);
}

function changesIn(
  { data, nextCursor }: { readonly data: AuditEntry[]; readonly nextCursor: string | null },
  id: string,
  { place, basePath }: Where,
  actors: Actors,
): Html {
  const log = `${basePath}${pathIn(place.tenant, 'log')}`;
  const further = `${log}?${new URLSearchParams({ request: id })}`;
  const none =
    nextCursor === null
      ? 'It has changed nothing.'
      : html`None of the newest changes is of this request. <a href="${further}">Search all of them</a>`;
  return html`<section><h2>Changes</h2>
${auditTable('Changes of the request', data, { here: log, nameOf: actors, none })}</section>`;
}
