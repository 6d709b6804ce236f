/** The payer's page of a session as a document. */

import { html } from '../lib/html.ts';
import { documentOf } from './document.ts';
import { panelOf, stateTitle } from './panel.ts';
import { summaryOf } from './summary.ts';
import { accentOf, addressOf, choiceAddress, isLive, stateOf, type Visit } from './visit.ts';

/** `alert` explains why the payer's last request was not done, or is null. */
export function pageOf(visit: Visit, basePath: string, alert: string | null = null): string {
  const { checkout, payee, locale, path } = visit;
  const state = stateOf(visit);
  const page = visit.isChoosing ? choiceAddress(visit) : addressOf(visit);
  const events = isLive(visit) && html` data-events="${path}/events"`;
  const title = stateTitle(visit);
  return documentOf({
    locale,
    basePath,
    title: state === 'payable' ? title : `${title} – ${payee}`,
    testMode: checkout.tenant.mode === 'test',
    accent: accentOf(visit),
    refreshFrom: state === 'in_progress' ? page : null,
    main: html`<main class="card" data-state="${state}" data-version="${checkout.version}" data-page="${page}"${events}>
${summaryOf(visit)}
${panelOf(visit, alert)}
</main>`,
  });
}
