/**
 * Render queue: documents are drawn in threads, since a long one takes seconds. Each tenant has one drawn at a time, and
 * its turn behind the others.
 */
import type { Locale } from '../i18n/locale.ts';
import { hasEnoughProcessors } from '../lib/rest.ts';
import { createThreadPool } from '../lib/thread-pool.ts';
import type { InvoiceFacts, ReceiptFacts } from './facts.ts';
import type { Drawing, Drawn } from './render-thread.ts';

const defaults = {
  /** A second one beside the thread that answers has the documents ready no sooner on two processors, and makes that wait. */
  threads: hasEnoughProcessors ? 2 : 1,
  maxWaiting: 100,
  maxWaitingOfTenant: 25,
  startMs: 10_000,
  /** The longest honest document takes a tenth of it. */
  jobMs: 30_000,
  idleMs: 60_000,
  /** With more for what is new, V8 only keeps more garbage. (Measured: 40 MB less with 8, in the same time.) */
  memory: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 },
};

/** Error: too many documents wait already; later there may be room. */
export class TooManyDocuments extends Error {
  override name = 'TooManyDocuments';
}

/** Error: all readers of the document left before it was begun. */
export class NobodyWaits extends Error {
  override name = 'NobodyWaits';
}

export function createRenderQueue(options: Partial<typeof defaults> = {}) {
  const limits = { ...defaults, ...options };
  const pool = createThreadPool<Drawing, Drawn>(new URL('./render-thread.ts', import.meta.url), {
    limits,
    errors: {
      tooMany: () => new TooManyDocuments('Too many documents are being waited for.'),
      tooLong: () => new Error(`A document took longer than ${limits.jobMs} ms.`),
      failed: (why) => new Error(`The thread that draws documents has failed: ${why}`),
    },
  });

  return {
    /** Draws a document in its turn. One that is `unwanted` before its turn comes leaves its place at once. */
    async draw(tenant: string, drawing: Drawing, unwanted?: AbortSignal): Promise<Buffer> {
      const drawn = await pool.run(tenant, drawing, unwanted && { signal: unwanted, error: nobodyWaits });
      if ('error' in drawn) throw drawn.error;
      return Buffer.from(drawn.pdf.buffer);
    },
  };
}

const nobodyWaits = () => new NobodyWaits('Nobody waits for this document any more.');

const queue = createRenderQueue();

export type Reader = {
  /** Whose document it is; tenants have their turns. */
  readonly tenant?: string;
  readonly unwanted?: AbortSignal;
};

/**
 * A PDF (A4). The same facts make the same bytes. Rejects with `TooManyDocuments`, and with `NobodyWaits` where it was
 * `unwanted` before its turn came.
 */
export function receiptPdf({ locale, ...facts }: ReceiptFacts, reader: Reader = {}): Promise<Buffer> {
  return pdf({ kind: 'receipt', facts, locale: named(locale) }, reader);
}

/** A PDF (A4) with the way to pay; otherwise like `receiptPdf`. */
export function invoicePdf({ locale, ...facts }: InvoiceFacts, reader: Reader = {}): Promise<Buffer> {
  return pdf({ kind: 'invoice', facts, locale: named(locale) }, reader);
}

function pdf(drawing: Drawing, { tenant = '', unwanted }: Reader): Promise<Buffer> {
  return queue.draw(tenant, drawing, unwanted);
}

function named({ language, ...format }: Locale): Drawing['locale'] {
  return { language: language.id, ...format };
}
