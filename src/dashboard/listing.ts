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

/** The query of the API for that of a screen. */
export function queryOf(filters: readonly Filter[], query: Form): string {
  const asked = new URLSearchParams();
  for (const { name, as = name, type } of filters) {
    const text = (query[name] ?? '').trim();
    if (text !== '')
      asked.set(as, type === 'date' && /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  }
  if (query.after) asked.set('after', query.after);
  return asked.size === 0 ? '' : `?${asked}`;
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
${filters.map(({ as: _, ...each }) => field({ ...each, value: query[each.name] }, own))}
<button class="quiet">${button}</button>
</form>`;
}

/** The ways to the next page and to the first one. */
export function pager(
  filters: readonly Filter[],
  query: Form,
  { action, nextCursor }: { readonly action: string; readonly nextCursor: string | null },
): Html | false {
  const chosen = new URLSearchParams();
  for (const { name } of filters) if (query[name]) chosen.set(name, query[name]);
  const first = chosen.size === 0 ? action : `${action}?${chosen}`;
  const next = new URLSearchParams(chosen);
  if (nextCursor !== null) next.set('after', nextCursor);
  return (
    (query.after !== undefined || nextCursor !== null) &&
    html`<nav class="row" aria-label="Pages">${query.after !== undefined && html`<a href="${first}">Newest</a>`}
${nextCursor !== null && html`<a href="${`${action}?${next}`}">Older</a>`}</nav>`
  );
}
