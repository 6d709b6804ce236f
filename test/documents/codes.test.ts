/** The codes on documents, read from the printed page, and the payment part of the Swiss QR-bill. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Instructions } from '../../src/documents/facts.ts';
import { invoicePdf, receiptPdf } from '../../src/documents/render-queue.ts';
import { readCode } from '../support/read-code.ts';
import { epcInstructions, invoiceOf, receiptOf, swissDebtor, swissPayload, VERIFY_URL } from './build.ts';
import { lettersOf, type Picture, type PlacedText, packed, readPdf, render } from './read-pdf.ts';

const MM = 72 / 25.4;
/** The upper edge of the payment part, from the lower edge of the page as PDF counts. */
const PART_TOP = 105 * MM;

const swiss = (payload: string): Instructions => ({ fields: [], code: { payload, swissCross: true } });

test('the code of a receipt leads to its proof, in both directions of reading', async () => {
  for (const language of ['en', 'ar']) {
    const [picture] = await render(await receiptPdf(receiptOf({}, language)), { part: [0, 1] });
    assert.ok(picture);
    assert.equal(await readCode(picture), VERIFY_URL);
  }
});

test('the code of a receipt keeps its quiet zone of four modules below the banner of test mode', async () => {
  const tenant = { account: 1, mode: 'test' } as const;
  const [picture] = await render(await receiptPdf(receiptOf({ tenant })), { part: [0, 1] });
  assert.ok(picture);
  // Down the outer column of a finder pattern, which is seven modules high; above it are the edges of the banner.
  const runs = darkRunsDown(picture, 210 * MM - 20 * MM - 91);
  const [, edge, finder] = runs;
  assert.ok(edge && finder);
  const module = (finder.end - finder.start) / 7;
  assert.ok(finder.start - edge.end >= 4 * module, `${finder.start - edge.end} for ${module}`);
});

/** Dark parts of a column of the page, from above, in points. */
function darkRunsDown({ dark, height, scale }: Picture, x: number): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  const step = 1 / scale;
  for (let y = 0; y < height / scale; y += step) {
    const last = runs.at(-1);
    if (!dark(x, y)) continue;
    if (last && y - last.end < step / 2) last.end = y + step;
    else runs.push({ start: y, end: y + step });
  }
  return runs;
}

suite('an invoice for a bank transfer', () => {
  test('has the fields, the code with the same, and the last day to pay', async () => {
    const bytes = await invoicePdf(invoiceOf());
    const [picture] = await render(bytes, { part: [0, 1] });
    assert.ok(picture);
    assert.equal(await readCode(picture), epcInstructions.code?.payload);
    const letters = lettersOf((await readPdf(bytes)).pages);
    for (const { label, text } of epcInstructions.fields) {
      assert.ok(letters.includes(packed(label)) && letters.includes(packed(text)), label);
    }
    assert.ok(letters.includes(packed('January 16, 2030')));
    assert.match(letters, /Scanwithyourbankingapp/);
  });

  test('has fields alone where no standard has a code', async () => {
    const letters = lettersOf(
      (await readPdf(await invoicePdf(invoiceOf({}, 'en', { ...epcInstructions, code: null })))).pages,
    );
    assert.ok(letters.includes('DE89370400440532013000'));
    assert.doesNotMatch(letters, /Scan/);
  });

  test('keeps the fields and the code on one page', async () => {
    for (let count = 8; count < 20; count++) {
      const items = Array.from({ length: count }, (_, index) => ({
        name: `Item ${index}`,
        quantity: 1,
        unitPrice: 1,
      }));
      const { pages } = await readPdf(await invoicePdf(invoiceOf({ items })));
      const last = lettersOf(pages.slice(-1));
      for (const each of ['Paybybanktransfer', 'DE8937', 'RF185390', 'Scanwith'])
        assert.ok(last.includes(each), each);
    }
  });
});

