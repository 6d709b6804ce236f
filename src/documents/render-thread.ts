/** Thread that draws documents one after the other; each message is a drawing, each answer a PDF or an error. */
import { parentPort } from 'node:worker_threads';
import { english, languageById } from '../i18n/languages/all.ts';
import type { Locale } from '../i18n/locale.ts';
import { yieldToServing } from '../lib/thread-priority.ts';
import type { InvoiceFacts, ReceiptFacts } from './facts.ts';
import { drawInvoice } from './invoice.ts';
import { drawReceipt } from './receipt.ts';

/** A document as the thread gets it: the functions of a language stay outside. */
export type Drawing = { readonly locale: { readonly language: string } & Omit<Locale, 'language'> } & (
  | { readonly kind: 'receipt'; readonly facts: Omit<ReceiptFacts, 'locale'> }
  | { readonly kind: 'invoice'; readonly facts: Omit<InvoiceFacts, 'locale'> }
);

/** Result of a drawing. */
export type Drawn = { readonly pdf: Uint8Array<ArrayBuffer> } | { readonly error: Error };

yieldToServing();

parentPort?.postMessage('ready');
parentPort?.on('message', (drawing: Drawing) => {
  draw(drawing).then(
    (pdf) => parentPort?.postMessage({ pdf } satisfies Drawn, [pdf.buffer]),
    (error) => parentPort?.postMessage({ error } satisfies Drawn),
  );
});

async function draw(drawing: Drawing): Promise<Uint8Array<ArrayBuffer>> {
  const language = languageById.get(drawing.locale.language) ?? english;
  const locale = { ...drawing.locale, language };
  const pdf =
    drawing.kind === 'receipt'
      ? await drawReceipt({ ...drawing.facts, locale })
      : await drawInvoice({ ...drawing.facts, locale });
  // Bytes of their own can be handed over.
  return new Uint8Array(pdf);
}
