/** Texts that were not written for a document: every one of them leaves a document that opens and keeps its margins. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { receiptPdf } from '../../src/documents/render-queue.ts';
import { anyText } from '../support/any-text.ts';
import { combinations, scaled } from '../support/scale.ts';
import { checkout, payee, payment, receiptOf } from './build.ts';
import { assertMargins, lettersOf, readPdf, render } from './read-pdf.ts';

/** A receipt with the text wherever somebody else decides what stands there. */
async function receiptWith(text: string, language = 'en') {
  const { payer } = checkout();
  const address = { line1: text, line2: text, city: text, postal_code: text, state: text, country: 'GB' };
  const facts = receiptOf(
    {
      items: [{ name: text, quantity: 999_999_999, unitPrice: 1_000_000, description: text }],
      amount: 999_999_999_999_999,
      description: text.repeat(3),
      referenceId: text.slice(0, 128),
      payments: [payment(999_999_999_999_999, { reference: text })],
      payer: { ...payer, name: text, email: text, billingDetails: { address } },
    },
    language,
    { ...payee, name: text, addressLines: [text, text], taxId: text },
  );
  const bytes = await receiptPdf(facts);
  for (const picture of await render(bytes, { scale: 1.5 })) assertMargins(picture, 55, 28);
  return lettersOf((await readPdf(bytes)).pages);
}

suite('a document survives', () => {
  const names: Readonly<Record<string, string>> = {
    'controls and line breaks': 'a\u0000\u0007b\tc\nd\u2028e\u007ff\u0085g',
    'wide letters without a blank': 'W'.repeat(250),
    'narrow letters without a blank': 'i'.repeat(250),
    'Han characters': '漢字'.repeat(125),
    emoji: '👩‍👩‍👧‍👦 🇩🇪 👍🏽 ❤️ 🎉'.repeat(5),
    'marks upon marks': `Z${'\u0300\u0301\u0302\u0303'.repeat(60)}algo`,
    'joiners alone': '\u200d\u200c\ufe0f\u00ad\u2060'.repeat(20),
    'halves of characters': '\ud800 \udfff a',
    'code points that are no characters': '\u{10ffff}\ufffe\ufdd0',
    'Thai without blanks': 'ภาษาไทยไม่มีการเว้นวรรคระหว่างคำ'.repeat(7),
    'both directions': 'עברית abc العربية 123 (نص) [טקסט] '.repeat(7),
    'parentheses of PDF': '\\) Tj ET (\\ <</Type>> endstream endobj %%EOF',
    'marks that their font places on nothing': 'نص\u06df abc\u06df \u06df\u06df',
    'nothing but blanks': '   \u00a0\u3000  ',
  };
  const directions = ['en', 'ar'];
  for (const [index, [what, text]] of Object.entries(names).entries()) {
    // Every other text reads from right to left in `npm test`.
    const tried = combinations(directions, directions.slice(index % 2, (index % 2) + 1));
    test(`${what}, in ${tried.join(' and ')}`, async () => {
      for (const language of tried) await receiptWith(text, language);
    });
  }

  test('any text at all', async () => {
    await fc.assert(
      fc.asyncProperty(anyText({ maxLength: 250 }), async (text) => {
        await receiptWith(text);
      }),
      { numRuns: scaled(2) },
    );
  });
});

test('overrides of the direction are gone: what is read is what was written', async () => {
  const { pages } = await readPdf(
    await receiptPdf(
      receiptOf({ items: [{ name: 'invoice\u202efdp.exe\u202c', quantity: 1, unitPrice: 1 }] }),
    ),
  );
  assert.ok(lettersOf(pages).includes('invoicefdp.exe'));
});

test('a character that no font has is seen to be missing', async () => {
  const { pages } = await readPdf(
    await receiptPdf(receiptOf({ items: [{ name: 'before ཀ after', quantity: 1, unitPrice: 1 }] })),
  );
  assert.match(lettersOf(pages), /before\ufffdafter/);
});
