/** Receipt page, for keeping and for printing. */
import { goneBack, type Movement, paymentsOf } from '../documents/money.ts';
import { isolated } from '../i18n/locale.ts';
import { type Html, html } from '../lib/html.ts';
import { documentOf } from './document.ts';
import { amountOf, timeOf } from './pieces.ts';
import { descriptionOf, itemList, logoImage, sums } from './summary.ts';
import { accentOf, addressOf, type Visit } from './visit.ts';

export function receiptOf(visit: Visit, basePath: string): string {
  const { checkout, payee, locale } = visit;
  const { messages } = locale.language;
  const back = goneBack(checkout, locale);
  return documentOf({
    locale,
    basePath,
    title: messages.receiptFrom(payee),
    testMode: checkout.tenant.mode === 'test',
    accent: accentOf(visit),
    refreshFrom: null,
    main: html`<main class="card receipt">
<div class="payee">
${logoImage(visit)}
<h1>${messages.receiptFrom(isolated(locale, payee))}</h1>
</div>
<dl class="facts">
${fact(messages.payee, html`<bdi>${payee}</bdi>`)}
${fact(messages.orderReference, html`<bdi>${checkout.referenceId}</bdi>`)}
${fact(messages.session, html`<bdi>${checkout.id}</bdi>`)}
</dl>
<h2>${messages.order}</h2>
${descriptionOf(checkout)}
${itemList(checkout, locale)}
${sums(checkout, locale)}
<h2>${messages.payments}</h2>
${paymentsOf(checkout, locale).map((payment) => paymentOf(visit, payment))}
${back.length > 0 && html`<h2>${messages.document.refunds}</h2>`}
${back.map(
  ({ what, amount, at }) => html`<dl class="facts">
${fact(messages.date, timeOf(locale, at))}
${fact(what, amountOf(locale, amount, checkout.currency))}
</dl>`,
)}
<p class="actions"><button type="button" data-print hidden>${messages.print}</button> <a href="${addressOf(visit, '/receipt.pdf')}">${messages.downloadReceipt}</a> <a href="${addressOf(visit)}">${messages.backToPayment}</a></p>
</main>`,
  });
}

function paymentOf({ checkout, locale }: Visit, { at, what, reference, amount }: Movement): Html {
  const { messages } = locale.language;
  return html`<dl class="facts">
${fact(messages.date, timeOf(locale, at))}
${fact(messages.method, html`<bdi>${what}</bdi>`)}
${fact(messages.amount, amountOf(locale, amount, checkout.currency))}
${fact(messages.reference, html`<bdi>${reference}</bdi>`)}
</dl>`;
}

export function fact(label: string | Html, value: Html): Html {
  return html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
}
