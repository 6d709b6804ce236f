/** Columns of the list of sessions: what each of them shows, those that a visitor sees, and the form that chooses them. */
import { type Content, type Html, html } from '../../lib/html.ts';
import { columnsOn } from '../../users/columns.ts';
import { tokenField } from '../document.ts';
import { checkboxes, chosenIn, type Form, hidden, second } from '../form.ts';
import type { Visit } from '../screen.ts';
import { amountOf, timeIn } from '../texts.ts';
import { type Filters, searchOf } from './filters.ts';
import { stateOf } from './states.ts';
import type { Session } from './view.ts';

type Column = {
  readonly label: string;
  readonly isNumber?: true;
  readonly cell: (session: Session) => Content;
};

/** A description may have some thousand characters. */
const SHOWN = 120;

const shortened = (text: string): string =>
  text.length > SHOWN ? `${text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '')}…` : text;

/** These stand below the reference. */
const below: ReadonlyMap<string, Column> = new Map([
  [
    'description',
    { label: 'Description', cell: ({ transaction_description: text }: Session) => shortened(text) },
  ],
  ['payer', { label: 'Payer', cell: ({ customer_details: { name, email } }: Session) => name || email }],
]);

const before: ReadonlyMap<string, Column> = new Map([
  ['created_at', { label: 'Created (UTC)', cell: ({ created_at }: Session) => timeIn(created_at) }],
]);

const behind: ReadonlyMap<string, Column> = new Map<string, Column>([
  ['email', { label: 'E-mail', cell: ({ customer_details: { email } }) => email }],
  ['country', { label: 'Country', cell: ({ customer_details: { country } }) => country }],
  ['payment_methods', { label: 'Methods', cell: ({ payment_methods: methods }) => methods.join(', ') }],
  [
    'amount',
    {
      label: 'Amount',
      isNumber: true,
      cell: ({ amount, invoice_currency: currency }) => amountOf(amount, currency),
    },
  ],
  [
    'amount_paid',
    {
      label: 'Paid',
      isNumber: true,
      cell: ({ amount_paid: paid, invoice_currency: currency }) => paid > 0 && amountOf(paid, currency),
    },
  ],
  ['status', { label: 'Status', cell: ({ status }) => stateOf(status) }],
  [
    'payment_status',
    {
      label: 'Payment',
      cell: ({ payment_status, partially_paid, paid_in_excess }) =>
        html`${stateOf(payment_status)}${partially_paid && html` ${stateOf('partial')}`}${paid_in_excess && html` ${stateOf('excess')}`}`,
    },
  ],
  [
    'expires_at',
    { label: 'Expires (UTC)', cell: ({ expires_at }) => expires_at !== null && timeIn(expires_at) },
  ],
  ['id', { label: 'Id', cell: ({ id }) => html`<code>${id}</code>` }],
]);

/** All that can be chosen, in the order of the list. The reference is the way to a session, and always there. */
const choices: ReadonlyMap<string, Column> = new Map([...before, ...below, ...behind]);

export const usualColumns: readonly string[] = [
  'created_at',
  'description',
  'payer',
  'amount',
  'amount_paid',
  'status',
  'payment_status',
];

/** Those of these names that there are, in the order of the list. */
const knownAmong = (names: readonly string[]): string[] =>
  [...choices.keys()].filter((name) => names.includes(name));

/** The columns that the address asks for, as a saved view does; empty where it asks for none. */
export const askedColumns = ({ columns }: Form): { readonly columns?: string } =>
  columns === undefined ? {} : { columns: knownAmong(columns.split(',')).join(',') };

/** The columns that are shown: those of the address, or those that the visitor has chosen on the account. */
export function columnsFor({ place, query, visitor }: Pick<Visit, 'place' | 'query' | 'visitor'>): string[] {
  const { columns } = askedColumns(query);
  return knownAmong(columns?.split(',') ?? columnsOn(visitor.user, place.account.number) ?? usualColumns);
}

/** The choice that was sent; null for the usual columns. */
export const columnsIn = (form: Form): readonly string[] | null =>
  form.usual === undefined ? knownAmong(chosenIn(form, 'columns')) : null;

/** A form that chooses the columns for the account; the list shows the same filters behind it. */
export function columnsForm(visit: Visit, filters: Filters, path: string): Html {
  const labels = [...choices].map(([name, { label }]) => [name, label] as const);
  return second(
    'Columns',
    html`<form method="post" action="${path}/columns">${tokenField(visit.visitor)}${hidden('query', searchOf(filters).slice(1))}
${checkboxes({
  name: 'columns',
  label: 'Columns of the list',
  choices: labels,
  chosen: columnsFor(visit),
  hint: 'For you, on this account. The reference is always there, with description and payer below it. Exports have all columns.',
})}
<p class="row"><button class="quiet">Show these</button><button class="quiet" name="usual" value="on">Show the usual ones</button></p></form>`,
  );
}

/** The list with these columns. */
export function sessionTable(sessions: readonly Session[], shown: readonly string[], path: string): Html {
  const among = (columns: ReadonlyMap<string, Column>): Column[] =>
    [...columns].flatMap(([name, column]) => (shown.includes(name) ? [column] : []));
  const [first, beside, last] = [among(before), among(below), among(behind)];
  const numbers = ({ isNumber }: Column) => isNumber && html` class="number"`;
  const heads = (columns: readonly Column[]) =>
    columns.map((column) => html`<th${numbers(column)}>${column.label}</th>`);
  const cells = (columns: readonly Column[], session: Session) =>
    columns.map((column) => html`<td${numbers(column)}>${column.cell(session)}</td>`);
  const name = beside.includes(below.get('payer') as Column) ? 'Reference and payer' : 'Reference';
  return html`<div class="scroll card"><table class="dense"><thead><tr>${heads(first)}<th>${name}</th>${heads(last)}</tr></thead><tbody>
${sessions.map((session) => {
  const more = beside.map(({ cell }) => cell(session)).filter(Boolean);
  return html`<tr>${cells(first, session)}<td class="wide"><a data-row href="${path}/${session.id}">${session.reference_id}</a>${
    more.length > 0 &&
    html`<br><span class="hint">${more.map((each, index) => html`${index > 0 && ' · '}${each}`)}</span>`
  }</td>${cells(last, session)}</tr>
`;
})}</tbody></table></div>`;
}
