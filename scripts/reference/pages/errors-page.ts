/** The page that the `type` of a problem document (RFC 9457) leads to: every reason, its meaning and what to do. */
import { errorTable } from '../../../src/http/error-table.ts';
import { html } from '../../../src/lib/html.ts';
import { allReasons } from '../api/errors.ts';
import { inline, layout } from './layout.ts';

export function errorsPage(): string {
  return layout(
    'Errors',
    html`<main class="narrow">
<p><a href="../docs">API reference</a></p>
<h1>Errors</h1>
<p>The answer to a failed request has the <code>status</code> <code>"error"</code>, a <code>message</code> that ends
with the reason in capitals, and a list of <code>errors</code>, each with one of these codes. The
<code>request_id</code> identifies the request in the log of the service.</p>
<div class="scroll" role="region" aria-label="All errors" tabindex="0">
<table>
<thead><tr><th scope="col">HTTP</th><th scope="col">Code</th><th scope="col">Reason</th></tr></thead>
<tbody>
${allReasons.map((reason) => {
  const { status, code } = errorTable[reason];
  return html`<tr><td>${status}</td><td>${code}</td><td><a href="#${reason}">${reason}</a></td></tr>\n`;
})}</tbody>
</table>
</div>
${allReasons.map((reason) => {
  const { status, code, text, advice } = errorTable[reason];
  return html`<section id="${reason}" class="card" aria-labelledby="${reason}-name">
<h2 id="${reason}-name"><code>${reason}</code></h2>
<p class="quiet">HTTP ${status}, code ${code}</p>
<p>${text}</p>
<p><strong>What to do:</strong> ${inline(advice)}</p>
</section>
`;
})}</main>`,
  );
}
