/** The page that the `type` of a problem document (RFC 9457) leads to: every failure, what it means and what to do. */
import { html, textOf } from '../lib/html.ts';
import { errorAdvice } from './error-advice.ts';
import { type ErrorReason, errorTable } from './errors.ts';

/** All failures, in the order of their status. */
export const reasonsByStatus: readonly ErrorReason[] = (Object.keys(errorTable) as ErrorReason[]).sort(
  (a, b) => errorTable[a].status - errorTable[b].status,
);

/** `stylesheet` and `reference` are the addresses of the page's neighbours, relative to it. */
export function errorsPage({ stylesheet, reference }: { stylesheet: string; reference: string }): string {
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Errors – opentill</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylesheet}">
</head>
<body>
<main>
<p class="back"><a href="${reference}">API reference</a></p>
<h1>Errors</h1>
<p>A failed request is answered with <code>status</code> <code>"error"</code>, a <code>message</code> that ends with
the reason in capitals, and a list of <code>errors</code>, each with one of the codes below. The
<code>request_id</code> names the request in the logs of the service.</p>
<div class="scroll" role="region" aria-label="All errors" tabindex="0">
<table>
<thead><tr><th scope="col">HTTP</th><th scope="col">Code</th><th scope="col">Reason</th></tr></thead>
<tbody>
${reasonsByStatus.map((reason) => {
  const { status, code } = errorTable[reason];
  return html`<tr><td>${status}</td><td>${code}</td><td><a href="#${reason}">${reason}</a></td></tr>\n`;
})}</tbody>
</table>
</div>
${reasonsByStatus.map((reason) => {
  const { status, code, text } = errorTable[reason];
  return html`<section id="${reason}" aria-labelledby="${reason}-name">
<h2 id="${reason}-name">${reason}</h2>
<p class="numbers">HTTP ${status}, code ${code}</p>
<p>${text}</p>
<p><strong>What to do:</strong> ${errorAdvice[reason]}</p>
</section>
`;
})}</main>
</body>
</html>
`);
}
