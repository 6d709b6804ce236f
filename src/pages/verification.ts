/** Page that a receipt's code leads to: it confirms the receipt and its content, without revealing who has paid. */
import type { Account } from '../accounts/account.ts';
import type { Checkout } from '../checkout/session.ts';
import { provesReceipt, readReceiptCode } from '../checkout/token.ts';
import { goneBack, movedSums } from '../documents/money.ts';
import { isolated, type Locale } from '../i18n/locale.ts';
import { html } from '../lib/html.ts';
import type { PageDependencies } from './dependencies.ts';
import { documentOf } from './document.ts';
import { amountOf, icon, timeOf } from './pieces.ts';
import { fact } from './receipt.ts';

/** Page that a code opens, or null if it belongs to no receipt. */
export async function verifiedReceipt(
  { store }: Pick<PageDependencies, 'store'>,
  code: string,
  locale: Locale,
  basePath: string,
): Promise<string | null> {
  const named = readReceiptCode(code);
  if (named === null) return null;
  const checkout = await store.checkouts.fetch(named.tenant, named.checkoutId);
  if (checkout === null || !provesReceipt(code, checkout) || checkout.payments.length === 0) return null;
  const account = await store.accounts.fetch(named.tenant.account);
  return account && verificationOf(checkout, account, locale, basePath);
}

function verificationOf(
  checkout: Checkout,
  { name: payee, settings }: Account,
  locale: Locale,
  basePath: string,
): string {
  const { messages } = locale.language;
  const { currency, payments, tenant, referenceId } = checkout;
  const { verify, document } = messages;
  const amount = (value: number) => amountOf(locale, value, currency);
  const back = goneBack(checkout, locale);
  return documentOf({
    locale,
    basePath,
    title: `${verify.title} – ${payee}`,
    testMode: tenant.mode === 'test',
    accent: settings[tenant.mode].branding.accentColor,
    refreshFrom: null,
    main: html`<main class="card receipt problem">
${icon('check')}
<h1>${verify.title}</h1>
<p>${verify.text(isolated(locale, payee))}</p>
<dl class="facts">
${fact(messages.payee, html`<bdi>${payee}</bdi>`)}
${fact(messages.orderReference, html`<bdi>${referenceId}</bdi>`)}
${movedSums(checkout, locale).map((sum) => html`${fact(sum.label, amount(sum.amount))}\n`)}</dl>
<h2>${messages.payments}</h2>
<dl class="facts">${payments.map(({ amount: part, bookedAt }) => fact(timeOf(locale, bookedAt), amount(part)))}</dl>
${
  back.length > 0 &&
  html`<h2>${document.refunds}</h2>
<dl class="facts">${back.map(({ what, amount: part, at }) => fact(html`${what}, ${timeOf(locale, at)}`, amount(part)))}</dl>`
}
</main>`,
  });
}
