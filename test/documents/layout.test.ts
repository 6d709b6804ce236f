/** Long documents: nothing is cut, lost or printed twice; short ones have the same bytes each time. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Checkout } from '../../src/checkout/session.ts';
import type { Payee } from '../../src/documents/facts.ts';
import { invoicePdf, receiptPdf } from '../../src/documents/render-queue.ts';
import { checkout, invoiceOf, longItems, number, payment, receiptOf, refund } from './build.ts';
import { assertMargins, countPages, lettersOf, packed, readPdf, render } from './read-pdf.ts';

const manyPayments = Array.from({ length: 150 }, (_, index) =>
  payment(index + 1, { reference: `pay-${number(index)}` }),
);
const manyRefunds = Array.from({ length: 100 }, (_, index) =>
  refund(1, { reference: `refund-${number(index)}` }),
);

suite('a long receipt', async () => {
  const facts = receiptOf({ items: longItems, payments: manyPayments, refunds: manyRefunds });
  const bytes = await receiptPdf(facts);
  const { pages } = await readPdf(bytes);
  const letters = lettersOf(pages);

  test('has every item, payment and refund once and whole', () => {
    assert.ok(pages.length > 10);
    for (const [index, { name }] of longItems.entries()) {
      assert.equal(letters.split(`begin${number(index)}`).length, 2);
      assert.equal(letters.split(`end${number(index)}`).length, 2);
      assert.ok(name.length <= 250);
    }
    for (const { reference } of manyPayments) assert.equal(letters.split(reference).length, 2, reference);
    for (const { reference } of manyRefunds) assert.equal(letters.split(reference).length, 2, reference);
    const lorem = longItems
      .map(({ name }) => name)
      .join('')
      .split('lorem').length;
    assert.equal(letters.split('lorem').length, lorem);
  });

  test('has the numbers of an item on the line on which its name begins', () => {
    for (const [index] of longItems.entries()) {
      const page = pages.find(({ texts }) =>
        texts.some(({ text }) => text.includes(`begin${number(index)}`)),
      );
      const begin = page?.texts.find(({ text }) => text.includes(`begin${number(index)}`));
      const line =
        page?.texts.filter(({ y }) => Math.abs(y - (begin?.y ?? 0)) < 1).map(({ text }) => text) ?? [];
      assert.ok(line.includes(`${index + 1}`), `${index}: ${line.join('|')}`);
      assert.ok(line.includes(`€${((1000 + index) / 100).toFixed(2)}`));
    }
  });

  test('says on every page which it is, and repeats the heading of a table that goes on', () => {
    for (const [index, { texts }] of pages.entries()) {
      const page = packed(texts.map(({ text }) => text).join(''));
      assert.ok(page.includes(packed(`Page ${index + 1} of ${pages.length}`)));
      if (page.includes('begin')) assert.ok(page.includes('Quantity'), `page ${index + 1}`);
      if (page.includes('pay-')) assert.ok(page.includes(packed('Payment method')), `page ${index + 1}`);
    }
  });

  test('keeps to its margins', async () => {
    assert.equal(await countPages(bytes), pages.length);
    for (const picture of await render(bytes, { scale: 1.5, part: [0, 4] })) assertMargins(picture, 55, 28);
  });
});

suite('a document', () => {
  test('is the same bytes each time, and others for other facts', async () => {
    const [one, two] = [await receiptPdf(receiptOf({}, 'ja')), await receiptPdf(receiptOf({}, 'ja'))];
    assert.ok(one.equals(two));
    assert.ok(!one.equals(await receiptPdf(receiptOf({ referenceId: 'order-1002' }, 'ja'))));
    assert.ok((await invoicePdf(invoiceOf())).equals(await invoicePdf(invoiceOf())));
  });

  test('can be made many at a time', async () => {
    const alone = await receiptPdf(receiptOf({}, 'zh'));
    const together = await Promise.all(Array.from({ length: 5 }, () => receiptPdf(receiptOf({}, 'zh'))));
    for (const each of together) assert.ok(each.equals(alone));
  });

  test('of test mode says so on every page', async () => {
    const tenant = { account: 1, mode: 'test' } as const;
    for (const bytes of [
      await receiptPdf(receiptOf({ tenant, items: longItems })),
      await invoicePdf(invoiceOf({ tenant, items: longItems })),
    ]) {
      const { pages } = await readPdf(bytes);
      assert.ok(pages.length > 3);
      for (const page of pages) assert.match(lettersOf([page]), /TEST·/);
    }
    const { pages } = await readPdf(await receiptPdf(receiptOf()));
    assert.doesNotMatch(lettersOf(pages), /TEST/);
  });

  test('leaves out what is not known', async () => {
    const nobody: Payee = { name: 'Shop', addressLines: [], taxId: '', email: '' };
    const { payer } = checkout();
    const given = {
      payer: { ...payer, name: '', email: '', country: '', billingDetails: null },
      items: [],
      refunds: [],
    };
    const { pages } = await readPdf(await receiptPdf(receiptOf({ ...given, description: '' }, 'en', nobody)));
    const letters = lettersOf(pages);
    for (const absent of ['Payer', 'Tax ID', 'Quantity', 'Refund', 'other charges', 'Discount']) {
      assert.ok(!letters.includes(packed(absent)), absent);
    }
    for (const present of ['Shop', 'Receipt', '€142.90', 'pay_1', 'order-1001']) {
      assert.ok(letters.includes(packed(present)), present);
    }
  });

  test('keeps a short text in one piece, and begins a long one right away', async () => {
    const pagesWith = async (description: string, rows: number) => {
      const items = Array.from({ length: rows }, (_, index) => ({
        name: `Item ${index}`,
        quantity: 1,
        unitPrice: 1,
        description: index === rows - 1 ? description : '',
      }));
      const { pages } = await readPdf(await receiptPdf(receiptOf({ items })));
      return pages.map((page) => lettersOf([page])).filter((letters) => letters.includes('lorem')).length;
    };
    for (let rows = 20; rows < 30; rows++)
      assert.equal(await pagesWith('lorem '.repeat(80), rows), 1, `${rows}`);
    assert.equal(await pagesWith('lorem '.repeat(700), 10), 2);
  });

  test('says what is still due, or what is too much', async () => {
    const say = async (paid: number, given: Partial<Checkout> = {}) => {
      const facts = receiptOf({ payments: [payment(paid)], refunds: [], ...given });
      return lettersOf((await readPdf(await receiptPdf(facts))).pages);
    };
    assert.ok((await say(10_000, { lifecycle: { state: 'active' } })).includes(packed('Still to pay€42.90')));
    assert.ok((await say(15_000)).includes(packed('Paid in excess€7.10')));
    assert.doesNotMatch(await say(14_290), /excess|Stilltopay/);
  });
});
