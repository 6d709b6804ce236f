/** Receipts in all languages: everything is said, amounts and times as the pages write them, each script in its order. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ReceiptFacts } from '../../src/documents/facts.ts';
import { invoicePdf, receiptPdf } from '../../src/documents/render-queue.ts';
import { languages } from '../../src/i18n/languages/all.ts';
import { count, moment, money } from '../../src/i18n/locale.ts';
import { reversal } from '../checkout/build-refunds.ts';
import { invoiceOf, items, receiptOf, refund, T } from './build.ts';
import { actualTexts, lettersOf, type PlacedText, packed, readPdf } from './read-pdf.ts';

/** The texts of a receipt that a reader has to find. */
function expected({ locale, ...facts }: ReceiptFacts): string[] {
  const { messages } = locale.language;
  const { document } = messages;
  const amount = (value: number) => money(locale, value, facts.currency);
  return [
    ...[messages.receiptTitle, document.payee, document.payer, messages.date, messages.orderReference],
    ...[messages.session, messages.order, document.item, document.quantity, document.unitPrice],
    ...[messages.amount, messages.otherCharges, messages.total, messages.paid, document.refunded],
    ...[document.excess, messages.payments, messages.method, messages.reference, document.refunds],
    ...[document.status, document.refundStatuses.succeeded, document.refundStatuses.pending],
    ...[messages.takenBack, document.verify, document.page('1', '1'), messages.card],
    ...[facts.payee.name, ...facts.payee.lines, document.taxId, facts.taxId],
    ...[facts.payer.name, ...facts.payer.lines],
    ...[facts.orderReference, facts.sessionId, facts.description],
    ...facts.items.flatMap(({ name, description, quantity, unitPrice }) => [
      ...[name, description, count(locale, quantity), amount(unitPrice), amount(quantity * unitPrice)],
    ]),
    ...facts.sums.map((each) => amount(each.amount)),
    ...[...facts.payments, ...facts.goneBack].flatMap((each) => [
      ...[moment(locale, each.at), each.reference, amount(each.amount)],
    ]),
  ];
}

const refunds = [refund(500), refund(100, { id: 'rfd_2', status: 'pending', reference: '' })];

const reversals = [reversal(90, { createdAt: T + 10_800_000, status: 'lost' })];

/** The number of times that each character occurs. */
function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of text) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

suite('a receipt says everything', () => {
  for (const { id, tag, direction } of languages) {
    test(`in the language ${id}`, async () => {
      const facts = receiptOf({ refunds, reversals }, id);
      const bytes = await receiptPdf(facts);
      const { pages, info } = await readPdf(bytes);
      const letters = lettersOf(pages);
      const spoken = packed(actualTexts(bytes).join(''));
      const isRearranged = direction === 'rtl' || id === 'hi';
      for (const text of expected(facts)) {
        const isFound = letters.includes(packed(text)) || spoken.includes(packed(text));
        assert.ok(isFound || (isRearranged && !/\p{sc=Arabic}|\p{sc=Devanagari}/u.test(text)), text);
      }
      // The drawn characters, in any order: none is lost, and none is replaced. Letters of Arabic and
      // Devanagari are put together from parts that several of them share, which have no names of their own.
      const drawn = countsOf(letters);
      const whole = packed(expected(facts).join('')).replace(/[\p{sc=Arabic}\p{sc=Devanagari}\p{M}]/gu, '');
      for (const [character, times] of countsOf(whole)) {
        assert.ok((drawn.get(character) ?? 0) >= times, `${character} is not drawn`);
      }
      assert.ok(!letters.includes('\ufffd'));
      assert.equal(info.Title, `${facts.locale.language.messages.receiptTitle} – ${facts.payee.name}`);
      assert.equal(info.Author, facts.payee.name);
      assert.equal(info.CreationDate, 'D:20300115130000Z');
      assert.ok(bytes.includes(`/Lang (${tag})`));
    });
  }
});

