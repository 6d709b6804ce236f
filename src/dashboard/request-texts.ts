/** Entries of the log of requests in words, and the ways between them and what they are about. */
import { errorTable } from '../http/error-table.ts';
import type { representRequest } from '../http/request-representation.ts';
import { type Content, type Html, html } from '../lib/html.ts';
import { isUserId } from '../users/user.ts';
import { type Actors, actorLink } from './actors.ts';
import { type Place, pathIn } from './place.ts';
import { stateOf } from './webhook-texts.ts';

export type LoggedRequest = ReturnType<typeof representRequest>;

type Where = { readonly place: Place; readonly basePath: string };

/** Screens about a thing by the prefix of its id, each with the operation that it needs. */
const screens: Readonly<Record<string, readonly [operation: string, way: (id: string) => string]>> = {
  chk: ['CHECKOUT.FETCH', (id) => `sessions/${id}`],
  cus: ['CUSTOMER.FETCH', (id) => `people/${id}`],
  whe: ['WEBHOOK_ENDPOINT.FETCH', (id) => `webhooks/endpoints/${id}`],
  whd: ['WEBHOOK_DELIVERY.FETCH', (id) => `webhooks/deliveries/${id}`],
  ntc: ['BANK_ENTRY.FETCH', (id) => `bank/entries/${id}`],
};

/** The subject of an entry, as a link to its screen where there is one. */
export function subjectLink(subject: string | null, { place, basePath }: Where): Content {
  if (subject === null) return '–';
  const [operation = '', way] = screens[subject.slice(0, 3)] ?? [];
  const shown = html`<code>${subject}</code>`;
  if (way === undefined || !place.may(operation)) return shown;
  return html`<a href="${basePath}${pathIn(place.tenant, way(subject))}">${shown}</a>`;
}

/** The caller: a user by name, a key by its id, with a link to keys. */
export function callerLink(actor: string, actors: Actors, { place, basePath }: Where): Content {
  if (isUserId(actor) || !place.may('API_KEY.LIST')) return actorLink(actors(actor));
  return html`<a href="${basePath}${pathIn(place.tenant, 'keys')}"><code>${actor}</code></a>`;
}

/** The id of a request as the way to what the log has of it; plain for those who may not see it, and a dash for none. */
export function requestLink(id: string, { place, basePath }: Where): Content {
  if (id === '') return '–';
  const shown = html`<code>${id}</code>`;
  if (!place.may('REQUEST.LIST')) return shown;
  return html`<a href="${basePath}${pathIn(place.tenant, `requests/${encodeURIComponent(id)}`)}">${shown}</a>`;
}

export const statusOf = (status: number): Html =>
  stateOf(String(status), status < 400 ? 'good' : status < 500 ? 'warn' : 'bad');

/** Pattern of the path with the id in its place: of others nothing is kept. */
export const pathOf = ({ path, subject }: Pick<LoggedRequest, 'path' | 'subject'>): string =>
  path === '' ? '–' : subject === null ? path : path.replace('{id}', subject);

/** Fields of a refusal, or nothing. */
export const fieldOf = (remarks: string): string =>
  remarks === '' ? '' : remarks.slice(1).replaceAll('/', '.');

/** Advice for whoever is refused so, from the reference of errors. Two reasons may have a code, and differ in their status. */
export function adviceFor(code: number, status: number): Html {
  const rows = Object.values(errorTable).filter((row) => row.code === code);
  const { advice = '' } = rows.find((row) => row.status === status) ?? rows[0] ?? {};
  // Names of the API stand between backticks.
  return html`${advice.split('`').map((each, index) => (index % 2 === 0 ? each : html`<code>${each}</code>`))}`;
}
