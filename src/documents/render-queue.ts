/**
 * Render queue: makes documents one after the other, since a long one takes time and memory, and two at once would not
 * finish any earlier. The drawing code is loaded with the first one, as most services make few and start often.
 */
import type { InvoiceFacts, ReceiptFacts } from './facts.ts';

/** Documents that may wait for their turn, including the current one. */
const MAX_WAITING = 100;

/** Error: too many documents wait already; later there may be room. */
export class TooManyDocuments extends Error {
  override name = 'TooManyDocuments';
}

/** Error: all readers of the document left before it was begun. */
export class NobodyWaits extends Error {
  override name = 'NobodyWaits';
}

/** Functions that let each waiting document begin, in order. */
const waiting = new Set<() => void>();
let isMaking = false;

/**
 * A PDF (A4). The same facts make the same bytes. Rejects with `TooManyDocuments`, and with `NobodyWaits` where it was
 * `unwanted` before its turn came.
 */
export function receiptPdf(facts: ReceiptFacts, unwanted?: AbortSignal): Promise<Buffer> {
  return inTurn(async () => (await import('./receipt.ts')).drawReceipt(facts), unwanted);
}

/** A PDF (A4) with the way to pay; otherwise like `receiptPdf`. */
export function invoicePdf(facts: InvoiceFacts, unwanted?: AbortSignal): Promise<Buffer> {
  return inTurn(async () => (await import('./invoice.ts')).drawInvoice(facts), unwanted);
}

async function inTurn(make: () => Promise<Buffer>, unwanted: AbortSignal | undefined): Promise<Buffer> {
  await turn(unwanted);
  try {
    return await make();
  } finally {
    isMaking = false;
    callNext();
  }
}

/** Resolves at this document's turn. A reader who leaves before gives the turn to others at once. */
function turn(unwanted: AbortSignal | undefined): Promise<void> {
  const places = waiting.size + (isMaking ? 1 : 0);
  if (places >= MAX_WAITING) throw new TooManyDocuments(`${places} documents are being waited for.`);
  return new Promise((begin, reject) => {
    const leave = () => {
      if (waiting.delete(begin)) reject(new NobodyWaits('Nobody waits for this document any more.'));
    };
    waiting.add(begin);
    unwanted?.addEventListener('abort', leave, { once: true });
    callNext();
  });
}

function callNext(): void {
  const [begin] = waiting;
  if (isMaking || begin === undefined) return;
  waiting.delete(begin);
  isMaking = true;
  begin();
}
