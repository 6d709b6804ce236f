/** Money of a session: giving it back, and paying in test mode. */
import { html } from '../../lib/html.ts';
import { amountFrom } from '../amounts.ts';
import { type ApiAnswer, type Mistake, mistakesOf } from '../api.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { tokenField } from '../document.ts';
import { field, keyAfter, onceField, onceIn, otherMistakes } from '../form.ts';
import { waysTo } from '../money/view.ts';
import { notFound, type Outcome, refused } from '../outcome.ts';
import type { Declare, Visit } from '../screen.ts';
import { leftAfter, leftField, leftIn } from '../seen.ts';
import { type Payin, refundableOf, returnsOf } from '../sessions/view.ts';
import { amountOf, wordsOf } from '../texts.ts';
import { idIn, mayTestPay, sessionWay } from './session.ts';

type Failed = { readonly status: number; readonly mistakes: readonly Mistake[] };

const leftOf = (payin: Payin): number => Math.max(0, refundableOf(payin));

const withoutAmount: Failed = {
  status: 400,
  mistakes: [{ message: 'The form came without its amount.', pointer: '/amount' }],
};

/** A form is for the money that was left when it was made: a refund or a reversal may have come between. */
const isOfLeft = ({ pointer }: Mistake): boolean => pointer === '/amount_left';

