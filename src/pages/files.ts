/** The receipt and the invoice as PDFs, made when they are asked for and kept for as long as they are in demand. */
import { LRUCache } from 'lru-cache';
import { invoiceFacts, type Payee, receiptFacts } from '../documents/facts.ts';
import { invoicePdf, receiptPdf } from '../documents/make.ts';
import { receiptCode } from '../token.ts';
import { transferToShow } from './transfer.ts';
import type { Visit } from './visit.ts';

export type Kind = 'receipt' | 'invoice';

/** A usual one has some 30 KB. */
const MAX_KEPT_BYTES = 16_000_000;

const kept = new LRUCache<string, Buffer, () => Promise<Buffer>>({
  maxSize: MAX_KEPT_BYTES,
  sizeCalculation: ({ length }) => length + 1,
  // Several who ask at once wait for the same one.
  fetchMethod: (_key, _stale, { context }) => context(),
});

/** Null where there is no such document: nothing is paid yet, or no transfer is waited for. */
export async function fileOf(visit: Visit, kind: Kind, checkoutUrl: string): Promise<Buffer | null> {
  const { checkout, locale } = visit;
  const make = kind === 'receipt' ? receiptOf(visit, checkoutUrl) : invoiceOf(visit);
  if (make === null) return null;
  const made = [kind, checkout.token, checkout.version, locale.formatTag, JSON.stringify(payeeOf(visit))];
  return (await kept.fetch(made.join(' '), { context: make })) ?? null;
}

function receiptOf(visit: Visit, checkoutUrl: string): (() => Promise<Buffer>) | null {
  const { checkout, locale } = visit;
  if (checkout.payments.length === 0) return null;
  const verifyUrl = `${checkoutUrl}/receipt/${receiptCode(checkout)}`;
  return () => receiptPdf(receiptFacts(checkout, payeeOf(visit), locale, verifyUrl));
}

function invoiceOf(visit: Visit): (() => Promise<Buffer>) | null {
  const { checkout, locale } = visit;
  const transfer = transferToShow(visit);
  if (transfer === null) return null;
  return () => invoicePdf(invoiceFacts(checkout, payeeOf(visit), locale, transfer));
}

function payeeOf({ payee, account, checkout }: Visit): Payee {
  return { name: payee, ...account.settings[checkout.scope.mode].business };
}

/** Such as `receipt-order-1001.pdf`: what a file may be called everywhere. */
export function fileNameOf({ checkout }: Visit, kind: Kind): string {
  const name = checkout.referenceId.replace(/[^\w.-]+/g, '-').slice(0, 60);
  return `${kind}-${/\w/.test(name) ? name : checkout.id}.pdf`;
}
