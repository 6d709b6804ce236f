/** Summary of the payment: purpose, payee, amount and deadline. */
import { logoFacts } from '../accounts/logo.ts';
import { type Item, listingOf } from '../checkout/items.ts';
import type { Checkout } from '../checkout/session.ts';
import { amountDue, amountPaid } from '../checkout/statuses.ts';
import { type Sum, sumsOf } from '../documents/money.ts';
import { count, isolated, type Locale } from '../i18n/locale.ts';
import { type Html, html } from '../lib/html.ts';
import { amountOf, inLines, timeOf } from './pieces.ts';
import { logoOf, type PageState, stateOf, type Visit } from './visit.ts';

/** Number of items above which the list is folded, so that the way to pay is not far down. */
const ITEMS_SHOWN = 6;

export function summaryOf(visit: Visit): Html {
  const { checkout, payee, locale } = visit;
  const { messages } = locale.language;
  const headline = headlineAmount(checkout, stateOf(visit));
  return html`<section class="summary" aria-labelledby="title">
<div class="payee">
${markOf(visit)}
<h1 id="title" tabindex="-1">${messages.payTo(isolated(locale, payee))}</h1>
</div>
${headline > 0 && html`<p class="amount">${amountOf(locale, headline, checkout.currency)}</p>`}
${deadline(checkout, locale)}
${orderOf(checkout, locale)}
${sums(checkout, locale)}
</section>`;
}

/**
 * The logo of the account, or the first letter of its name. The name stands beside it, so that neither is read out. A
 * browser knows the size of the image before it has come.
 */
function markOf(visit: Visit): Html {
  const letter = [...visit.payee][0]?.toUpperCase();
  return logoImage(visit) ?? html`<span class="mark" aria-hidden="true">${letter}</span>`;
}

/** The logo of the account, if it has one. */
export function logoImage(visit: Visit): Html | null {
  const name = logoOf(visit);
  if (name === null) return null;
  const { width, height } = logoFacts(name);
  return html`<img class="logo" src="${visit.path}/logo/${name}" alt="" width="${width}" height="${height}">`;
}

/** Main figure: the amount due, or the amount paid. */
function headlineAmount(checkout: Checkout, state: PageState): number {
  return state === 'paid' ? amountPaid(checkout) : amountDue(checkout);
}

function deadline({ lifecycle, expiresAt }: Checkout, locale: Locale): Html | null {
  if (lifecycle.state !== 'active' || expiresAt === null) return null;
  return html`<p class="deadline"><span>${locale.language.messages.payableUntil}</span> <strong>${timeOf(locale, expiresAt)}</strong></p>`;
}

/** The description and the items, as far as there are any. */
function orderOf(checkout: Checkout, locale: Locale): Html | null {
  const { items } = checkout;
  const { messages } = locale.language;
  if (items.length === 0 && checkout.description === '') return null;
  return html`<h2>${messages.order}</h2>
${descriptionOf(checkout)}
${items.length > ITEMS_SHOWN ? folded(checkout, locale) : itemList(checkout, locale)}`;
}

/** The list of items says the same as the description that is made from it. */
export function descriptionOf({ description: text, items }: Checkout): Html | null {
  const isListing = items.length > 0 && text === listingOf(items);
  return text === '' || isListing ? null : html`<p class="description"><bdi>${inLines(text)}</bdi></p>`;
}

export function itemList({ items, currency }: Checkout, locale: Locale): Html | null {
  if (items.length === 0) return null;
  return html`<ul class="items">${items.map((item) => line(item, currency, locale))}</ul>`;
}

function folded(checkout: Checkout, locale: Locale): Html {
  const { messages } = locale.language;
  const { items } = checkout;
  const list = itemList(checkout, locale);
  return html`<details class="all-items"><summary>${messages.allItems(count(locale, items.length))}</summary>${list}</details>`;
}

function line(
  { name, quantity, unitPrice, description: text }: Item,
  currency: string,
  locale: Locale,
): Html {
  return html`<li>
<span class="name"><bdi>${name}</bdi></span>
<span class="price">${amountOf(locale, quantity * unitPrice, currency)}</span>
<span class="detail"><bdi>${count(locale, quantity)} × ${amountOf(locale, unitPrice, currency)}</bdi></span>
${text ? html`<span class="detail"><bdi>${inLines(text)}</bdi></span>` : null}
</li>`;
}

export function sums(checkout: Checkout, locale: Locale): Html | null {
  if (checkout.amount === 0) return null;
  const row = ({ label, amount, isTotal }: Sum) =>
    html`<div class="${isTotal && 'total'}"><dt>${label}</dt><dd>${amount < 0 && '−'}${amountOf(locale, Math.abs(amount), checkout.currency)}</dd></div>\n`;
  return html`<dl class="sums">
${sumsOf(checkout, locale).map(row)}</dl>`;
}
