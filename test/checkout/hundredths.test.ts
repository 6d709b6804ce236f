/** Amounts in hundredths of the unit: both ways, for every number of decimals, up to the largest amounts. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fromHundredths, inHundredths, toHundredths } from '../../src/checkout/hundredths.ts';
import { currencies, MAX_AMOUNT } from '../../src/checkout/money.ts';

suite('hundredths of a unit', () => {
  for (const [currency, amount, hundredths] of [
    ['JPY', 2400, 240_000],
    ['EUR', 1250, 1250],
    ['KWD', 5120, 512],
    ['KWD', 5125, 512.5],
    ['CLF', 51_234, 512.34],
    ['JPY', MAX_AMOUNT, 99_999_999_999_999_900],
    ['EUR', MAX_AMOUNT, MAX_AMOUNT],
    ['KWD', MAX_AMOUNT, 99_999_999_999_999.9],
    ['CLF', MAX_AMOUNT, 9_999_999_999_999.99],
    ['KWD', 0, 0],
  ] as const) {
    test(`${amount} minor units of ${currency} are ${hundredths}`, () => {
      assert.equal(toHundredths(amount, currency), hundredths);
      assert.equal(fromHundredths(hundredths, currency), amount);
    });
  }

  test('come back as the amount that they were made of', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: MAX_AMOUNT }),
        fc.constantFrom(...currencies),
        (amount, currency) => {
          const written = JSON.stringify(toHundredths(amount, currency));
          assert.equal(fromHundredths(JSON.parse(written), currency), amount);
        },
      ),
    );
  });

  for (const [given, currency, amount] of [
    [1998.9999999999998, 'EUR', 1999],
    [239_999.9999999997, 'JPY', 2400],
    [512.0000000001, 'KWD', 5120],
  ] as const) {
    test(`${given} of ${currency} is meant to be ${amount}`, () => {
      assert.equal(fromHundredths(given, currency), amount);
    });
  }

  for (const [given, currency, detail] of [
    [240_050, 'JPY', 'must be a multiple of 100: it counts hundredths, and JPY has no decimals'],
    [19.5, 'EUR', 'must be a whole number'],
    [512.55, 'KWD', 'must be a multiple of 0.1: it counts hundredths, and KWD has 3 decimals'],
    [512.555, 'UYW', 'must be a multiple of 0.01: it counts hundredths, and UYW has 4 decimals'],
    [MAX_AMOUNT + 1, 'EUR', `must be at most ${MAX_AMOUNT}`],
    [100_000_000_000_000, 'KWD', 'must be at most 99999999999999.9'],
  ] as const) {
    test(`${given} is no amount of ${currency}`, () => {
      assert.equal(fromHundredths(given, currency), detail);
    });
  }
});

suite('an answer in hundredths', () => {
  test('has the amounts of each currency, whatever they are in', () => {
    const metadata = { amount: 7, currency: 'JPY' };
    const before = {
      message: 'X',
      data: [
        {
          invoice_currency: 'JPY',
          amount: 2400,
          items: [{ quantity: 2, unit_price: 1200, amount: 2400 }],
          metadata,
        },
        { currency: 'KWD', amount: 5125, parts: [{ amount: 5000 }], limit: 3 },
        { invoice_currency: 'EUR', amount: 99, amount_paid: 98, amount_refunded: 97 },
        { charge_currency: 'JPY', amount: null },
        { currency: 'EUR', amount: 99, fee: { amount: 88, currency: 'JPY' } },
      ],
    };
    assert.deepEqual(JSON.parse(inHundredths(JSON.stringify(before))).data, [
      {
        invoice_currency: 'JPY',
        amount: 240_000,
        items: [{ quantity: 2, unit_price: 120_000, amount: 240_000 }],
        metadata,
      },
      { currency: 'KWD', amount: 512.5, parts: [{ amount: 500 }], limit: 3 },
      { invoice_currency: 'EUR', amount: 99, amount_paid: 98, amount_refunded: 97 },
      { charge_currency: 'JPY', amount: null },
      { currency: 'EUR', amount: 99, fee: { amount: 8800, currency: 'JPY' } },
    ]);
  });

  test('is the same text where hundredths are minor units', () => {
    const json = '{"invoice_currency":"EUR", "amount":1.50}';
    assert.equal(inHundredths(json), json);
  });
});
