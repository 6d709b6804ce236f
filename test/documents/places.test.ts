/**
 * The layout of a receipt and of invoices, as it was found good by eye. After a change, look at the
 * documents, then write the places anew with `npx node --test --test-update-snapshots` and this file.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { invoicePdf, receiptPdf } from '../../src/documents/render-queue.ts';
import { invoiceOf, receiptOf, refund, swissPayload } from './build.ts';
import { readPdf, rulesOf } from './read-pdf.ts';

/** Texts with the places where they begin, from the lower left corner; then the rules, from the upper one. */
async function placesOf(bytes: Buffer): Promise<string> {
  const { pages } = await readPdf(bytes);
  const texts = pages.flatMap(({ texts }, index) => [
    `page ${index + 1}`,
    ...texts
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, x, y }) => `${x.toFixed(1)} ${y.toFixed(1)} ${text}`),
  ]);
  return [...texts, 'rules', ...rulesOf(bytes), ''].join('\n');
}

async function assertPlaces(t: TestContext, name: string, bytes: Buffer): Promise<void> {
  const found = await placesOf(bytes);
  assert.ok(found.length > 1000);
  t.assert.fileSnapshot(found, join(import.meta.dirname, 'places', `${name}.txt`), {
    serializers: [(text) => text],
  });
}

test('a receipt of two pages in test mode', async (t) => {
  const items = Array.from({ length: 24 }, (_, index) => ({
    name:
      index === 3 ? 'A long name that does not fit into one line beside its numbers' : `Item ${index + 1}`,
    quantity: index + 1,
    unitPrice: 1_000,
    ...(index % 8 === 0 && { description: 'Ground for filters, 250 g' }),
  }));
  const facts = receiptOf({
    tenant: { account: 1, mode: 'test' },
    lifecycle: { state: 'active' },
    items,
    amount: 290_000,
    refunds: [refund(500), refund(100, { id: 'rfd_2', status: 'pending', reference: '' })],
  });
  await assertPlaces(t, 'receipt', await receiptPdf(facts));
});

test('an invoice that reads from right to left', async (t) => {
  await assertPlaces(t, 'invoice-ar', await invoicePdf(invoiceOf({}, 'ar')));
});

test('a Swiss invoice whose payer fills in the amount', async (t) => {
  const instructions = { fields: [], code: { payload: swissPayload('', []), swissCross: true } };
  await assertPlaces(t, 'invoice-ch', await invoicePdf(invoiceOf({ currency: 'CHF' }, 'de', instructions)));
});
