/** A log of changes as a list with filters: of an account and mode, or of the installation. */
import type { representAuditEntry } from '../accounts/representation.ts';
import { type Content, type Html, html } from '../lib/html.ts';
import { isUserId } from '../users/user.ts';
import type { Actors } from './actors.ts';
import type { ApiAnswer } from './api.ts';
import type { Form } from './form.ts';
import { dayFilters, type Filter, filterForm, pager } from './listing.ts';
import { table } from './table.ts';
import { timeIn, wordsOf } from './texts.ts';

export type AuditEntry = ReturnType<typeof representAuditEntry>;

export const auditFilters: readonly Filter[] = [
  { name: 'actor', label: 'By', maxlength: 128 },
  { name: 'action', label: 'Action', maxlength: 64 },
  { name: 'subject', label: 'What changed', maxlength: 128 },
  { name: 'request', label: 'Request id', maxlength: 64, as: 'request_id' },
  ...dayFilters,
];

type Rows = {
  /** The address of the screen with the whole log. */
  readonly here: string;
  readonly nameOf: Actors;
  /** Shows the id of a request; as it is, unless something else is said. */
  readonly requestOf?: (id: string) => Content;
  /** Stands in the place of a table without rows. */
  readonly none: Content;
};

type Given = Omit<Rows, 'none'> & {
  readonly label: string;
  readonly query: Form;
  readonly hint: string;
};

const plainId = (id: string): Content => (id === '' ? '–' : html`<code>${id}</code>`);

/** Changes, each cell of which leads to those that have the same in it. */
export function auditTable(
  label: string,
  entries: readonly AuditEntry[],
  { here, nameOf, requestOf = plainId, none }: Rows,
): Html {
  const only = (name: string, id: string, text: string): Html =>
    html`<a href="${`${here}?${new URLSearchParams([[name, id]])}`}">${text}</a>`;
  const rowOf = ({ created_at: at, actor, action, subject, request_id: request }: AuditEntry) => [
    timeIn(at),
    only('actor', actor, nameOf(actor).name),
    only('action', action, wordsOf(action)),
    only('subject', subject, isUserId(subject) ? nameOf(subject).name : subject),
    requestOf(request),
  ];
  return table(label, ['Time', 'By', 'Action', 'What changed', 'Request'], entries.map(rowOf), none);
}

export function auditList(
  answer: ApiAnswer<readonly AuditEntry[]>,
  { label, query, hint, ...rows }: Given,
): Html {
  const { here } = rows;
  const isMore = answer.ok && answer.nextCursor !== null;
  const none = isMore
    ? 'There is no such change on this page. Look at the older ones.'
    : 'There is no such change.';
  return html`<section>
${filterForm(auditFilters, query, { action: here, mistakes: answer.ok ? [] : answer.mistakes })}
<p class="hint">${hint}</p>
${answer.ok && auditTable(label, answer.data, { ...rows, none })}
${answer.ok && pager(auditFilters, query, { action: here, nextCursor: answer.nextCursor })}</section>`;
}
