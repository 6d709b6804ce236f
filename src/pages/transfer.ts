/** Step of a payer who pays by bank: the details of the transfer to copy, and a code to scan. */
import type { Attempt } from '../checkout/session.ts';
import { openTransfer } from '../checkout/statuses.ts';
import { type Locale, money } from '../i18n/locale.ts';
import { methodName } from '../i18n/method-names.ts';
import { drawing, type Html, html } from '../lib/html.ts';
import { drawCode, type PaymentCode } from '../methods/bank/codes/draw.ts';
import type { Instruction } from '../methods/bank/instructions.ts';
import { transferOf } from '../methods/bank/rail.ts';
import { findMethod } from '../methods/catalogue.ts';
import { amountText } from './pieces.ts';
import { addressOf, type Visit, waitingAttempt } from './visit.ts';

/** A line of the transfer in the payer's language: `text` is for reading, `value` in the form that banks expect. */
export type TransferField = { readonly label: string; readonly text: string; readonly value: string };

export type Transfer = {
  readonly attempt: Attempt;
  readonly title: string;
  readonly fields: readonly TransferField[];
  readonly code: PaymentCode | null;
};

/** The transfer that is awaited, or null. */
export function transferToShow({ checkout, locale }: Pick<Visit, 'checkout' | 'locale'>): Transfer | null {
  const attempt = openTransfer(checkout);
  const instructions = attempt ? transferOf(attempt) : null;
  if (!attempt || instructions === null) return null;
  const { messages } = locale.language;
  const method = findMethod(attempt.method);
  const brand = method ? methodName(messages, method) : attempt.method;
  const isBranded = instructions.fields.some(({ name }) => name === 'proxy');
  const labelOf = ({ name }: Instruction): string => {
    if (name === 'proxy') return brand;
    return name === 'bank_code'
      ? (bankCodeNames[checkout.currency] ?? messages.transfer.fields.bank_code)
      : messages.transfer.fields[name];
  };
  return {
    attempt,
    title: isBranded ? messages.transfer.payWith(brand) : messages.document.howToTransfer,
    fields: instructions.fields.map((field) => ({
      label: labelOf(field),
      text: field.name === 'amount' ? money(locale, attempt.amount, checkout.currency) : field.display,
      value: field.value,
    })),
    code: instructions.code,
  };
}

/** The awaited transfer if it is the payer's next step, and nothing else was begun since. */
export function transferToDo(visit: Visit): Transfer | null {
  const transfer = transferToShow(visit);
  return transfer?.attempt === waitingAttempt(visit.checkout) ? transfer : null;
}

/** Names of the bank code on forms of banks in these countries, whatever the language of the payer. */
const bankCodeNames: Readonly<Record<string, string>> = {
  AUD: 'BSB',
  GBP: 'Sort code',
  INR: 'IFSC',
  USD: 'Routing number (ABA)',
};

export function transferDetails(visit: Visit, transfer: Transfer): Html {
  const { checkout, locale } = visit;
  const { messages } = locale.language;
  const amount = amountText(locale, transfer.attempt.amount, checkout.currency);
  return html`<p>${messages.transfer.text(amount)}</p>
<dl class="facts transfer" data-copied="${messages.transfer.copied}">
${transfer.fields.map((field) => fieldOf(field, locale))}
</dl>
${transfer.code !== null && codeOf(transfer.code, locale)}
<p role="status">${messages.transfer.wait}</p>
<p><a href="${addressOf(visit, '/invoice.pdf')}">${messages.transfer.invoice}</a></p>`;
}

/** The button works by a script, and is not there without one. */
function fieldOf({ label, text, value }: TransferField, { language }: Locale): Html {
  const { copy } = language.messages.transfer;
  return html`<div><dt>${label}</dt><dd><bdi>${text}</bdi> <button type="button" class="copy" data-copy="${value}" aria-label="${copy}: ${label}" hidden>${copy}</button></dd></div>
`;
}

function codeOf(code: PaymentCode, locale: Locale): Html {
  const { transfer, document } = locale.language.messages;
  return html`<figure class="code">
<div role="img" aria-label="${transfer.code}">${drawing(drawCode(code))}</div>
<figcaption>${document.scanToPay} <bdi>${namesOfCodes[code.standard]}</bdi></figcaption>
</figure>
${code.standard === 'UPI' && html`<p class="touch"><a class="button" href="${code.payload}">${transfer.openApp('UPI')}</a></p>`}
${code.standard === 'Pix BR Code' && html`<dl class="facts transfer" data-copied="${transfer.copied}">${fieldOf({ label: PIX_TEXT, text: code.payload, value: code.payload }, locale)}</dl>`}`;
}

/** Label of the copied code: payers in Brazil often copy it instead of scanning, under this name. */
const PIX_TEXT = 'Pix Copia e Cola';

/** Names of the codes among their users. */
const namesOfCodes: Readonly<Record<PaymentCode['standard'], string>> = {
  'EPC069-12': 'EPC QR (GiroCode)',
  'Swiss QR-bill': 'QR-bill',
  PayNow: 'PayNow',
  PromptPay: 'PromptPay',
  'Pix BR Code': 'Pix',
  UPI: 'UPI',
};
