/** Panel: the part of the page that changes with the state of the session, with the way to pay or the result. */
import type { Attempt } from '../checkout/session.ts';
import { amountDue, amountHeld, amountPaid, isInFlight, isPartiallyPaid } from '../checkout/statuses.ts';
import { isolated } from '../i18n/locale.ts';
import { methodName } from '../i18n/method-names.ts';
import { type Html, html } from '../lib/html.ts';
import { findMethod } from '../methods/catalogue.ts';
import { SANDBOX } from '../methods/sandbox/sandbox.ts';
import { outwardLink } from './links.ts';
import { movements } from './movements.ts';
import { payForm } from './pay-form.ts';
import { amountText, icon } from './pieces.ts';
import { type Transfer, transferDetails, transferToDo, transferToShow } from './transfer.ts';
import { addressOf, choiceAddress, stateOf, type Visit, waitingAttempt } from './visit.ts';

/** `alert` explains why the payer's last request was not done, or is null. */
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
  return html`<h2 id="state">${messages.howToPay}</h2>
${alertBox(alert ?? declined(visit))}
${isPartiallyPaid(checkout) && html`<p class="note">${messages.partlyPaid(received ?? '', remaining ?? '')}</p>`}
${payForm(visit)}
${missingList(visit)}
${visit.isChoosing && transferToShow(visit) && html`<p><a href="${addressOf(visit)}">${messages.transfer.back}</a></p>`}
${movements(checkout, locale)}
${wayBack(visit)}`;
}

/** Reason why the payer has to choose again, or null. */
function declined({ checkout, locale }: Visit): string | null {
  return checkout.attempts.at(-1)?.status === 'failed' ? locale.language.messages.declined : null;
}

function step(visit: Visit, alert: string | null): Html {
  const { checkout, locale } = visit;
  const attempt = waitingAttempt(checkout);
  const transfer = transferToDo(visit);
  if (transfer !== null) return transferStep(visit, transfer, alert);
  const { messages } = locale.language;
  const method = findMethod(attempt?.method ?? '');
  const amount = amountText(locale, attempt?.amount ?? 0, checkout.currency);
  const name = method ? methodName(messages, method) : (attempt?.method ?? '');
  return html`${heading('step', messages.stepTitle)}
${alertBox(alert)}
${attempt?.rail === SANDBOX && decision(visit, attempt, isolated(locale, name), amount)}
${visit.leavesPage && wayOn(visit, isolated(locale, name), amount)}
<form method="post" action="${addressOf(visit, '/cancel_attempt')}"><button class="quiet">${messages.stepOther}</button></form>
${movements(checkout, locale)}
${wayBack(visit)}`;
}

function transferStep(visit: Visit, transfer: Transfer, alert: string | null): Html {
  const { checkout, locale, offers } = visit;
  const hasOthers = offers.some(({ method }) => method.id !== transfer.attempt.method);
  return html`${heading('step', transfer.title)}
${alertBox(alert ?? declined(visit))}
${transferDetails(visit, transfer)}
${hasOthers && html`<p><a href="${choiceAddress(visit)}">${locale.language.messages.stepOther}</a></p>`}
${movements(checkout, locale)}
${wayBack(visit)}`;
}

function decision(visit: Visit, { id }: Attempt, name: string, amount: string): Html {
  const { messages } = visit.locale.language;
  return html`<p>${messages.stepText(name, amount)}</p>
<form method="post" action="${addressOf(visit, '/step')}" class="choices" autocomplete="off">
<input type="hidden" name="attempt" value="${id}">
<button class="primary" name="decision" value="succeed">${messages.stepConfirm}</button>
<button name="decision" value="fail">${messages.stepDecline}</button>
</form>`;
}

function inProgress(visit: Visit, alert: string | null): Html {
  const { checkout, locale } = visit;
  const { messages } = locale.language;
  return html`${heading('clock', messages.progressTitle)}
${alertBox(alert)}
<p role="status">${messages.progressText}</p>
<div class="progress" aria-hidden="true"></div>
<p><a href="${addressOf(visit)}">${messages.checkAgain}</a></p>
${movements(checkout, locale)}`;
}

