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

  test('charges have a least and a most', () => {
    assert.equal(canCharge(49, 'USD'), false);
    assert.equal(canCharge(50, 'USD'), true);
    assert.equal(canCharge(99_999_999, 'USD'), true);
    assert.equal(canCharge(100_000_000, 'USD'), false);
    assert.equal(canCharge(29, 'GBP'), false);
    assert.equal(canCharge(999_999, 'ISK'), true);
    assert.equal(canCharge(1_000_000, 'ISK'), false);
    assert.equal(canCharge(99_999_999, 'MGA'), false);
    assert.equal(canCharge(99_999_900, 'MGA'), true);
  });
});
