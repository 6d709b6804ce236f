/** The inbox of bank entries: those that wait for a person, and by a filter all others. */
import { type Content, type Html, html } from '../../lib/html.ts';
import type { ApiCaller } from '../api.ts';
import { type Entry, isUndecided, movedOf, whyOf } from '../bank/entry.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { hidden, onceField } from '../form.ts';
import { listKeys } from '../keys.ts';
import { type Filter, filterForm, pager, queryOf } from '../listing.ts';
import { refused } from '../outcome.ts';
import { pathIn } from '../place.ts';
import type { Declare, Visit } from '../screen.ts';
import { leftField } from '../seen.ts';
import { stateOf } from '../sessions/states.ts';
import type { Session } from '../sessions/view.ts';
import { table } from '../table.ts';
import { amountOf } from '../texts.ts';

/** Few enough that each may be shown with the session that it fits best. */
const PAGE = 25;
const ALL = 'all';

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    choices: [
      ['open', 'waits for a person'],
      ['waiting', 'waits for the bank, or is looked up again'],
      ['done', 'done'],
      ['ignored', 'ignored'],
      [ALL, 'any'],
    ],
  },
];

const columns = [
  'Booked',
  'From and text',
  { name: 'Amount', isNumber: true },
  'Status',
  'May be for',
] as const;

export function bankScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  declare(
    { method: 'GET', path: '/:account/:mode/bank', needs: { operation: 'BANK_ENTRY.LIST' } },
    async (visit) => {
      const { api, place, query: given } = visit;
      const query = { ...given, status: given.status ?? 'open' };
      const asked = queryOf(filters, query.status === ALL ? { ...query, status: '' } : query);
      const separator = asked === '' ? '?' : '&';
      const answer = await api.get<Entry[]>(`/v3/bank_entry${asked}${separator}limit=${PAGE}`);
      if (!answer.ok && answer.status !== 400) return refused(answer.status, answer.mistakes);
      const entries = answer.ok ? answer.data : [];
      const here = `${basePath}${pathIn(place.tenant, 'bank')}`;
      const rows = await Promise.all(entries.map((entry) => rowOf(visit, entry)));
      return {
        status: answer.ok ? 200 : 422,
        title: 'Bank',
        current: 'bank',
        main: html`${place.may('BANK_STATEMENT.LIST') && html`<p><a class="button quiet" href="${here}/statements">Statements</a></p>`}
<section>
${filterForm(filters, query, { action: here, mistakes: answer.ok ? [] : answer.mistakes })}
${answer.ok && table('Bank entries', columns, rows, emptyOf(query.status, here))}
${answer.ok && pager(filters, query, { action: here, nextCursor: answer.nextCursor })}
</section>
${listKeys({ search: false })}`,
      };
    },
  );

  const to = ({ place }: Visit, screen: string) => `${basePath}${pathIn(place.tenant, screen)}`;

  async function rowOf(visit: Visit, entry: Entry): Promise<Content[]> {
    const { counterparty, currency, amount, amount_unassigned: left } = entry;
    const name = counterparty.name || counterparty.account || 'unknown';
    const isDragged = visit.place.may('BANK_ENTRY.ASSIGN') && isUndecided(entry) && left > 0;
    return [
      html`<time>${entry.booked_on}</time>`,
      html`<a data-row href="${to(visit, `bank/entries/${entry.id}`)}"${isDragged && html` data-drag="entry" data-form="${formOf(entry)}" data-amount="${amountOf(left, currency)}"`}>${name}</a><br><span class="hint">${[entry.remittance, entry.creditor_reference].filter(Boolean).join(' · ')}</span>`,
      html`${movedOf(entry)}${left > 0 && left < amount && html`<br><span class="hint">${amountOf(left, currency)} left</span>`}`,
      html`${stateOf(entry.status)}<br><span class="hint">${whyOf(entry)}</span>`,
      isUndecided(entry) ? await suggestionOf(visit, entry) : bookedOf(visit, entry),
    ];
  }

  const bookedOf = (visit: Visit, { parts }: Entry): Content =>
    parts.map(({ payin }) => html`<a href="${to(visit, `sessions/${payin}`)}">${payin}</a> `);

  /** The likeliest session, with the button that assigns the entry to it. */
  async function suggestionOf(visit: Visit, entry: Entry): Promise<Content> {
    const { api, place } = visit;
    const [best, ...others] = entry.suggestions;
    if (best === undefined) return '–';
    const { reference, due } = await shortly(api, best.payin);
    // Several sessions that are named share the money: their amounts are on the screen of the entry.
    const isOne = entry.problem !== 'several_references';
    return html`<a href="${to(visit, `sessions/${best.payin}`)}">${reference}</a>${due && html`, ${due} due`}${
      others.length > 0 && html`<br><span class="hint">and ${others.length} more</span>`
    }${isOne && place.may('BANK_ENTRY.ASSIGN') && assignForm(visit, entry, best.payin, reference)}`;
  }

  /** Name of the form that assigns the entry, to which another session may be dropped. */
  const formOf = ({ id }: Entry): string => `assign-${id}`;

  function assignForm({ place, visitor }: Visit, entry: Entry, payin: string, reference: string): Html {
    return html`<form method="post" action="${basePath}${pathIn(place.tenant, `bank/entries/${entry.id}/assign`)}" id="${formOf(entry)}" data-drop="entry" data-payin="${payin}" data-session="${reference}">${tokenField(visitor)}${onceField()}${leftField(entry.amount_unassigned)}${hidden('parts/0/payin', payin)}<button class="quiet">Assign to ${reference}</button></form>`;
  }
}

/** The name of a session, and what is due for it, as far as the visitor may see it. */
async function shortly(api: ApiCaller, id: string) {
  const answer = await api.get<Session>(`/v3/checkout/${id}`);
  if (!answer.ok) return { reference: id, due: '' };
  const { reference_id, amount, amount_paid, invoice_currency } = answer.data;
  return {
    reference: reference_id || id,
    due: amountOf(Math.max(0, amount - amount_paid), invoice_currency),
  };
}

const emptyOf = (status: string, here: string): Content =>
  status === 'open'
    ? html`Nothing waits for a person. <a href="${here}/statements">Import a statement</a> to see what has come, or <a href="${here}?status=${ALL}">look at all entries</a>.`
    : html`There is no such entry. <a href="${here}">See what waits</a>.`;
