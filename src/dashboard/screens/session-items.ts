/** Making a session, and changing the items of one. */
import { html } from '../../lib/html.ts';
import { actorsOf } from '../actors.ts';
import { amountFrom } from '../amounts.ts';
import { type ApiAnswer, type Mistake, mistakesOf } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { field, keyAfter, onceField, onceIn, otherMistakes } from '../form.ts';
import { doneIf } from '../notices.ts';
import { type Outcome, refused } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { STALE } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { versionField, versionIn } from '../seen.ts';
import { historyList, historyOf } from '../sessions/history.ts';
import {
  type ItemRow,
  itemFields,
  itemForm,
  itemsFrom,
  moreButton,
  rowsIn,
  rowsOf,
} from '../sessions/items.ts';
import { itemsOf, type Session } from '../sessions/view.ts';
import { idIn, sessionWay } from './session.ts';

type Failed = { readonly status: number; readonly mistakes: readonly Mistake[] };

const ROWS = 3;
const MORE = 5;

export function sessionItemsScreens(declare: Declare, dependencies: DashboardDependencies): void {
  const { basePath } = dependencies;
  const root = '/:account/:mode/sessions';
  const create = { operation: 'CHECKOUT.CREATE' } as const;
  const update = { operation: 'CHECKOUT.UPDATE' } as const;

  declare({ method: 'GET', path: `${root}/new`, needs: create }, (visit) => newForm(visit, [], ROWS));

  declare({ method: 'POST', path: `${root}/new`, needs: create }, async (visit) => {
    const { api, form, place } = visit;
    const rows = rowsIn(form);
    if (form.more !== undefined) return newForm(visit, rows, MORE);
    const currency = (form.invoice_currency ?? '').trim();
    const { items, own } = itemsFrom(rows, currency.toUpperCase());
    const body = {
      invoice_currency: currency,
      items,
      amount: amountFrom(form.amount, currency.toUpperCase(), '/amount', own),
      reference_id: form.reference_id,
      customer_details: {
        name: form['customer_details/name'] ?? '',
        email: form['customer_details/email'] ?? '',
      },
    };
    const answer = await api.send<Session>('POST', '/v3/checkout', body, onceIn(form));
    if (!answer.ok) {
      return newForm(visit, rows, ROWS, { status: answer.status, mistakes: mistakesOf(answer, own) });
    }
    return { goTo: wayIn(place.tenant, `sessions/${answer.data.id}`), done: 'session-created' };
  });

  function newForm(visit: Visit, rows: readonly ItemRow[], blanks: number, failed?: Failed): Outcome {
    const { form, visitor, place } = visit;
    const { status = 200, mistakes = [] } = failed ?? {};
    const names = [
      'invoice_currency',
      'amount',
      'reference_id',
      'customer_details/name',
      'customer_details/email',
    ];
    const fieldOf = (name: string, label: string, more: object = {}) =>
      field({ name, label, value: form[name], ...more }, mistakes);
    return {
      status,
      title: 'New session',
      current: 'sessions',
      main: html`${otherMistakes(mistakes, [...names, ...itemFields(rows.length)])}
<form method="post" action="${basePath}${pathIn(place.tenant, 'sessions/new')}">${tokenField(visitor)}${onceField(form.more === undefined ? keyAfter(form, status) : form.once)}
<div class="fields">
${fieldOf('invoice_currency', 'Currency', { maxlength: 3, hint: 'Three letters, such as EUR.' })}
${fieldOf('amount', 'Amount', { inputmode: 'decimal', hint: 'Only if it is not the sum of the items.' })}
${fieldOf('reference_id', 'Reference', { maxlength: 128, hint: 'Such as the number of the invoice.' })}
${fieldOf('customer_details/name', 'Name of the payer', { maxlength: 250 })}
${fieldOf('customer_details/email', 'E-mail of the payer', { type: 'email' })}
</div>
${itemForm(rows, blanks, mistakes)}
<p class="row"><button>Create the session</button>${moreButton}</p>
</form>`,
    };
  }

  const fetched = (visit: Visit): Promise<ApiAnswer<Session>> =>
    visit.api.get<Session>(`/v3/checkout/${idIn(visit)}`);

  declare({ method: 'GET', path: `${root}/:id/items`, needs: update }, async (visit) => {
    const answer = await fetched(visit);
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    return editForm(visit, answer.data, { etag: answer.etag, rows: rowsOf(answer.data), blanks: 1 });
  });

  declare({ method: 'POST', path: `${root}/:id/items`, needs: update }, async (visit) => {
    const { api, form } = visit;
    const now = await fetched(visit);
    if (!now.ok) return refused(now.status, now.mistakes);
    const rows = rowsIn(form);
    const etag = versionIn(form) ?? '';
    if (form.more !== undefined) return editForm(visit, now.data, { etag, rows, blanks: MORE });
    const { items, own } = itemsFrom(rows, now.data.invoice_currency);
    const headers = { ...onceIn(form), 'if-match': etag };
    const answer = await api.send('PUT', `/v3/checkout/${idIn(visit)}`, { items }, headers);
    if (answer.ok) return { goTo: sessionWay(visit), done: doneIf(answer.etag !== etag, 'items-changed') };
    const failed = { status: answer.status, mistakes: mistakesOf(answer, own) };
    if (answer.status !== STALE) return editForm(visit, now.data, { etag, rows, blanks: 1, failed });
    // Somebody was quicker: what they made of it is shown, and the form is for what there is now.
    const { data: session, etag: newest } = await fetched(visit).then((again) => (again.ok ? again : now));
    return editForm(visit, session, {
      etag: newest,
      rows,
      blanks: 1,
      failed,
      meanwhile: await changes(visit),
    });
  });

  /** History of the session, with whoever changed it meanwhile at the top. */
  async function changes({ api, place, params }: Visit) {
    const history = await historyOf(api, place, encodeURIComponent(params.id ?? ''), undefined);
    if (!history.ok)
      return html`<p>It cannot be told now: ${history.mistakes.map(({ message }) => html`${message} `)}</p>`;
    return historyList(history, { place, actors: await actorsOf(dependencies, place), basePath });
  }

  type Shown = {
    readonly etag: string;
    readonly rows: readonly ItemRow[];
    readonly blanks: number;
    readonly failed?: Failed;
    /** Changes since the form was made. */
    readonly meanwhile?: Awaited<ReturnType<typeof changes>>;
  };

  function editForm(
    visit: Visit,
    session: Session,
    { etag, rows, blanks, failed, meanwhile }: Shown,
  ): Outcome {
    const { form, visitor } = visit;
    const { status = 200, mistakes = [] } = failed ?? {};
    const path = `${basePath}/dashboard${sessionWay(visit)}`;
    return {
      status,
      title: 'Edit the items',
      current: 'sessions',
      main: html`${otherMistakes(mistakes, itemFields(rows.length))}
${
  meanwhile &&
  html`<p>Somebody has changed the session since you opened this form. What you typed is kept below: send it again to put it in the place of these items.</p>
${itemsOf(session)}<section><h2>What was done</h2>${meanwhile}</section>`
}
<p>Of <a href="${path}">${session.reference_id}</a>, in ${session.invoice_currency}. The amount becomes the sum of the items. A row that you empty is left out.</p>
<form method="post" action="${path}/items">${tokenField(visitor)}${onceField(form.more === undefined ? keyAfter(form, status) : form.once)}${versionField(etag)}
${itemForm(rows, blanks, mistakes)}
<p class="row"><button>Save the items</button>${moreButton}</p>
</form>`,
    };
  }
}
