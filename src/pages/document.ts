/** Frame of all pages: the document around the content, the banner of test mode and the choice of language. */

import { type Language, languages } from '../i18n/languages/all.ts';
import type { Locale } from '../i18n/locale.ts';
import { compact, type Html, html, textOf } from '../lib/html.ts';
import { accentSheet } from './accent.ts';
import { script, stylesheet } from './assets.ts';

type Frame = {
  readonly locale: Locale;
  readonly basePath: string;
  readonly title: string;
  readonly testMode: boolean;
  /** Color that the account has chosen, or empty. */
  readonly accent: string;
  /** The `<main>` element. */
  readonly main: Html;
  /** Address that a browser without JavaScript reloads by itself, or null. */
  readonly refreshFrom: string | null;
  /** Address to which every browser goes at once. */
  readonly goTo?: string;
};

/** Seconds between reloads: a payment takes seconds, and a reader needs some time in between. */
const REFRESH_SECONDS = 5;

const USUAL_ACCENT = '#0b6b57';

const iconOf = (accent: string): string =>
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' " +
  `rx='4' fill='${encodeURIComponent(accent || USUAL_ACCENT)}'/%3E%3Cpath d='m4 8 3 3 5-6' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E`;

export function documentOf({
  locale,
  basePath,
  title,
  testMode,
  accent,
  main,
  refreshFrom,
  goTo,
}: Frame): string {
  const { language, formatTag } = locale;
  const { messages } = language;
  return textOf(html`<!doctype html>
<html lang="${language.tag}" dir="${language.direction}" data-format="${formatTag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${iconOf(accent)}">
<link rel="stylesheet" href="${basePath}${stylesheet.path}">
${accent !== '' && html`<link rel="stylesheet" href="${basePath}${accentSheet(accent).path}">`}
<script src="${basePath}${script.path}" defer></script>
${refreshFrom !== null && html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS};url=${refreshFrom}"></noscript>`}
${goTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${goTo}">`}
</head>
<body>
${testMode && html`<header class="banner"><p>${messages.testMode}</p></header>`}
<p id="announcer" class="unseen" role="status"></p>
${main}
${languageChoice(language)}
</body>
</html>
`);
}

const choices = new Map<Language, Html>();

/**
 * The choice of language is the same for all pages of a language, and so made once; its links lead to the page on which
 * they stand.
 */
function languageChoice(current: Language): Html {
  let choice = choices.get(current);
  if (!choice) {
    choice = compact(html`<footer>
<details class="languages">
<summary><span class="unseen">${current.messages.language}: </span>${current.name}</summary>
<nav aria-label="${current.messages.language}"><ul>
${languages.map(({ id, tag, name, direction }) => {
  const marker = id === current.id && html` aria-current="true"`;
  return html`<li><a href="?lang=${id}" hreflang="${tag}" lang="${tag}" dir="${direction}"${marker}>${name}</a></li>\n`;
})}</ul></nav>
</details>
</footer>`);
    choices.set(current, choice);
  }
  return choice;
}