export function sessionMoneyScreens(declare: Declare, { basePath }: DashboardDependencies): void {
  const root = '/:account/:mode/sessions/:id';

  const payinOf = (visit: Visit): Promise<ApiAnswer<Payin>> =>
    visit.api.get<Payin>(`/v3/payin/${idIn(visit)}`);

  const failureOf = (answer: ApiAnswer<unknown>, own: readonly Mistake[]): Failed => ({
    status: answer.status,
    mistakes: mistakesOf(answer, own),
  });

  declare({ method: 'GET', path: `${root}/refund`, needs: { operation: 'REFUND.CREATE' } }, async (visit) => {
    const payin = await payinOf(visit);
    return payin.ok ? refundForm(visit, payin.data) : refused(payin.status, payin.mistakes);
  });

  declare(
    { method: 'POST', path: `${root}/refund`, needs: { operation: 'REFUND.CREATE', confirmed: true } },
    async (visit) => {
      const { api, form } = visit;
      const payin = await payinOf(visit);
      if (!payin.ok) return refused(payin.status, payin.mistakes);
      const { id, invoice_currency: currency } = payin.data;
      // An empty amount gives everything back: a form that has lost its amount does not.
      if (form.amount === undefined) return refundForm(visit, payin.data, withoutAmount);
      const own: Mistake[] = [];
      const amount = amountFrom(form.amount, currency, '/amount', own);
      const { payment_attempt = '', reason = '' } = form;
      const body = { payin: id, currency, amount, amount_left: leftIn(form), payment_attempt, reason };
      const answer = await api.send('POST', '/v3/refund', body, onceIn(form));
      if (answer.ok) return { goTo: sessionWay(visit), done: 'refund-created' };
      const failed = failureOf(answer, own);
      if (!failed.mistakes.some(isOfLeft)) return refundForm(visit, payin.data, failed);
      // Somebody was quicker: what went back is shown, and the form is for what is left now.
      const { data: now } = await payinOf(visit).then((again) => (again.ok ? again : payin));
      const message = `Since you opened this form, what can go back has become ${amountOf(leftOf(now), currency)}: see what came between.`;
      const mistakes = failed.mistakes.map((each) => (isOfLeft(each) ? { ...each, message } : each));
      return refundForm(visit, now, { ...failed, mistakes });
    },
  );

  function refundForm(visit: Visit, payin: Payin, failed?: Failed): Outcome {
    const { form, place, visitor } = visit;
    const { status = 200, mistakes = [] } = failed ?? {};
    const currency = payin.invoice_currency;
    const attempts = payin.payment_attempts.filter((attempt) => attempt.status === 'succeeded');
    const left = leftOf(payin);
    const isStale = mistakes.some(isOfLeft);
    const amountHint = 'Leave it empty to give back all that is left.';
    return {
      status,
      title: 'Refund',
      current: 'sessions',
      main: html`${otherMistakes(mistakes, ['amount', 'payment_attempt', 'reason'])}
<p>Of <a href="${basePath}/dashboard${sessionWay(visit)}">${payin.reference_id}</a>, ${amountOf(payin.amount_paid, currency)} is paid, and ${amountOf(left, currency)} can go back.</p>
${isStale && returnsOf(payin, waysTo(place, basePath).refunds)}
<form method="post" action="${basePath}/dashboard${sessionWay(visit)}/refund">${tokenField(visitor)}${onceField(keyAfter(form, status))}${leftField(leftAfter(form, left, isStale))}
${field({ name: 'amount', label: `Amount in ${currency}`, value: form.amount, inputmode: 'decimal', hint: amountHint }, mistakes)}
${
  attempts.length > 1 &&
  field(
    {
      name: 'payment_attempt',
      label: 'Payment',
      value: form.payment_attempt,
      choices: [
        ['', 'the newest one with enough money'],
        ...attempts.map(
          ({ id, amount, payment_method_details: { type } }) =>
            [id, `${amountOf(amount, currency)} by ${wordsOf(type)}, ${id}`] as const,
        ),
      ],
    },
    mistakes,
  )
}
${field({ name: 'reason', label: 'Reason', value: form.reason, maxlength: 250 }, mistakes)}
<button>Refund</button>
</form>`,
    };
  }

  const needsPay = { operation: 'TEST_HELPER.PAY' } as const;

  declare({ method: 'GET', path: `${root}/pay`, needs: needsPay }, async (visit) => {
    if (!mayTestPay(visit.place)) return notFound;
    const payin = await payinOf(visit);
    return payin.ok ? payForm(visit, payin.data) : refused(payin.status, payin.mistakes);
  });

  declare({ method: 'POST', path: `${root}/pay`, needs: needsPay }, async (visit) => {
    const { api, form, place } = visit;
    if (!mayTestPay(place)) return notFound;
    const payin = await payinOf(visit);
    if (!payin.ok) return refused(payin.status, payin.mistakes);
    const { id, invoice_currency: currency } = payin.data;
    const own: Mistake[] = [];
    const body = { amount: amountFrom(form.amount, currency, '/amount', own), outcome: form.outcome };
    const answer = await api.send('POST', `/v3/test_helpers/checkout/${id}/pay`, body, onceIn(form));
    if (answer.ok) return { goTo: sessionWay(visit), done: 'test-paid' };
    return payForm(visit, payin.data, failureOf(answer, own));
  });

  function payForm(visit: Visit, payin: Payin, failed?: Failed): Outcome {
    const { form, visitor } = visit;
    const { status = 200, mistakes = [] } = failed ?? {};
    const outcomes = ['succeeded', 'failed', 'requires_action', 'processing', 'unknown'];
    return {
      status,
      title: 'Pay as a test',
      current: 'sessions',
      main: html`${otherMistakes(mistakes, ['amount', 'outcome'])}
<p>As if a payer had paid <a href="${basePath}/dashboard${sessionWay(visit)}">${payin.reference_id}</a>. No money moves.</p>
<form method="post" action="${basePath}/dashboard${sessionWay(visit)}/pay">${tokenField(visitor)}${onceField(keyAfter(form, status))}
${field({ name: 'amount', label: `Amount in ${payin.invoice_currency}`, value: form.amount, inputmode: 'decimal', hint: 'Leave it empty to pay all that is due.' }, mistakes)}
${field({ name: 'outcome', label: 'Outcome', value: form.outcome, choices: outcomes.map((each) => [each, wordsOf(each)] as const) }, mistakes)}
<button>Pay</button>
</form>`,
    };
  }
}
