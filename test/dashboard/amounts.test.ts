/** Amounts as people type them, in minor units: exact, or refused in words. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MAX_AMOUNT } from '../../src/checkout/money.ts';
import { readAmount } from '../../src/dashboard/amounts.ts';

suite('an amount', () => {
  for (const [text, currency, amount] of [
    ['12.50', 'EUR', 1250],
    ['12.5', 'EUR', 1250],
    ['12', 'EUR', 1200],
    ['0', 'EUR', 0],
    ['0.01', 'EUR', 1],
    ['007', 'EUR', 700],
    ['0.29', 'EUR', 29],
    ['1.1', 'EUR', 110],
    ['4.35', 'EUR', 435],
    ['1250', 'JPY', 1250],
    ['1.234', 'KWD', 1234],
    ['1.2', 'KWD', 1200],
    ['1.2345', 'CLF', 12345],
    ['9999999999999.99', 'EUR', MAX_AMOUNT],
    ['0000000000000000000001', 'EUR', 100],
    ['999999999999999', 'JPY', MAX_AMOUNT],
  ] as const) {
    test(`${text} ${currency} is ${amount}`, () => {
      assert.deepEqual(readAmount(text, currency), { amount });
    });
  }

  for (const [text, currency, wrong] of [
    ['12.505', 'EUR', 'An amount in EUR has at most 2 digits behind a decimal point, such as 12.50.'],
    ['12.500', 'EUR', 'An amount in EUR has at most 2 digits behind a decimal point, such as 12.50.'],
    ['12.0', 'JPY', 'An amount in JPY has no decimal point, such as 1250.'],
    ['1.2345', 'KWD', 'An amount in KWD has at most 3 digits behind a decimal point, such as 1.250.'],
    ['10000000000000', 'EUR', 'This amount is too large.'],
    ['1000000000000000', 'JPY', 'This amount is too large.'],
  ] as const) {
    test(`${text} ${currency} is refused`, () => {
      assert.deepEqual(readAmount(text, currency), { wrong });
    });
  }

  for (const text of [
    '',
    ' ',
    '.',
    '.5',
    '5.',
    '-1',
    '+1',
    '1,5',
    '1 000',
    '1e3',
    '0x10',
    '١',
    '1.2.3',
    '€5',
  ]) {
    test(`"${text}" is none`, () => {
      assert.ok('wrong' in readAmount(text, 'EUR'));
    });
  }
});
