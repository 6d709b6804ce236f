/** Times, amounts, and what is not there, as the dashboard writes them. */
import { localeOf, money } from '../i18n/locale.ts';
import { type Content, type Html, html } from '../lib/html.ts';

/** A time in milliseconds, as UTC: `2026-01-15 12:00`. */
export function timeOf(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}

/** A time of an answer of the API, or what stands for none. */
export const timeIn = (text: string | null, none: Content = '–'): Content =>
  text === null ? none : timeOf(Date.parse(text));

/** Names and what they stand for, as a list of facts. */
export const factsOf = (facts: ReadonlyArray<readonly [name: string, value: Content]>): Html =>
  html`<dl class="facts">${facts.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`,
  )}</dl>`;

/** Facts of which there is something to say. */
export const known = (facts: ReadonlyArray<readonly [name: string, value: Html | string | false | null]>) =>
  facts.filter(([, value]) => value !== '' && value !== null && value !== false);

/** A secret that is shown only now, on the screen for the answer to the form that made it. */
export const secretsOf = (
  secrets: ReadonlyArray<readonly [name: string, value: string]>,
  back: string,
): Html =>
  html`${factsOf(secrets.map(([name, value]) => [name, html`<code class="secret">${value}</code>`]))}
<p class="alert">Keep it where you keep passwords: it is shown only now.</p>
<p><a class="button" href="${back}">I have kept it</a></p>`;

const english = localeOf(undefined, 'en');

/** An amount in minor units with its currency: `€42.50`. */
export const amountOf = (amount: number | bigint, currency: string): string =>
  money(english, amount, currency);

/** A name of the API as words: `requires_action` is `requires action`. */
export const wordsOf = (name: string): string => name.replaceAll('_', ' ');
