/** Times, amounts and states as the dashboard writes them. */
import { localeOf, money } from '../i18n/locale.ts';
import { type Html, html } from '../lib/html.ts';

/** A time in milliseconds, as UTC: `2026-01-15 12:00`. */
export function timeOf(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}

/** The same of a time as the API tells it. */
export const timeIn = (timestamp: string): Html => timeOf(Date.parse(timestamp));

const english = localeOf(undefined, 'en');

/** An amount in minor units with its currency: `€42.50`. */
export const amountOf = (amount: number, currency: string): string => money(english, amount, currency);

/** A name of the API as words: `requires_action` is `requires action`. */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ');

/** The state of something, which the stylesheet colours by its name. */
export const stateOf = (name: string): Html => html`<span class="state ${name}">${wordsOf(name)}</span>`;
