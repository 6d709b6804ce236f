/** A log of changes as a list with filters: of an account and mode, or of the installation. */
import type { representAuditEntry } from '../accounts/representation.ts';
import { type Html, html } from '../lib/html.ts';
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
  ...dayFilters,
];

type Given = {
  readonly label: string;
  /** The address of the screen. */
  readonly here: string;
  readonly query: Form;
  readonly hint: string;
  readonly nameOf: Actors;
};

export function auditList(
  answer: ApiAnswer<readonly AuditEntry[]>,
  { label, here, query, hint, nameOf }: Given,
): Html {
  const only = (name: string, id: string, text: string): Html =>
    html`<a href="${`${here}?${new URLSearchParams([[name, id]])}`}">${text}</a>`;
  const rowOf = ({ created_at: at, actor, action, subject, request_id: request }: AuditEntry) => [
    timeIn(at),
    only('actor', actor, nameOf(actor).name),
    only('action', action, wordsOf(action)),
    only('subject', subject, isUserId(subject) ? nameOf(subject).name : subject),
    request === '' ? '–' : html`<code>${request}</code>`,
  ];
  const isMore = answer.ok && answer.nextCursor !== null;
  const none = isMore
    ? 'There is no such change on this page. Look at the older ones.'
    : 'There is no such change.';
  const columns = ['Time', 'By', 'Action', 'What changed', 'Request'];
  return html`<section>
${filterForm(auditFilters, query, { action: here, mistakes: answer.ok ? [] : answer.mistakes })}
<p class="hint">${hint}</p>
${answer.ok && table(label, columns, answer.data.map(rowOf), none)}
${answer.ok && pager(auditFilters, query, { action: here, nextCursor: answer.nextCursor })}</section>`;
}
