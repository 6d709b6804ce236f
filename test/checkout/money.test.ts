import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import {
  currencies,
  currencyExponent,
  decimalAmount,
  formatAmount,
  MAX_AMOUNT,
} from '../../src/checkout/money.ts';

suite('the digits of a currency', () => {
  const rows = [
    { digits: 0, codes: 'JPY KRW ISK VND CLP UGX XOF XAF XPF PYG RWF' },
    {
      digits: 2,
      codes: 'USD EUR GBP CHF SGD INR AED AUD BRL CAD CNY HKD IDR MXN MYR PHP PLN SEK THB TRY ZAR HUF',
    },
    { digits: 3, codes: 'BHD IQD JOD KWD LYD OMR TND' },
    { digits: 4, codes: 'CLF UYW' },
    { digits: undefined, codes: 'XAU XAG XDR XXX XTS usd Usd EURO EU DEM constructor __proto__' },
  ];
  for (const { digits, codes } of rows) {
    for (const code of codes.split(' ')) {
      test(`${code}: ${digits}`, () => {
        assert.equal(currencyExponent(code), digits);
        assert.equal(currencies.includes(code), digits !== undefined);
      });
    }
  }

  test('the empty string is no currency', () => assert.equal(currencyExponent(''), undefined));

  test('every code is three capitals, and there once, in order', () => {
    for (const code of currencies) assert.match(code, /^[A-Z]{3}$/);
    assert.deepEqual(currencies, [...new Set(currencies)].sort());
  });
});

suite('an amount', () => {
  test('the largest has fifteen digits and is safe', () => {
    assert.equal(MAX_AMOUNT, 999_999_999_999_999);
    assert.ok(Number.isSafeInteger(MAX_AMOUNT));
  });
});

suite('an amount in words', () => {
  const rows = [
    { amount: 1234, currency: 'USD', text: '12.34 USD' },
    { amount: 1234, currency: 'JPY', text: '1234 JPY' },
    { amount: 1234, currency: 'KWD', text: '1.234 KWD' },
    { amount: 1234, currency: 'CLF', text: '0.1234 CLF' },
    { amount: 0, currency: 'USD', text: '0.00 USD' },
    { amount: 0, currency: 'JPY', text: '0 JPY' },
    { amount: 5, currency: 'USD', text: '0.05 USD' },
    { amount: 50, currency: 'KWD', text: '0.050 KWD' },
    { amount: 100, currency: 'USD', text: '1.00 USD' },
    { amount: MAX_AMOUNT, currency: 'USD', text: '9999999999999.99 USD' },
    { amount: MAX_AMOUNT, currency: 'CLF', text: '99999999999.9999 CLF' },
  ];
  for (const { amount, currency, text } of rows) {
    test(text, () => {
      assert.equal(formatAmount(amount, currency), text);
      assert.equal(`${decimalAmount(amount, currency)} ${currency}`, text);
    });
  }

  test('of a code that is no currency has two digits, as most have', () => {
    assert.equal(decimalAmount(1234, 'XXX'), '12.34');
  });

  test('loses no digit of any amount in any currency', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: MAX_AMOUNT }),
        fc.constantFrom(...currencies),
        (amount, currency) => {
          const text = decimalAmount(amount, currency);
          const [, fraction = ''] = text.split('.');
          assert.equal(fraction.length, currencyExponent(currency));
          assert.match(text, /^(0|[1-9]\d*)(\.\d+)?$/);
          assert.equal(Number(text.replace('.', '')), amount);
        },
      ),
    );
  });
});
