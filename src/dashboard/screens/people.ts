/** People whose data the account keeps: found, shown, exported and erased. */
import type { representCustomer } from '../../checkout/representation.ts';
import { type Html, html } from '../../lib/html.ts';
import type { ApiAnswer, Mistake } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { pageOf } from '../export.ts';
import { otherMistakes, second } from '../form.ts';
import { type Filter, filterForm, pager, queryOf } from '../listing.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused } from '../outcome.ts';
import { personalData, sessionsOf } from '../people/export.ts';
import { pathIn, wayIn } from '../place.ts';
import { removeSeen } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { stateOf } from '../sessions/states.ts';
import { contactOf, type Session } from '../sessions/view.ts';
import { table } from '../table.ts';
import { amountOf, factsOf, known, timeIn } from '../texts.ts';

type Customer = ReturnType<typeof representCustomer>;

const current = 'people';
const root = '/:account/:mode/people';
/** Sessions that the screen of a person shows. */
const SHOWN = 20;

const filters: readonly Filter[] = [
  { name: 'email', label: 'E-mail address', maxlength: 254, hint: 'The whole address.' },
];

const pathTo = ({ params }: Visit): string => `/v3/customer/${encodeURIComponent(params.id ?? '')}`;

export function peopleScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  declare(
    { method: 'GET', path: root, needs: { operation: 'CUSTOMER.LIST' } },
    async ({ api, place, query }) => {
      const answer = await api.get<readonly Customer[]>(`/v3/customer${queryOf(filters, query)}`);
      if (!answer.ok && answer.status !== 400) return refused(answer.status, answer.mistakes);
      const here = `${basePath}${pathIn(place.tenant, current)}`;
      const rowOf = (customer: Customer) => [
        timeIn(customer.created_at),
        html`<a data-row href="${here}/${customer.id}">${customer.name || customer.email || customer.id}</a>`,
        customer.email,
        customer.reference_id,
      ];
      return {
        status: answer.ok ? 200 : 422,
        title: 'People',
        current,
        main: html`<section>
${filterForm(filters, query, { action: here, mistakes: answer.ok ? [] : answer.mistakes })}
${
  answer.ok &&
  table(
    'People',
    ['Known since (UTC)', 'Name', 'E-mail address', 'Your reference'],
    answer.data.map(rowOf),
    query.email
      ? html`Nobody is known by this address. <a href="${basePath}${pathIn(place.tenant, 'sessions')}?${String(new URLSearchParams({ q: query.email }))}">Search the payments for it</a>: a payer may have given another address for one of them.`
      : 'Nobody is known yet. Whoever creates a session with details of its payer, or a customer, adds a person.',
  )
}
${answer.ok && pager(filters, query, { action: here, nextCursor: answer.nextCursor })}</section>`,
      };
    },
  );

  declare({ method: 'GET', path: `${root}/:id`, needs: { operation: 'CUSTOMER.FETCH' } }, (visit) =>
    screen(visit),
  );

  declare(
    { method: 'GET', path: `${root}/:id/export`, needs: { operation: 'CUSTOMER.FETCH' } },
    async (visit) => {
      const { anew, api, place } = visit;
      const mayBank = place.may('BANK_ENTRY.FETCH');
      const customer = await api.get<Customer>(pathTo(visit));
      if (!customer.ok) return refused(customer.status, customer.mistakes);
      const { data } = customer;
      const first = await pageOf<Session>(api, sessionsOf(data.id), null);
      if (!first.ok) return refused(first.status, first.mistakes);
      return {
        file: {
          name: `${data.id}.json`,
          type: 'application/json',
          content: personalData(anew, { customer: data, first, mayBank }),
        },
      };
    },
  );

  declare(
    { method: 'POST', path: `${root}/:id/erase`, needs: { operation: 'CUSTOMER.DELETE', confirmed: true } },
    async (visit) => {
      const erased = await removeSeen(visit.api, pathTo(visit), visit.form);
      if (!erased.ok) return screen(visit, erased);
      return { goTo: wayIn(visit.place.tenant, current), done: doneIf(erased.isChanged, 'person-erased') };
    },
  );

  /** `refusal` is what the API has answered to an action. */
  async function screen(
    visit: Visit,
    refusal?: ApiAnswer<unknown> & { readonly ok: false },
  ): Promise<Outcome> {
    const { api, place } = visit;
    const customer = await api.get<Customer>(pathTo(visit));
    if (!customer.ok) return refused(customer.status, customer.mistakes);
    const { data } = customer;
    const sessions = await api.get<Session[]>(`/v3/checkout?${sessionsOf(data.id).query}&limit=${SHOWN}`);
    if (!sessions.ok) return refused(sessions.status, sessions.mistakes);
    const mistakes: readonly Mistake[] = refusal?.mistakes ?? [];
    const list = `${basePath}${pathIn(place.tenant, 'sessions')}`;
    return {
      status: refusal?.status ?? 200,
      title: data.name || data.email || data.id,
      current,
      main: html`${otherMistakes(mistakes)}
${actions(visit, data, `${basePath}${pathIn(place.tenant, current)}/${data.id}`)}
${personFacts(data)}
<section><h2>Payments</h2>
${table(
  'Payments',
  ['Created (UTC)', 'Reference', { name: 'Amount', isNumber: true }, 'Payment'],
  sessions.data.map((session) => [
    timeIn(session.created_at),
    html`<a data-row href="${list}/${session.id}">${session.reference_id}</a>`,
    amountOf(session.amount, session.invoice_currency),
    stateOf(session.payment_status),
  ]),
  'No session is about this person.',
)}
${sessions.nextCursor !== null && html`<p><a href="${list}?${String(sessionsOf(data.id).query)}">All payments of this person</a></p>`}</section>`,
    };
  }
}

/** The fields of the record that say something. */
const personFacts = (person: Customer): Html => {
  const { phone } = person;
  return html`<section><h2>Person</h2>${factsOf(
    known([
      ['Name', person.name],
      ['E-mail', person.email],
      ['Country', person.country],
      ['Phone', phone && `+${phone.calling_code} ${phone.number}`],
      ...person.billing.map((contact) => ['Billing', contactOf(contact)] as const),
      ...person.shipping.map((contact) => ['Shipping', contactOf(contact)] as const),
      ['Your reference', person.reference_id],
      ...Object.entries(person.metadata).map(
        ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
      ),
      ['Known since', html`${timeIn(person.created_at)} UTC`],
      ['Id', html`<code>${person.id}</code>`],
    ]),
  )}</section>`;
};

const actions = ({ place, visitor }: Visit, { id }: Customer, path: string): Html =>
  html`<div class="row">
<a class="button quiet" href="${path}/export">Export all data (JSON)</a>
${
  place.may('CUSTOMER.DELETE') &&
  second(
    'Erase',
    html`<form method="post" action="${path}/erase">${tokenField(visitor)}
<p>The record <code>${id}</code> is deleted. Name, e-mail address, phone, country and addresses become empty in its sessions and their history, and what receivers answered to webhooks about them.</p>
<p>Amounts, states, references, descriptions and metadata stay: the books must add up. Bank entries stay as the statement has them, and so do backups until they are removed. This cannot be undone.</p>
<button>Erase this person</button></form>`,
  )
}
</div>`;