test('an invoice names the payee without a word of having been paid', async () => {
  const letters = lettersOf((await readPdf(await invoicePdf(invoiceOf()))).pages);
  assert.ok(letters.includes(packed('Payee')));
  assert.ok(!letters.includes(packed('Paid to')));
  for (const { id, messages } of languages) {
    assert.notEqual(messages.document.payee, messages.document.payer, id);
    assert.doesNotMatch(messages.document.payee, /paid|bezahlt|payé|pagado|betald/i, id);
  }
});

suite('a receipt that reads from right to left', () => {
  const find = (texts: readonly PlacedText[], text: string): PlacedText => {
    const found = texts.find((each) => each.text.includes(text));
    assert.ok(found, `${text} is missing`);
    return found;
  };

  test('is mirrored: names at the right edge, amounts at the left one', async () => {
    const [arabic] = (await readPdf(await receiptPdf(receiptOf({}, 'ar')))).pages;
    const [english] = (await readPdf(await receiptPdf(receiptOf({}, 'en')))).pages;
    assert.ok(arabic && english);
    const name = items[0]?.name ?? '';
    const [right, left] = [find(arabic.texts, name), find(english.texts, name)];
    assert.ok(Math.abs(right.x + right.width - (arabic.width - left.x)) < 1);
    const amount = find(arabic.texts, '142.90');
    assert.ok(amount.x < arabic.width / 4);
    // The sign of the currency follows the number, and so stands to its left.
    const sign = arabic.texts.find(({ text, y }) => text.includes('€') && Math.abs(y - amount.y) < 1);
    assert.ok(sign && sign.x <= amount.x);
  });

  test('has foreign words and numbers inside a name where the reading comes to them', async () => {
    const name = 'اختبار 123 abc نص';
    for (const language of ['ar', 'en']) {
      const facts = receiptOf({ items: [{ name, quantity: 1, unitPrice: 100 }] }, language);
      const [page] = (await readPdf(await receiptPdf(facts))).pages;
      const { texts } = page ?? { texts: [] };
      const { y } = find(texts, 'abc');
      const line = texts.filter((each) => Math.abs(each.y - y) < 1);
      const order = ['ص', 'abc', '123', 'ا'].map((part) => find(line, part).x);
      assert.deepEqual(
        order,
        [...order].sort((a, b) => a - b),
      );
    }
  });

  test('has figures of its own script in the order of figures, and brackets that face the right way', async () => {
    const facts = receiptOf({ items: [{ name: 'تومان ۱۲۳۴ (۵)', quantity: 1, unitPrice: 100 }] }, 'en');
    const { pages } = await readPdf(await receiptPdf(facts));
    const texts = pages.flatMap((page) => page.texts);
    assert.match(find(texts, '۱').text, /۱۲۳۴/);
    const [open, close] = [find(texts, '('), find(texts, ')')];
    assert.ok(open.x < find(texts, '۵').x && find(texts, '۵').x < close.x);
  });

  test('joins its letters', async () => {
    const widthOf = async (name: string) => {
      const facts = receiptOf({ description: '', items: [{ name, quantity: 1, unitPrice: 777 }] }, 'ar');
      const [page] = (await readPdf(await receiptPdf(facts))).pages;
      const { texts, width } = page ?? { texts: [], width: 0 };
      const amount = find(texts, '7.77');
      const inRow = texts.filter(
        (each) => Math.abs(each.y - amount.y) < 1 && each.x > width / 2 && each.text.trim(),
      );
      return Math.max(...inRow.map((each) => each.x + each.width)) - Math.min(...inRow.map((each) => each.x));
    };
    const joined = await widthOf('ببببب');
    const apart = await widthOf('ب\u200cب\u200cب\u200cب\u200cب');
    assert.ok(joined < apart * 0.7, `${joined} of ${apart}`);
  });
});

test('a language of Han characters has them in its own forms', async () => {
  const description = '直骨海';
  const nameOf = async (language: string) =>
    (await receiptPdf(receiptOf({ description }, language))).toString('latin1');
  assert.match(await nameOf('ja'), /NotoSansJP/);
  assert.doesNotMatch(await nameOf('ja'), /NotoSansSC/);
  assert.match(await nameOf('zh'), /NotoSansSC/);
  assert.doesNotMatch(await nameOf('en'), /NotoSansJP/);
});
