/** Receipt and invoice as PDFs, made on request and cached while they are in demand. */

import { type Logo, logoBytes, logoFacts } from '../accounts/logo.ts';
import { tenantName } from '../checkout/tenant.ts';
import { receiptCode } from '../checkout/token.ts';
import { createDocumentCache, type Wanted } from '../documents/document-cache.ts';
import { invoiceFacts, type Payee, receiptFacts } from '../documents/facts.ts';
import type { Picture } from '../documents/picture.ts';
import { invoicePdf, NobodyWaits, type Reader, receiptPdf } from '../documents/render-queue.ts';
import type { Locale } from '../i18n/locale.ts';
import type { PageDependencies } from './dependencies.ts';
import { transferToShow } from './transfer.ts';
import { logoOf, type Visit } from './visit.ts';

type Dependencies = Pick<PageDependencies, 'checkoutUrl' | 'store'>;

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
  dependencies: Dependencies,
  gone: AbortSignal,
): Promise<Buffer | null> {
  const visit = { ...asked, locale: knownLocale(asked.locale) };
  const { checkout, locale } = visit;
  const make = kind === 'receipt' ? receiptOf(visit, dependencies) : invoiceOf(visit, dependencies);
  if (make === null) return null;
  const format = [locale.formatTag, logoOf(visit)];
  const madeOf = [kind, checkout.token, checkout.version, ...format, JSON.stringify(payeeOf(visit))];
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

function receiptOf(visit: Visit, dependencies: Dependencies): Wanted['make'] | null {
  const { checkout, locale } = visit;
  if (checkout.payments.length === 0) return null;
  const verifyUrl = `${dependencies.checkoutUrl}/receipt/${receiptCode(checkout)}`;
  const facts = () => receiptFacts(checkout, payeeOf(visit), locale, verifyUrl);
  return makerOf(visit, dependencies, receiptPdf, facts);
}

function invoiceOf(visit: Visit, dependencies: Dependencies): Wanted['make'] | null {
  const { checkout, locale } = visit;
  const transfer = transferToShow(visit);
  if (transfer === null) return null;
  const facts = () => invoiceFacts(checkout, payeeOf(visit), locale, transfer);
  return makerOf(visit, dependencies, invoicePdf, facts);
}

/** Facts are gathered, and the logo is fetched, for a document that is made, and not for one that is kept. */
function makerOf<F extends object>(
  visit: Visit,
  { store }: Dependencies,
  pdf: (facts: F, reader: Reader) => Promise<Buffer>,
  facts: () => F,
): Wanted['make'] {
  const { tenant } = visit.checkout;
  return async (unwanted) => {
    const stored = logoOf(visit) === null ? null : await store.logos.fetch(tenant);
    if (unwanted.aborted) throw new NobodyWaits('All readers left before the document was begun.');
    return pdf(
      { ...facts(), ...(stored && { logo: pictureOf(stored) }) },
      { tenant: tenantName(tenant), unwanted },
    );
  };
}

function pictureOf(logo: Logo): Picture {
  const { width, height } = logoFacts(logo.name);
  // Bytes of their own, since those around them would go to the thread as well.
  return { bytes: new Uint8Array(logoBytes(logo)), width, height };
}

function payeeOf({ payee, account, checkout }: Visit): Payee {
  return { name: payee, ...account.settings[checkout.tenant.mode].business };
}

/** File name such as `receipt-order-1001.pdf`, valid on every system. */
export function fileNameOf({ checkout }: Visit, kind: Kind): string {
  const name = checkout.referenceId.replace(/[^\w.-]+/g, '-').slice(0, 60);
  return `${kind}-${/\w/.test(name) ? name : checkout.id}.pdf`;
}
