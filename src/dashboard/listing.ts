/** Lists with filters, and pages of them behind one another. */
import { type Html, html } from '../lib/html.ts';
import type { Mistake } from './api.ts';
import { type Field, type Form, field, otherMistakes } from './form.ts';

export type Filter = Omit<Field, 'value'> & {
  /** Its name in the query of the API, if that is another one. */
  readonly as?: string;
};

/** Days of the list, in UTC. */
export const dayFilters: readonly Filter[] = [
  { name: 'from', label: 'From', type: 'date', as: 'created_at[gte]' },
  { name: 'before', label: 'Before', type: 'date', as: 'created_at[lt]' },
];

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

/** The filters that are set, as the API takes them. */
export function askedOf(filters: readonly Filter[], query: Form): URLSearchParams {
  const asked = new URLSearchParams();
  for (const { name, as = name, type } of filters) {
    const text = (query[name] ?? '').trim();
    if (text !== '') asked.set(as, type === 'date' && isDay(text) ? `${text}T00:00:00Z` : text);
  }
  return asked;
}

/** The query of the API for that of a screen. */
export function queryOf(filters: readonly Filter[], query: Form): string {
  const asked = askedOf(filters, query);
  if (query.after) asked.set('after', query.after);
  return asked.size === 0 ? '' : `?${asked}`;
}

/**
 * The query of the page that the visitor sees of a list: `?type=refund&after=...`, empty for the first one. Whoever does
 * something there stays on it.
 */
export function hereIn(query: Form, filters: readonly Filter[] = []): string {
  const here = chosenOf(filters, query);
  if (query.after) here.set('after', query.after);
  return here.size === 0 ? '' : `?${here}`;
}

/** The query of the screen for the filters that are set, and no page: `?type=refund`, or empty. */
export function searchOf(filters: readonly Filter[], query: Form): string {
  const chosen = chosenOf(filters, query);
  return chosen.size === 0 ? '' : `?${chosen}`;
}

function chosenOf(filters: readonly Filter[], query: Form): URLSearchParams {
  const chosen = new URLSearchParams();
  for (const { name } of filters) if (query[name]) chosen.set(name, query[name]);
  return chosen;
}

/** A filter that is set, and the address without it. */
export type Chip = { readonly label: string; readonly value: string | undefined; readonly without: string };

/** Filters that are set, each as a link that removes it. */
export const chipList = (set: readonly Chip[]): Html | false =>
  set.length > 0 &&
  html`<ul class="row chips" aria-label="Filters that are set">${set.map(
    ({ label, value, without }) =>
      html`<li><a class="chip" href="${without}">${label}: ${value}<span class="hidden">, remove</span> <span aria-hidden="true">×</span></a></li>
`,
  )}</ul>`;

/** The filters of the query, as links that remove them. */
export function chips(filters: readonly Filter[], query: Form, action: string): Html | false {
  const set = filters.filter(({ name }) => query[name]);
  const without = (name: string) =>
    searchOf(
      set.filter((each) => each.name !== name),
      query,
    );
  return chipList(
    set.map(({ name, label }) => ({ label, value: query[name], without: action + without(name) })),
  );
}

/** The form of the filters, with the mistakes of the API beside its fields. */
export function filterForm(
  filters: readonly Filter[],
  query: Form,
  {
    action,
    mistakes,
    button = 'Filter',
  }: { readonly action: string; readonly mistakes: readonly Mistake[]; readonly button?: string },
): Html {
  const own = mistakes.map(({ message, pointer }) => {
    const found = filters.find(({ as }) => pointer === `/${as}`);
    return { message, pointer: found === undefined ? pointer : `/${found.name}` };
  });
  const names = filters.map(({ name }) => name);
  return html`${otherMistakes(own, names)}
<form class="filters" method="get" action="${action}">
${filters.map(({ as: _, type, ...each }) => {
  const value = query[each.name];
  // An address may have a time, which a field for a day would not show.
  const isText =
    type === undefined || (type === 'date' && value !== undefined && value !== '' && !isDay(value));
  return field({ ...each, ...(isText ? {} : { type }), value }, own);
})}
<button class="quiet">${button}</button>
</form>`;
}

/** The ways to the next page and to the first one. */
export function pager(
  filters: readonly Filter[],
  query: Form,
  { action, nextCursor }: { readonly action: string; readonly nextCursor: string | null },
): Html | false {
  const first = `${action}${searchOf(filters, query)}`;
  const next = chosenOf(filters, query);
  if (nextCursor !== null) next.set('after', nextCursor);
  return (
    (query.after !== undefined || nextCursor !== null) &&
    html`<nav class="row" aria-label="Pages">${query.after !== undefined && html`<a href="${first}">Newest</a>`}
${nextCursor !== null && html`<a href="${`${action}?${next}`}">Older</a>`}</nav>`
  );
}
