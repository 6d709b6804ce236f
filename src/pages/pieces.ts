/** Small parts that several pages are made of. */
import { currencyExponent } from '../checkout/money.ts';
import type { Checkout, Payment } from '../checkout/session.ts';
import { type Html, html } from '../html.ts';
import { findMethod, type Method } from '../methods/catalogue.ts';
import type { Messages } from './languages/messages.ts';
import { isolated, type Locale, moment, money } from './locale.ts';

/** An instant: UTC as it is sent, in the payer's own zone once the script has run. */
export function timeOf(locale: Locale, ms: number): Html {
  return html`<time datetime="${new Date(ms).toISOString()}">${moment(locale, ms)}</time>`;
}

/** An amount that stands on its own. */
export function amountOf(locale: Locale, amount: number, currency: string): Html {
  return html`<bdi>${money(locale, amount, currency)}</bdi>`;
}

/** An amount inside a sentence. */
export function amountText(locale: Locale, amount: number, currency: string): string {
  return isolated(locale, money(locale, amount, currency));
}

const LOCAL_TRANSFER = /^local_bank_transfer_([a-z]{3})$/;

/** Kinds of payment are named in the payer's language, brands by their own names. */
export function methodName(messages: Messages, { id, name }: Method): string {
  if (id === 'card') return messages.card;
  if (id === 'wire_transfer') return messages.wireTransfer;
  const currency = LOCAL_TRANSFER.exec(id)?.[1]?.toUpperCase();
  return currency !== undefined && currencyExponent(currency) !== undefined
    ? messages.bankTransfer(currency)
    : name;
}

/** The method that a payment was made with; its id where the catalogue no longer knows it. */
export function paymentMethodName(messages: Messages, { attempts }: Checkout, payment: Payment): string {
  const id = attempts.find((attempt) => attempt.id === payment.attempt)?.method ?? '';
  const method = findMethod(id);
  return method ? methodName(messages, method) : id;
}

const shapes = {
  check: html`<path d="m7 12.5 3.5 3.5L17 9"/>`,
  clock: html`<path d="M12 7v5l3 2"/>`,
  cross: html`<path d="m9 9 6 6m0-6-6 6"/>`,
  pause: html`<path d="M10 9v6m4-6v6"/>`,
  step: html`<path d="M8 12h8m-3-3 3 3-3 3"/>`,
};

/** Only decoration: what it means stands beside it in words. */
export function icon(shape: keyof typeof shapes): Html {
  return html`<svg class="icon icon-${shape}" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/>${shapes[shape]}</svg>`;
}
