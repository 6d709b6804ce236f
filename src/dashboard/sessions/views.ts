/** Saved views of the list of sessions: its filters and columns by names that the user has given. */
import { type Content, type Html, html } from '../../lib/html.ts';
import type { View } from '../../users/user.ts';
import { VIEW_NAME_LENGTH, viewsOn } from '../../users/views.ts';
import type { Mistake } from '../api.ts';
import { tokenField } from '../document.ts';
import { type Form, field, hidden, second } from '../form.ts';
import type { Visit } from '../screen.ts';
import { askedColumns, columnsFor } from './columns.ts';
import { type Filters, filtersIn, searchOf } from './filters.ts';

/** Filters that are about a person: a view keeps none of them. */
const personal = ['q', 'customer', 'reference_id'];

/** The filters as a view keeps them; empty if it keeps none of them. */
const keptIn = (filters: Filters): string =>
  searchOf(
    new Map([...filters].filter(([name]) => !personal.includes(name) && !name.startsWith('metadata['))),
  ).slice(1);

/** The query of a view of these filters with these columns; empty if it keeps none of the filters. */
export function viewQuery(filters: Filters, columns: readonly string[]): string {
  const kept = keptIn(filters);
  return kept === '' ? '' : `${kept}&${new URLSearchParams({ columns: columns.join(',') })}`;
}

type Given = {
  readonly filters: Filters;
  /** Columns that are shown. */
  readonly columns: readonly string[];
  /** Path of the list. */
  readonly path: string;
  readonly form: Form;
  readonly mistakes: readonly Mistake[];
};

/** The filters and columns of a view. It may have been saved before there were others, or without any. */
function shownBy(view: View, visit: Visit): string {
  const query = Object.fromEntries(new URLSearchParams(view.query));
  return viewQuery(filtersIn(query), columnsFor({ ...visit, query }));
}

/** The views of the account, and forms that save the filters as one, and remove them. */
export function viewsIn(visit: Visit, { filters, columns, path, form, mistakes }: Given): Content {
  const { place, visitor } = visit;
  const views = viewsOn(visitor.user, place.account.number);
  const query = viewQuery(filters, columns);
  const shown = query === '' ? [] : views.filter((each) => shownBy(each, visit) === query);
  const others = views.filter((each) => !shown.includes(each));
  const token = tokenField(visitor);
  const here = hidden('query', searchOf(filters, askedColumns(visit.query)).slice(1));
  const listed =
    views.length > 0 &&
    html`<nav class="row" aria-label="Saved views">${views.map(
      (each) =>
        html`<a class="chip" href="${path}?${each.query}"${shown.includes(each) && html` aria-current="true"`}>${each.name}</a>
`,
    )}</nav>`;
  // A view that is refused says why, also where nothing else asks for its name.
  const isSaving = mistakes.length > 0 || (query !== '' && shown.length === 0);
  return html`${listed}${shown.map(({ name }) => removing(name))}${isSaving && saving()}${others.length > 0 && second('Remove a view', removingAny())}`;

  function saving(): Html {
    const content = html`<form method="post" action="${path}/views">${token}${hidden('query', searchOf(filters, { columns: columns.join(',') }).slice(1))}
${field({ name: 'view', label: 'Name', value: form.view, maxlength: VIEW_NAME_LENGTH, required: true, hint: 'It keeps the filters and the columns, but no search, customer, reference or metadata. Use no name of a person: erasing them does not find it here.' }, mistakes)}
<button class="quiet">Save</button></form>`;
    return mistakes.length > 0
      ? html`<div class="second">${content}</div>`
      : second('Save as a view', content);
  }

  function removingAny(): Html {
    return html`<form method="post" action="${path}/views/remove">${token}${here}<div class="row">${others.map(
      ({ name }) => html`<button class="quiet" name="view" value="${name}">Remove the view “${name}”</button>
`,
    )}</div></form>`;
  }

  function removing(name: string): Html {
    return html`<form method="post" action="${path}/views/remove">${token}${here}${hidden('view', name)}<button class="quiet">Remove the view “${name}”</button></form>`;
  }
}
