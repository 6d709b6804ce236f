/** Amounts, dates, references and texts as statements write them. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  calendarDate,
  checkBalance,
  compact,
  dateOf,
  fullYear,
  given,
  minorUnits,
  quoted,
  signed,
  tidied,
} from '../../src/statements/values.ts';

const fail = (detail: string): never => {
  throw new Error(detail);
};

suite('a text', () => {
  test('is one line, with one blank between words, and nothing that disturbs a terminal', () => {
    for (const [text, expected] of [
      ['Order 7', 'Order 7'],
      ['  Order \t\r\n 7  ', 'Order 7'],
      ['Order\u00a07\u0000and\u001b8', 'Order 7 and 8'],
      ['Order \u202e7\u2066 8\ufeff', 'Order 7 8'],
      ['Müller  & Söhne', 'Müller & Söhne'],
      ['a longer text of several words', 'a longer text of several words'],
      ['', ''],
    ] as const) {
      assert.equal(tidied(text), expected, JSON.stringify(text));
    }
  });

  test('is short inside of a message', () => {
    assert.equal(quoted('a "b"\n'), '"a \\"b\\""');
    assert.equal(quoted('x'.repeat(60)), `"${'x'.repeat(60)}"`);
    assert.equal(quoted('x'.repeat(61)), `"${'x'.repeat(60)}…"`);
  });

  test('that is a reference is compared without blanks, in capitals', () => {
    assert.equal(compact(' rf18 5390\n0754 '), 'RF1853900754');
  });

  test('that only says that there is none is none', () => {
    for (const none of [
      'NOTPROVIDED',
      'notprovided',
      'NOTAVAILABLE',
      'NOT PROVIDED',
      'NONREF',
      'NOREF',
      'Non Ref',
    ])
      assert.equal(given(` ${none} `), '', none);
    for (const text of ['NONREF1', 'X NOTPROVIDED', 'E-1']) assert.equal(given(text), text);
  });
});

suite('an amount in minor units', () => {
  for (const [text, currency, expected] of [
    ['12.3', 'EUR', 1230],
    ['12.30', 'EUR', 1230],
    ['12', 'EUR', 1200],
    ['12.', 'EUR', 1200],
    ['.5', 'EUR', 50],
    ['0', 'EUR', 0],
    ['000.010', 'EUR', 1],
    ['12.300000', 'EUR', 1230],
    ['12', 'JPY', 12],
    ['12.00', 'JPY', 12],
    ['1.234', 'KWD', 1234],
    ['1.2345', 'CLF', 12_345],
    ['9999999999999.99', 'EUR', 999_999_999_999_999],
    ['0009999999999999.99', 'EUR', 999_999_999_999_999],
  ] as const) {
    test(`${text} ${currency}`, () => assert.equal(minorUnits(text, currency, fail), expected));
  }

  for (const [text, currency, message] of [
    ['', 'EUR', 'the amount "" is not a number'],
    ['.', 'EUR', 'the amount "." is not a number'],
    ['1,5', 'EUR', 'the amount "1,5" is not a number'],
    ['-1', 'EUR', 'the amount "-1" is not a number'],
    ['1.005', 'EUR', 'the amount "1.005" has more digits than EUR has'],
    ['1.5', 'JPY', 'the amount "1.5" has more digits than JPY has'],
    ['10000000000000.00', 'EUR', 'the amount "10000000000000.00" exceeds the largest possible amount'],
    ['99999999999999999999', 'EUR', 'the amount "99999999999999999999" exceeds the largest possible amount'],
    ['1', 'XAU', 'the currency "XAU" is not in ISO 4217'],
  ] as const) {
    test(`${text} ${currency} is refused`, () =>
      assert.throws(() => minorUnits(text, currency, fail), { message }));
  }

  test('takes from a balance as a debit, and adds to it as a credit', () => {
    assert.deepEqual([signed(5, 'credit'), signed(5, 'debit')], [5, -5]);
  });
});

suite('a date', () => {
  test('is a day that a calendar has', () => {
    assert.equal(calendarDate(2024, 2, 29), '2024-02-29');
    assert.equal(dateOf('2026', '12', '03'), '2026-12-03');
    assert.equal(calendarDate(1900, 1, 1), '1900-01-01');
    for (const [year, month, day] of [
      [2023, 2, 29],
      [2026, 4, 31],
      [2026, 0, 1],
      [2026, 13, 1],
      [2026, 1, 0],
      [2026, 1, 32],
      [1899, 12, 31],
      [26, 1, 1],
    ] as const) {
      assert.equal(calendarDate(year, month, day), null, `${year}-${month}-${day}`);
    }
  });

  test('with two digits of a year is of this century, unless it is of the eighties or nineties', () => {
    assert.deepEqual(['00', '26', '79', '80', '99'].map(fullYear), [2000, 2026, 2079, 1980, 1999]);
  });
});

suite('a balance', () => {
  const check = (opening: number, sum: bigint, closing: number) =>
    checkBalance({ opening, sum, closing }, 'EUR', fail);

  test('is what the entries lead to', () => {
    check(100, -150n, -50);
    check(0, 0n, 0);
    check(999_999_999_999_999, 0n, 999_999_999_999_999);
  });

  test('is told with its sign where it is not', () => {
    assert.throws(() => check(100, -150n, 50), {
      message:
        'the entries do not add up to the closing balance: from 1.00 EUR they lead to -0.50 EUR, not to 0.50 EUR',
    });
    assert.throws(() => check(-100, 100n, 1), {
      message:
        'the entries do not add up to the closing balance: from -1.00 EUR they lead to 0.00 EUR, not to 0.01 EUR',
    });
  });
});
