import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { type Item, listingOf, totalOf } from '../../src/checkout/items.ts';
import { MAX_AMOUNT } from '../../src/checkout/money.ts';

const item = (quantity: number, unitPrice: number, name = 'Widget'): Item => ({ name, quantity, unitPrice });

suite('what items cost', () => {
  const rows: readonly { name: string; items: readonly Item[]; total: number | null }[] = [
    { name: 'nothing', items: [], total: 0 },
    { name: 'one', items: [item(1, 250)], total: 250 },
    { name: 'several of one', items: [item(3, 250)], total: 750 },
    { name: 'several', items: [item(2, 300), item(1, 150)], total: 750 },
    { name: 'a gift', items: [item(5, 0), item(1, 1)], total: 1 },
    { name: 'all that an amount may be', items: [item(1, MAX_AMOUNT)], total: MAX_AMOUNT },
    { name: 'all that an amount may be, in units', items: [item(MAX_AMOUNT, 1)], total: MAX_AMOUNT },
    { name: 'one unit more', items: [item(1, MAX_AMOUNT), item(1, 1)], total: null },
    { name: 'one unit more, first', items: [item(1, 1), item(1, MAX_AMOUNT)], total: null },
    { name: 'more than a number can hold exactly', items: [item(MAX_AMOUNT, MAX_AMOUNT)], total: null },
    {
      name: 'more than allowed in the middle',
      items: [item(2, MAX_AMOUNT), item(1, 0)],
      total: null,
    },
  ];
  for (const { name, items, total } of rows) {
    test(`${name}: ${total}`, () => assert.equal(totalOf(items), total));
  }

  test('is exact, whatever the items', () => {
    const anyItem = fc.record({
      name: fc.constant('Widget'),
      quantity: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: MAX_AMOUNT })),
      unitPrice: fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: MAX_AMOUNT })),
    });
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 100 }), (items) => {
        let exact = 0n;
        for (const { quantity, unitPrice } of items) exact += BigInt(quantity) * BigInt(unitPrice);
        assert.equal(totalOf(items), exact > BigInt(MAX_AMOUNT) ? null : Number(exact));
      }),
    );
  });
});

suite('the listing of items', () => {
  const rows: readonly { items: readonly Item[]; text: string }[] = [
    { items: [], text: '' },
    { items: [item(2, 1)], text: '2 x Widget' },
    { items: [item(2, 1), item(1, 1, 'Gadget')], text: '2 x Widget, 1 x Gadget' },
    { items: [item(1, 1, 'a, b'), item(1, 1, 'ピザ <b>')], text: '1 x a, b, 1 x ピザ <b>' },
    { items: [{ ...item(1, 1), description: 'blue' }], text: '1 x Widget' },
  ];
  for (const { items, text } of rows) {
    test(JSON.stringify(text), () => assert.equal(listingOf(items), text));
  }
});
