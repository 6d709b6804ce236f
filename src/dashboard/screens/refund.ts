/** A refund: what became of it, and the end that a person gives to one of which no bank will tell. */
import type { representRefund } from '../../checkout/representation.ts';
import { type Content, html } from '../../lib/html.ts';
import { BANK } from '../../methods/bank/receiving-account.ts';
import { type ApiAnswer, type Mistake, mistakesOf } from '../api.ts';
import { subjectLink } from '../bank/entry.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { type Form, field, keyAfter, mistake, onceField, onceIn, otherMistakes } from '../form.ts';
import { waysTo } from '../money/view.ts';
import { type Outcome, refused, refusedAs } from '../outcome.ts';
import { pathIn, wayIn } from '../place.ts';
import { STALE } from '../save.ts';
import type { Declare, Visit } from '../screen.ts';
import { conditionIn, isOtherThanSeen, versionAfter, versionField } from '../seen.ts';
import { stateOf } from '../sessions/states.ts';
import type { Payin } from '../sessions/view.ts';
import { amountOf, factsOf, timeIn } from '../texts.ts';

type Refund = ReturnType<typeof representRefund>;

/** The version of the refund that is shown, and what became of the form before. */
type Shown = { readonly etag: string; readonly status: number; readonly mistakes: readonly Mistake[] };

const notChosen: ApiAnswer<never> = {
  ok: false,
  status: 422,
  mistakes: [{ message: 'Choose what became of it.', pointer: '/status' }],
};

const changedMeanwhile: ApiAnswer<never> = {
  ok: false,
  status: 422,
  mistakes: mistake('The refund has changed meanwhile: see what it is now. Nothing was settled.'),
};

/** True where only fields of the form were wrong, which is about another version than the newest. */
const isAnother = (form: Form, settled: ApiAnswer<unknown> | undefined, newest: string): boolean =>
  settled !== undefined &&
  settled.status < 500 &&
  mistakesOf(settled).every(({ pointer }) => pointer !== '') &&
  isOtherThanSeen(form, newest);

/** The bank entries that ended it: those that carried it out, and the one that brought it back, which is the last. */
function entriesIn(
  { place }: Visit,
  { bank_entries: entries, status }: Refund,
  basePath: string,
): ReadonlyArray<readonly [name: string, value: Content]> {
  const to = (screen: string) => `${basePath}${pathIn(place.tenant, screen)}`;
  const mayLook = place.may('BANK_ENTRY.FETCH');
  return entries.map((id, index) => [
    status === 'failed' && index === entries.length - 1 ? 'Came back with' : 'Carried out by',
    mayLook ? subjectLink(id, { to }) : html`<code>${id}</code>`,
  ]);
}

/** A reference of a refund by bank may be any text: it is typed where somebody settles one by hand. */
const referenceName = ({ status }: Refund, rail: string): string =>
  rail === BANK && status === 'succeeded' ? 'Reference or note' : 'Reference at the rail';

export function refundScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const root = '/:account/:mode/refunds/:id';
  const idIn = ({ params }: Visit) => encodeURIComponent(params.id ?? '');

  declare({ method: 'GET', path: root, needs: { operation: 'REFUND.FETCH' } }, (visit) => screen(visit));

  declare(
    { method: 'POST', path: `${root}/settle`, needs: { operation: 'REFUND.SETTLE', confirmed: true } },
    async (visit) => {
      const { api, form, place, params } = visit;
      const { status, reason = '' } = form;
      if (!status) return screen(visit, notChosen);
      const answer = await api.send(
        'POST',
        `/v3/refund/${idIn(visit)}/settle`,
        { status, reason },
        { ...onceIn(form), ...conditionIn(form) },
      );
      if (answer.ok) return { goTo: wayIn(place.tenant, `refunds/${params.id}`), done: 'refund-settled' };
      return screen(visit, answer.status === STALE ? changedMeanwhile : answer);
    },
  );

  async function screen(visit: Visit, settled?: ApiAnswer<unknown>): Promise<Outcome> {
    const { api, form, place } = visit;
    const answer = await api.get<Refund>(`/v3/refund/${idIn(visit)}`);
    if (!answer.ok) return refused(answer.status, answer.mistakes);
    const { data: refund } = answer;
    const payin = await api.get<Payin>(`/v3/payin/${refund.payin}`);
    if (!payin.ok) return refused(payin.status, payin.mistakes);
    const attempt = payin.data.payment_attempts.find(({ id }) => id === refund.payment_attempt);
    const rail = attempt?.payment_method_details.rail ?? '';
    const isOpen = refund.status === 'pending' && rail === BANK && place.may('REFUND.SETTLE');
    // A refund that is no longer open has no form to mend a mistake in.
    const told = !isOpen && isAnother(form, settled, answer.etag) ? changedMeanwhile : settled;
    const mistakes = told === undefined ? [] : mistakesOf(told);
    const etag = versionAfter(form, answer.etag, told === changedMeanwhile);
    return {
      ...(told === undefined ? {} : { status: refusedAs(told.status) }),
      title: 'Refund',
      current: 'movements',
      main: html`${otherMistakes(mistakes, isOpen ? ['status', 'reason'] : [])}
${factsIn(visit, refund, rail)}
${isOpen && settleForm(visit, { etag, mistakes, status: told?.status ?? 200 })}`,
    };
  }

  function fileIn({ place }: Visit, { payment_file: file, status }: Refund): Content {
    if (file === '') return status === 'pending' ? 'In none yet' : 'In none';
    return place.may('PAYMENT_FILE.FETCH')
      ? html`<a href="${basePath}${pathIn(place.tenant, 'payment-files')}/${file}">${file}</a>`
      : html`<code>${file}</code>`;
  }

  function factsIn(visit: Visit, refund: Refund, rail: string) {
    const { place } = visit;
    const { payin, reference, status_description: why } = refund;
    const { sessions } = waysTo(place, basePath);
    return factsOf([
      ['Amount', amountOf(refund.amount, refund.currency)],
      ['State', html`${stateOf(refund.status)} ${why}`],
      ['Session', html`<a href="${sessions}/${payin}">${refund.reference_id}</a>`],
      ['Created', html`${timeIn(refund.created_at)} UTC`],
      ['Rail', rail],
      ...(rail === BANK ? [['Payment file', fileIn(visit, refund)] as const] : []),
      ...entriesIn(visit, refund, basePath),
      [referenceName(refund, rail), reference || '–'],
      ['Reason', refund.reason || '–'],
      ['Remarks', refund.remarks || '–'],
      ['Id', html`<code>${refund.id}</code>`],
    ]);
  }

  function settleForm(visit: Visit, { etag, mistakes, status }: Shown) {
    const { form, place, params, visitor } = visit;
    const ends = [
      ['', 'Choose one'],
      ['succeeded', 'The money went back'],
      ['failed', 'It will not go back'],
    ] as const;
    return html`<section><h2>Settle it by hand</h2>
<p>A refund by bank is settled by the statement that shows it. Do it yourself only for one that no statement will show: you paid it in another way, or the bank has refused it.</p>
<form method="post" action="${basePath}${pathIn(place.tenant, `refunds/${params.id}`)}/settle">${tokenField(visitor)}${onceField(keyAfter(form, status))}${versionField(etag)}
${field({ name: 'status', label: 'What became of it', value: form.status, choices: ends }, mistakes)}
${field({ name: 'reason', label: 'Reason, or how the money went back', value: form.reason, maxlength: 250 }, mistakes)}
<button>Settle the refund</button>
</form></section>`;
  }
}
