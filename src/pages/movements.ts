/** Payments and refunds of a session, each with its time. */
import type { Checkout } from '../checkout/session.ts';
import type { Locale } from '../i18n/locale.ts';
import { paymentMethodName } from '../i18n/method-names.ts';
import { type Html, html } from '../lib/html.ts';
import { amountOf, timeOf } from './pieces.ts';

type Movement = { readonly what: string; readonly amount: number; readonly at: number };

/** Amount received so far, and amount returned; null while there is nothing. */
export function movements(checkout: Checkout, locale: Locale): Html | null {
  const { payments } = checkout;
  if (payments.length === 0) return null;
  const { messages } = locale.language;
  const received = payments.map((payment) => ({
    what: paymentMethodName(messages, checkout, payment),
    amount: payment.amount,
    at: payment.bookedAt,
  }));
  const back = goneBack(checkout, locale);
  return html`<h3>${messages.payments}</h3>
${list(received, checkout, locale)}
${back.length > 0 && html`<h3>${messages.document.refunds}</h3>${list(back, checkout, locale)}`}`;
}

/**
 * Refunds that are under way or done, and what the bank or the card network has taken back. A refund that failed is for
 * the merchant to mend, and a reversal that is won has moved no money in the end.
 */
export function goneBack({ refunds, reversals }: Checkout, { language }: Locale): Movement[] {
  const { takenBack, document } = language.messages;
  return [
    ...refunds
      .filter(({ status }) => status !== 'failed')
      .map(({ status, amount, createdAt }) => ({
        what: document.refundStatuses[status],
        amount,
        at: createdAt,
      })),
    ...reversals
      .filter(({ status }) => status !== 'won')
      .map(({ amount, createdAt }) => ({ what: takenBack, amount, at: createdAt })),
  ].sort((one, other) => one.at - other.at);
}

function list(all: readonly Movement[], { currency }: Checkout, locale: Locale): Html {
  return html`<ul class="payments">${all.map(
    ({ what, amount, at }) => html`<li>
<span class="name"><bdi>${what}</bdi></span>
<span class="price">${amountOf(locale, amount, currency)}</span>
<span class="detail">${timeOf(locale, at)}</span>
</li>`,
  )}</ul>`;
}
