/** Small parts shared by several pages. */
import { isolated, type Locale, moment, money } from '../i18n/locale.ts';
import { type Html, html } from '../lib/html.ts';

/** A time: UTC in the document, in the payer's own zone once the script has run. */
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

const shapes = {
  check: html`<path d="m7 12.5 3.5 3.5L17 9"/>`,
  clock: html`<path d="M12 7v5l3 2"/>`,
  cross: html`<path d="m9 9 6 6m0-6-6 6"/>`,
  pause: html`<path d="M10 9v6m4-6v6"/>`,
  step: html`<path d="M8 12h8m-3-3 3 3-3 3"/>`,
};

/** Decoration only: its meaning stands beside it in words. */
export function icon(shape: keyof typeof shapes): Html {
  return html`<svg class="icon icon-${shape}" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/>${shapes[shape]}</svg>`;
}

/** A merchant's text, which may have lines. */
export function inLines(text: string): Html {
  return html`${text.split(/\r\n|[\r\n]/).map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`))}`;
}
