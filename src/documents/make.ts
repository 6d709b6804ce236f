/**
 * Makes documents, one after the other: a long one takes its time and memory, and two at once would not be done any
 * earlier. What draws them is loaded with the first one, as most services make few and start often.
 */
import type { InvoiceFacts, ReceiptFacts } from './facts.ts';

/** Documents that may wait for their turn. */
const MAX_WAITING = 100;

/** Too many documents are waited for already; later there may be room. */
export class TooManyDocuments extends Error {
  override name = 'TooManyDocuments';
}

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** A PDF (A4). The same facts make the same bytes. Rejects with `TooManyDocuments`. */
export function receiptPdf(facts: ReceiptFacts): Promise<Buffer> {
  return inTurn(async () => (await import('./receipt.ts')).drawReceipt(facts));
}

/** A PDF (A4) with the way to pay. The same facts make the same bytes. Rejects with `TooManyDocuments`. */
export function invoicePdf(facts: InvoiceFacts): Promise<Buffer> {
  return inTurn(async () => (await import('./invoice.ts')).drawInvoice(facts));
}

async function inTurn(make: () => Promise<Buffer>): Promise<Buffer> {
  if (waiting >= MAX_WAITING) throw new TooManyDocuments(`${waiting} documents are being waited for.`);
  waiting++;
  const made = last.then(make, make);
  last = made.catch(() => null);
  try {
    return await made;
  } finally {
    waiting--;
  }
}
