/** Pages for problems outside a session's own page. */

import type { Messages } from '../i18n/languages/messages.ts';
import type { Locale } from '../i18n/locale.ts';
import { html } from '../lib/html.ts';
import { documentOf } from './document.ts';
import { icon } from './pieces.ts';

export type Trouble =
  | 'notFound'
  | 'noReceipt'
  | 'unknownReceipt'
  | 'refused'
  | 'tooMany'
  | 'beingMade'
  | 'trouble';

/** `back` is an address with its label where the payer may go on, or null. */
export function problemPage(
  locale: Locale,
  basePath: string,
  trouble: Trouble,
  back: { readonly href: string; readonly text: keyof Messages & 'backToPayment' } | null = null,
): string {
  const { messages } = locale.language;
  const title = messages[`${trouble}Title`];
  return documentOf({
    locale,
    basePath,
    title,
    testMode: false,
    accent: '',
    refreshFrom: null,
    main: html`<main class="card problem">
${icon(trouble === 'beingMade' ? 'clock' : 'cross')}
<h1>${title}</h1>
<p>${messages[`${trouble}Text`]}</p>
${back !== null && html`<p><a href="${back.href}">${messages[back.text]}</a></p>`}
</main>`,
  });
}
