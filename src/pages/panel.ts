/** The part of the page that changes with the state of the session: how to pay, or what became of it. */
import {
  type Attempt,
  amountDue,
  amountPaid,
  isInFlight,
  isPaidInExcess,
  isPartiallyPaid,
} from '../checkout/session.ts';
import { type Html, html } from '../html.ts';
import { findMethod } from '../methods/catalogue.ts';
import { SANDBOX } from '../methods/sandbox/sandbox.ts';
import { outwardLink } from './links.ts';
import { isolated } from './locale.ts';
import { payForm } from './pay-form.ts';
import { amountOf, amountText, icon, methodName, paymentMethodName, timeOf } from './pieces.ts';
import { stateOf, type Visit, waitingAttempt } from './visit.ts';

/** `alert` says why what the payer has just asked for was not done, or is null. */
export function panelOf(visit: Visit, alert: string | null): Html {
  return html`<section class="panel" aria-labelledby="state">
${content(visit, alert)}
</section>`;
}

function content(visit: Visit, alert: string | null): Html {
  switch (stateOf(visit)) {
    case 'payable':
      return payable(visit, alert);
    case 'requires_action':
      return step(visit, alert);
    case 'in_progress':
      return inProgress(visit, alert);
    case 'paid':
      return paid(visit, alert);
    case 'expired':
      return expired(visit, alert);
    case 'draft':
    case 'unavailable':
    case 'exhausted':
      return closed(visit, alert);
  }
}

function payable(visit: Visit, alert: string | null): Html {
  const { checkout, locale } = visit;
  const { messages } = locale.language;
  const amounts = [amountPaid(checkout), amountDue(checkout)] as const;
  const [received, remaining] = amounts.map((amount) => amountText(locale, amount, checkout.currency));
  const declined = checkout.attempts.at(-1)?.status === 'failed' ? messages.declined : null;
  return html`<h2 id="state">${messages.howToPay}</h2>
${alertBox(alert ?? declined)}
${isPartiallyPaid(checkout) && html`<p class="note">${messages.partlyPaid(received ?? '', remaining ?? '')}</p>`}
${payForm(visit)}
${paymentList(visit)}
${wayBack(visit)}`;
}

function step(visit: Visit, alert: string | null): Html {
  const { checkout, locale, path } = visit;
  const { messages } = locale.language;
  const attempt = waitingAttempt(checkout);
  const method = findMethod(attempt?.method ?? '');
  const amount = amountText(locale, attempt?.amount ?? 0, checkout.currency);
  const name = method ? methodName(messages, method) : (attempt?.method ?? '');
  return html`${heading('step', messages.stepTitle)}
${alertBox(alert)}
<p>${messages.stepText(isolated(locale, name), amount)}</p>
${attempt?.rail === SANDBOX && decisionForm(visit, attempt)}
<form method="post" action="${path}/cancel_attempt${locale.query}"><button class="quiet">${messages.stepOther}</button></form>
${paymentList(visit)}
${wayBack(visit)}`;
}

function decisionForm({ locale, path }: Visit, { id }: Attempt): Html {
  const { messages } = locale.language;
  return html`<form method="post" action="${path}/step${locale.query}" class="choices" autocomplete="off">
<input type="hidden" name="attempt" value="${id}">
<button class="primary" name="decision" value="succeed">${messages.stepConfirm}</button>
<button name="decision" value="fail">${messages.stepDecline}</button>
</form>`;
}

function inProgress(visit: Visit, alert: string | null): Html {
  const { messages } = visit.locale.language;
  return html`${heading('clock', messages.progressTitle)}
${alertBox(alert)}
<p role="status">${messages.progressText}</p>
<div class="progress" aria-hidden="true"></div>
<p><a href="${visit.path}${visit.locale.query}">${messages.checkAgain}</a></p>
${paymentList(visit)}`;
}

