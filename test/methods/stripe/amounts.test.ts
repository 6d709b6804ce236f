import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { currencies, currencyExponent, MAX_AMOUNT } from '../../../src/checkout/money.ts';
import {
  canCharge,
  fromStripeAmount,
  takesCurrency,
  toStripeAmount,
} from '../../../src/methods/stripe/amounts.ts';

suite('amounts at Stripe', () => {
  const same: ReadonlyArray<readonly [currency: string, minor: number, stripe: number]> = [
    ['USD', 1234, 1234],
    ['EUR', 50, 50],
    ['JPY', 500, 500],
    ['BIF', 7, 7],
    ['XPF', 12, 12],
    // Whole units in ISO 4217, hundredths at Stripe.
    ['ISK', 5, 500],
    ['UGX', 3700, 370_000],
    // Hundredths in ISO 4217, whole units at Stripe.
    ['MGA', 1200, 12],
    // Two-decimal in charges, whatever payouts are.
    ['HUF', 100_045, 100_045],
    ['TWD', 80_045, 80_045],
    ['KWD', 5120, 5120],
    ['TND', 10, 10],
  ];
  for (const [currency, minor, stripe] of same) {
    test(`${minor} ${currency} are ${stripe} at Stripe, and back`, () => {
      assert.equal(toStripeAmount(minor, currency), stripe);
      assert.equal(fromStripeAmount(stripe, currency), minor);
    });
  }

  const inexpressible: ReadonlyArray<readonly [currency: string, minor: number]> = [
    ['KWD', 5124],
    ['BHD', 1],
    ['MGA', 1250],
    ['IQD', 1000],
    ['LYD', 1000],
    ['CLF', 10_000],
    ['UYW', 10_000],
    ['XXX', 1],
  ];
  for (const [currency, minor] of inexpressible) {
    test(`${minor} ${currency} cannot be expressed`, () => {
      assert.equal(toStripeAmount(minor, currency), null);
      assert.equal(canCharge(minor, currency), false);
    });
  }

  test('an amount that is not a whole number of minor units is not converted', () => {
    assert.equal(fromStripeAmount(550, 'ISK'), null);
    assert.equal(fromStripeAmount(1, 'UGX'), null);
    assert.equal(fromStripeAmount(1, 'CLF'), null);
  });

  test('no currency of four digits, and only those of three that Stripe lists', () => {
    const taken = currencies.filter(takesCurrency);
    assert.deepEqual(
      taken.filter((each) => (currencyExponent(each) ?? 0) > 2),
      ['BHD', 'JOD', 'KWD', 'OMR', 'TND'],
    );
    assert.ok(taken.length > 130, `${taken.length}`);
  });

  test('every amount of every currency is converted exactly, there and back, or not at all', () => {
    const amounts = fc.integer({ min: 1, max: MAX_AMOUNT });
    fc.assert(
      fc.property(fc.constantFrom(...currencies), amounts, (currency, amount) => {
        const stripe = toStripeAmount(amount, currency);
        if (stripe === null) return;
        assert.ok(Number.isSafeInteger(stripe));
        assert.equal(fromStripeAmount(stripe, currency), amount);
      }),
      { numRuns: 2000 },
    );
  });

  test('in a currency that Stripe takes, an amount of whole units can always be expressed', () => {
    for (const currency of currencies.filter(takesCurrency)) {
      const exponent = currencyExponent(currency) ?? 0;
      assert.equal(typeof toStripeAmount(7 * 10 ** exponent, currency), 'number', currency);
    }
  });

  test('a charge has at most twelve digits in the unit of Stripe, in every currency', () => {
    const most: ReadonlyArray<readonly [currency: string, minor: number]> = [
      ['USD', 999_999_999_999],
      ['IDR', 999_999_999_999],
      ['COP', 999_999_999_999],
      ['JPY', 999_999_999_999],
      // Stripe counts hundredths of these: 5 ISK have three digits.
      ['ISK', 9_999_999_999],
      ['UGX', 9_999_999_999],
    ];
    for (const [currency, minor] of most) {
      assert.equal(canCharge(minor, currency), true, currency);
      assert.equal(canCharge(minor + 1, currency), false, currency);
    }
    // Whole ariary, and the last of three decimals has to be 0.
    assert.equal(canCharge(99_999_999_999_900, 'MGA'), true);
    assert.equal(canCharge(100_000_000_000_000, 'MGA'), false);
    assert.equal(canCharge(999_999_999_990, 'KWD'), true);
    assert.equal(canCharge(1_000_000_000_000, 'KWD'), false);
    assert.equal(canCharge(150_000_000, 'IDR'), true, '1,500,000.00 IDR');
    assert.equal(canCharge(1_000_000, 'UGX'), true, '1,000,000 UGX');
  });

  const least: ReadonlyArray<readonly [currencies: string, minor: number]> = [
    ['ARS AUD BRL CAD CHF COP EUR IDR ILS INR JPY KRW NZD PHP RUB SGD USD ZAR', 50],
    ['GBP', 30],
    ['AED MYR PLN RON', 200],
    ['DKK', 250],
    ['NOK SEK', 300],
    ['HKD', 400],
    ['MXN THB', 1000],
    ['CZK', 1500],
    ['HUF', 17_500],
    // Nothing is published: the least amount that can be expressed.
    ['KES XOF VND', 1],
    ['KWD', 10],
    ['MGA', 100],
    ['ISK UGX', 1],
  ];
  for (const [codes, minor] of least) {
    test(`a charge in ${codes} is at least ${minor}`, () => {
      for (const currency of codes.split(' ')) {
        assert.equal(canCharge(minor, currency), true, currency);
        assert.equal(canCharge(minor - 1, currency), false, currency);
      }
    });
  }
});