suite('a Swiss QR-bill', () => {
  const full = swissPayload('1949.75', swissDebtor);
  const blank = swissPayload('', []);

  const billOf = (payload: string, language: string) =>
    invoicePdf(invoiceOf({ currency: 'CHF' }, language, swiss(payload)));
  async function textsOf(bytes: Buffer): Promise<readonly PlacedText[]> {
    const page = (await readPdf(bytes)).pages.at(-1);
    assert.ok(page);
    return page.texts;
  }
  async function pictureOf(bytes: Buffer): Promise<Picture> {
    const [picture] = await render(bytes, { part: [-1] });
    assert.ok(picture);
    return picture;
  }
  /** The first text that is this, with its place from the upper left corner of the part in millimetres. */
  const placeOf = (texts: readonly PlacedText[], text: string, at = 0) => {
    const found = texts.filter((each) => each.text === text)[at];
    assert.ok(found, `${text} is missing`);
    return { x: found.x / MM, y: (PART_TOP - found.y) / MM };
  };

  test('has the code of 46 mm with the cross, which reads as it was given', async () => {
    for (const payload of [full, blank]) {
      const picture = await pictureOf(await billOf(payload, 'de'));
      assert.equal(await readCode(picture), payload);
      const dark = (x: number, y: number) => picture.dark(x * MM, (192 + y) * MM);
      // The outer corners of three finder patterns, and white beyond them.
      for (const [x, y] of [
        [67, 17],
        [113, 17],
        [67, 63],
      ] as const) {
        const [inX, inY] = [x === 67 ? 0.3 : -0.3, y === 17 ? 0.3 : -0.3];
        assert.ok(dark(x + inX, y + inY), `${x}, ${y}`);
        assert.ok(!dark(x - inX * 3, y - inY * 3), `${x}, ${y}`);
      }
      // The middle of the cross is white, the square around it black, and its margin white.
      assert.ok(!dark(90, 40) && !dark(91.5, 40) && !dark(90, 38.5));
      assert.ok(dark(92.5, 42.5) && dark(87.5, 37.5));
      assert.ok(!dark(93.25, 40) && !dark(86.75, 40));
    }
  });

  const titles = {
    de: ['Empfangsschein', 'Zahlteil', 'Vor der Einzahlung abzutrennen', 'Zahlbar durch'],
    fr: ['Récépissé', 'Section paiement', 'A détacher avant le versement', 'Payable par'],
    it: ['Ricevuta', 'Sezione pagamento', 'Da staccare prima del versamento', 'Pagabile da'],
    en: ['Receipt', 'Payment part', 'Separate before paying in', 'Payable by'],
    pl: ['Receipt', 'Payment part', 'Separate before paying in', 'Payable by'],
  };
  for (const [language, [receipt = '', part = '', separate = '', debtor = '']] of Object.entries(titles)) {
    test(`has the words and places of the guidelines in the language ${language}`, async () => {
      const texts = await textsOf(await billOf(full, language));
      const below = texts.filter(({ y }) => y < PART_TOP);
      const [left, right] = [placeOf(below, receipt), placeOf(below, part)];
      assert.ok(Math.abs(left.x - 5) < 0.2 && Math.abs(right.x - 67) < 0.2 && left.y < 12 && right.y < 12);
      const line = texts.find(({ text }) => text === separate);
      assert.ok(line && line.y > PART_TOP && line.y < PART_TOP + 6 * MM);
      for (const text of [
        'CH44 3199 9123 0008 8901 2',
        'Robert Schneider AG',
        'Rue du Lac 1268',
        '2501 Biel',
        '21 00000 00003 13947 14300 09017',
        debtor,
        'Grosse Marktgasse 28',
        '9400 Rorschach',
        'CHF',
        '1 949.75',
      ]) {
        const [inReceipt, inPart] = [placeOf(below, text), placeOf(below, text, 1)];
        assert.ok(inReceipt.x < 57 && inPart.x > 66, text);
        assert.ok(inReceipt.y < 82 && inPart.y < 90, text);
      }
      assert.ok(placeOf(below, 'Bestellung vom 15.09.2030').x > 117);
    });
  }

  test('has fields to be filled in by hand that meet nothing else', async () => {
    const bytes = await billOf(blank, 'de');
    const [texts, picture] = [await textsOf(bytes), await pictureOf(bytes)];
    assert.equal(texts.filter(({ text }) => text === 'Zahlbar durch (Name/Adresse)').length, 2);
    const dark = (x: number, y: number) => picture.dark(x * MM, (192 + y) * MM);
    // The amount of the payment part: 40 mm wide, up to the column of the account at most.
    const near = (x: number, y: number) => [-0.3, 0, 0.3].some((off) => dark(x, y + off));
    assert.ok(near(76.5, 73) && near(115.5, 73) && near(76.5, 88) && near(115.5, 88));
    assert.ok(!near(75.5, 73) && !near(116.5, 73) && !near(116.5, 88));
  });

  test('stands at the foot of the last page with nothing else beside it', async () => {
    for (const count of [1, 9, 10, 11, 12, 13, 14, 40]) {
      const items = Array.from({ length: count }, (_, index) => ({
        name: `Item ${index}`,
        quantity: 1,
        unitPrice: 1,
      }));
      const bytes = await invoicePdf(invoiceOf({ currency: 'CHF', items }, 'de', swiss(full)));
      const { pages } = await readPdf(bytes);
      const last = pages.at(-1);
      const ours = last?.texts.filter(
        ({ text, y }) => y < PART_TOP + 7 * MM && /Item|Seite|Bitte|Gesamt/.test(text),
      );
      assert.deepEqual(ours, []);
      assert.ok(lettersOf(pages).includes(packed(`Seite ${pages.length} von ${pages.length}`)));
      for (const { name } of items) assert.ok(lettersOf(pages).includes(packed(name)));
      assert.equal(last?.texts.filter(({ text }) => text === 'Zahlteil').length, 1);
    }
  });
});
