/** Receipt and invoice as PDFs, made on request and cached while they are in demand. */

import { tenantName } from '../checkout/tenant.ts';
import { receiptCode } from '../checkout/token.ts';
import { createDocumentCache, type Wanted } from '../documents/document-cache.ts';
import { invoiceFacts, type Payee, receiptFacts } from '../documents/facts.ts';
import { invoicePdf, receiptPdf } from '../documents/render-queue.ts';
import type { Locale } from '../i18n/locale.ts';
import { transferToShow } from './transfer.ts';
import type { Visit } from './visit.ts';

export type Kind = 'receipt' | 'invoice';

/** A usual one has some 30 KB. A payer reads in one language or two; who asks for all of them has to wait. */
const documentCache = createDocumentCache({ maxBytes: 16_000_000, maxOfOwner: 2 });

/**
 * Null if there is no such document: nothing is paid yet, or no transfer is awaited. `gone` signals that the reader has
 * left. Rejects with `TooManyDocuments`, and with `NobodyWaits` for readers who left.
 */
export async function fileOf(
  asked: Visit,
  kind: Kind,
  checkoutUrl: string,
  gone: AbortSignal,
): Promise<Buffer | null> {
  const visit = { ...asked, locale: knownLocale(asked.locale) };
  const { checkout, locale } = visit;
  const make = kind === 'receipt' ? receiptOf(visit, checkoutUrl) : invoiceOf(visit);
  if (make === null) return null;
  const madeOf = [kind, checkout.token, checkout.version, locale.formatTag, JSON.stringify(payeeOf(visit))];
  return documentCache.get({ key: madeOf.join(' '), owner: checkout.token, make }, gone);
}

/**
 * Canonical name of the format of amounts and times, as Intl has it: a header may name any two letters as a region, and
 * equal formats must share one document.
 */
function knownLocale(locale: Locale): Locale {
  const { locale: formatTag } = new Intl.NumberFormat(locale.formatTag).resolvedOptions();
  return { ...locale, formatTag };
}

function receiptOf(visit: Visit, checkoutUrl: string): Wanted['make'] | null {
  const { checkout, locale } = visit;
  if (checkout.payments.length === 0) return null;
  const verifyUrl = `${checkoutUrl}/receipt/${receiptCode(checkout)}`;
  const tenant = tenantName(checkout.tenant);
  return (unwanted) =>
    receiptPdf(receiptFacts(checkout, payeeOf(visit), locale, verifyUrl), { tenant, unwanted });
}

function invoiceOf(visit: Visit): Wanted['make'] | null {
  const { checkout, locale } = visit;
  const transfer = transferToShow(visit);
  if (transfer === null) return null;
  const tenant = tenantName(checkout.tenant);
  return (unwanted) =>
    invoicePdf(invoiceFacts(checkout, payeeOf(visit), locale, transfer), { tenant, unwanted });
}

function payeeOf({ payee, account, checkout }: Visit): Payee {
  return { name: payee, ...account.settings[checkout.tenant.mode].business };
}

/** File name such as `receipt-order-1001.pdf`, valid on every system. */
export function fileNameOf({ checkout }: Visit, kind: Kind): string {
  const name = checkout.referenceId.replace(/[^\w.-]+/g, '-').slice(0, 60);
  return `${kind}-${/\w/.test(name) ? name : checkout.id}.pdf`;
}
