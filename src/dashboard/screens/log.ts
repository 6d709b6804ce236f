/** The log of changes of an account and mode. */
import type { representAuditEntry } from '../../accounts/representation.ts';
import { type Html, html } from '../../lib/html.ts';
import { actorsOf } from '../actors.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { dayFilters, type Filter, filterForm, pager, queryOf } from '../listing.ts';
import { refused } from '../outcome.ts';
import { pathIn } from '../place.ts';
import type { Declare } from '../screen.ts';
import { table } from '../table.ts';
import { timeIn } from '../texts.ts';

type AuditEntry = ReturnType<typeof representAuditEntry>;

const filters: readonly Filter[] = [
  { name: 'actor', label: 'By', maxlength: 128 },
  { name: 'action', label: 'Action', maxlength: 64 },
  { name: 'subject', label: 'What changed', maxlength: 128 },
  ...dayFilters,
];

export function logScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath } = dependencies;
  declare(
    { method: 'GET', path: '/:account/:mode/log', needs: { operation: 'AUDIT.LIST' } },
    async ({ api, place, query }) => {
      const answer = await api.get<readonly AuditEntry[]>(`/v3/audit${queryOf(filters, query)}`);
      if (!answer.ok && answer.status !== 400) return refused(answer.status, answer.mistakes);
      const nameOf = await actorsOf(dependencies, place);
      const here = `${basePath}${pathIn(place.tenant, 'log')}`;
      const only = (name: string, id: string, text: string): Html =>
        html`<a href="${`${here}?${new URLSearchParams([[name, id]])}`}">${text}</a>`;
      const rowOf = ({ created_at: at, actor, action, subject, request_id: request }: AuditEntry) => [
        timeIn(at),
        only('actor', actor, nameOf(actor).name),
        only('action', action, action.replaceAll('_', ' ')),
        only('subject', subject, subject),
        request === '' ? '–' : html`<code>${request}</code>`,
      ];
      const isMore = answer.ok && answer.nextCursor !== null;
      const none = isMore
        ? 'There is no such change on this page. Look at the older ones.'
        : 'There is no such change.';
      return {
        status: answer.ok ? 200 : 422,
        title: 'Log of changes',
        current: 'log',
        main: html`<section>
${filterForm(filters, query, { action: here, mistakes: answer.ok ? [] : answer.mistakes })}
<p class="hint">By an id of a user or of an API key; or by payer, time, rail or operator. What changed by its id.</p>
${answer.ok && table('Log of changes', ['Time', 'By', 'Action', 'What changed', 'Request'], answer.data.map(rowOf), none)}
${answer.ok && pager(filters, query, { action: here, nextCursor: answer.nextCursor })}</section>`,
      };
    },
  );
}