function paid(visit: Visit, alert: string | null): Html {
  const { checkout, locale, payee, path } = visit;
  const { messages } = locale.language;
  const name = isolated(locale, payee);
  const late = checkout.lifecycle.state === 'expired' && checkout.payments.some((payment) => payment.late);
  const excess = amountText(locale, amountPaid(checkout) - checkout.amount, checkout.currency);
  const home = outwardLink(checkout.successUrl);
  return html`${heading('check', messages.paidTitle)}
${alertBox(alert)}
<p role="status">${late ? messages.paidLate(name) : messages.paidText(name)}</p>
${isPaidInExcess(checkout) && html`<p class="note">${messages.paidInExcess(excess, name)}</p>`}
${home !== null && html`<p><a class="button primary" href="${home}">${messages.returnTo(name)}</a></p>`}
${paymentList(visit)}
<p><a href="${path}/receipt${locale.query}">${messages.viewReceipt}</a></p>`;
}

function expired(visit: Visit, alert: string | null): Html {
  const { checkout, locale, payee } = visit;
  const { lifecycle, attempts, payments, currency } = checkout;
  const { messages } = locale.language;
  const name = isolated(locale, payee);
  const byMerchant = lifecycle.state === 'expired' && lifecycle.by === 'merchant';
  const received = amountText(locale, amountPaid(checkout), currency);
  return html`${heading('cross', messages.expiredTitle)}
${alertBox(alert)}
<p role="status">${byMerchant ? messages.expiredByMerchant(name) : messages.expiredByTime} ${messages.expiredAdvice(name)}</p>
${attempts.some(isInFlight) && html`<p class="note">${messages.expiredInProgress}</p>`}
${payments.length > 0 && html`<p class="note">${messages.expiredPartlyPaid(received, name)}</p>`}
${paymentList(visit)}
${wayBack(visit)}`;
}

/** There is nothing to do here now, and no fault of the payer. */
function closed(visit: Visit, alert: string | null): Html {
  const { locale, payee } = visit;
  const { messages } = locale.language;
  const name = isolated(locale, payee);
  const state = stateOf(visit);
  const draft = state === 'draft';
  const text = state === 'exhausted' ? messages.tooManyAttempts(name) : messages.unavailableText(name);
  return html`${heading('pause', draft ? messages.draftTitle : messages.unavailableTitle)}
${alertBox(alert)}
<p role="status">${draft ? messages.draftText(name) : text}</p>
${paymentList(visit)}
${wayBack(visit)}`;
}

function heading(shape: Parameters<typeof icon>[0], text: string): Html {
  return html`${icon(shape)}<h2 id="state">${text}</h2>`;
}

function alertBox(text: string | null): Html | null {
  return text === null ? null : html`<p class="alert" role="alert">${text}</p>`;
}

/** What has been received so far, each payment with its method and time. */
function paymentList({ checkout, locale }: Visit): Html | null {
  const { payments, currency } = checkout;
  if (payments.length === 0) return null;
  const { messages } = locale.language;
  return html`<h3>${messages.payments}</h3>
<ul class="payments">${payments.map(
    (payment) => html`<li>
<span class="name"><bdi>${paymentMethodName(messages, checkout, payment)}</bdi></span>
<span class="price">${amountOf(locale, payment.amount, currency)}</span>
<span class="detail">${timeOf(locale, payment.bookedAt)}</span>
</li>`,
  )}</ul>`;
}

function wayBack({ checkout, locale }: Visit): Html | null {
  const address = outwardLink(checkout.cancelUrl);
  return address === null
    ? null
    : html`<p class="back"><a href="${address}">${locale.language.messages.backToShop}</a></p>`;
}

/** What the title of the window says first. */
export function stateTitle(visit: Visit): string {
  const { messages } = visit.locale.language;
  switch (stateOf(visit)) {
    case 'payable':
      return messages.payTo(visit.payee);
    case 'requires_action':
      return messages.stepTitle;
    case 'in_progress':
      return messages.progressTitle;
    case 'paid':
      return messages.paidTitle;
    case 'expired':
      return messages.expiredTitle;
    case 'draft':
      return messages.draftTitle;
    case 'unavailable':
    case 'exhausted':
      return messages.unavailableTitle;
  }
}
