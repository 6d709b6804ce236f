/** Payments and refunds of a session, each with its time. */
import type { Checkout } from '../checkout/session.ts';
import { goneBack, type Movement, paymentsOf } from '../documents/money.ts';
import type { Locale } from '../i18n/locale.ts';
import { type Html, html } from '../lib/html.ts';
import { amountOf, timeOf } from './pieces.ts';

/** Amount received so far, and amount returned; null while there is nothing. */
export function movements(checkout: Checkout, locale: Locale): Html | null {
  if (checkout.payments.length === 0) return null;
  const { messages } = locale.language;
  const back = goneBack(checkout, locale);
  return html`<h3>${messages.payments}</h3>
${list(paymentsOf(checkout, locale), checkout, locale)}
${back.length > 0 && html`<h3>${messages.document.refunds}</h3>${list(back, checkout, locale)}`}`;
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