function paid(visit: Visit, alert: string | null): Html {
  const { checkout, locale, payee } = visit;
  const { messages } = locale.language;
  const name = isolated(locale, payee);
  const late = checkout.lifecycle.state === 'expired' && checkout.payments.some((payment) => payment.late);
  // Without what is already going back: nobody has to be asked about that.
  const excess = amountHeld(checkout) - checkout.amount;
  const home = outwardLink(checkout.successUrl);
  return html`${heading('check', messages.paidTitle)}
${alertBox(alert)}
<p role="status">${late ? messages.paidLate(name) : messages.paidText(name)}</p>
${excess > 0 && html`<p class="note">${messages.paidInExcess(amountText(locale, excess, checkout.currency), name)}</p>`}
${home !== null && html`<p><a class="button primary" href="${home}">${messages.returnTo(name)}</a></p>`}
${movements(checkout, locale)}
<p><a href="${addressOf(visit, '/receipt')}">${messages.viewReceipt}</a></p>
<p><a href="${addressOf(visit, '/receipt.pdf')}">${messages.downloadReceipt}</a></p>`;
}

function expired(visit: Visit, alert: string | null): Html {
  const { checkout, locale, payee } = visit;
  const { lifecycle, attempts, currency } = checkout;
  const { messages } = locale.language;
  const name = isolated(locale, payee);
  const byMerchant = lifecycle.state === 'expired' && lifecycle.by === 'merchant';
  const held = amountHeld(checkout);
  return html`${heading('cross', messages.expiredTitle)}
${alertBox(alert)}
<p role="status">${byMerchant ? messages.expiredByMerchant(name) : messages.expiredByTime} ${messages.expiredAdvice(name)}</p>
${attempts.some(mayStillBring) && html`<p class="note">${messages.expiredInProgress}</p>`}
${held > 0 && html`<p class="note">${messages.expiredPartlyPaid(amountText(locale, held, currency), name)}</p>`}
${movements(checkout, locale)}
${wayBack(visit)}`;
}

/** A payment that is under way, or a transfer that may have been sent before the end. */
function mayStillBring(attempt: Attempt): boolean {
  return isInFlight(attempt) || (attempt.traits.standing === true && attempt.status === 'cancelled');
}

/** Panel for a state in which the payer can do nothing, through no fault of their own. */
function closed(visit: Visit, alert: string | null): Html {
  const { checkout, locale, payee } = visit;
  const { messages } = locale.language;
  const name = isolated(locale, payee);
  const state = stateOf(visit);
  const draft = state === 'draft';
  const text = state === 'exhausted' ? messages.tooManyAttempts(name) : messages.unavailableText(name);
  return html`${heading('pause', draft ? messages.draftTitle : messages.unavailableTitle)}
${alertBox(alert)}
<p role="status">${draft ? messages.draftText(name) : text}</p>
${state === 'unavailable' && missingList(visit)}
${movements(checkout, locale)}
${wayBack(visit)}`;
}

function wayOn(visit: Visit, name: string, amount: string): Html {
  const { messages } = visit.locale.language;
  return html`<p>${messages.goOnText(name, amount)}</p>
<p><a class="button primary" href="${addressOf(visit, '/go')}">${messages.goOn}</a></p>`;
}

/** Hint for the operator who tries the service that a setting is missing. Payers are not told names of settings. */
function missingList({ checkout, missing, locale }: Visit): Html | null {
  if (checkout.tenant.mode === 'live' || missing.length === 0) return null;
  return html`<div class="note"><p>${locale.language.messages.notSetUp}:</p><ul>${missing.map((line) => html`<li>${line}</li>`)}</ul></div>`;
}

function heading(shape: Parameters<typeof icon>[0], text: string): Html {
  return html`${icon(shape)}<h2 id="state">${text}</h2>`;
}

function alertBox(text: string | null): Html | null {
  return text === null ? null : html`<p class="alert" role="alert">${text}</p>`;
}

function wayBack({ checkout, locale }: Visit): Html | null {
  const address = outwardLink(checkout.cancelUrl);
  return address === null
    ? null
    : html`<p class="back"><a href="${address}">${locale.language.messages.backToShop}</a></p>`;
}

/** Beginning of the window's title. */
export function stateTitle(visit: Visit): string {
  const { messages } = visit.locale.language;
  switch (stateOf(visit)) {
    case 'payable':
      return messages.payTo(visit.payee);
    case 'requires_action':
      return transferToDo(visit)?.title ?? messages.stepTitle;
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
