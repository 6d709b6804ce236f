import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readMapping, serializeMapping } from '../../src/statements/mapping.ts';
import { entriesOf, mappingOf } from './support.ts';

const least = {
  delimiter: ',',
  date_format: 'YYYY-MM-DD',
  decimal: '.',
  amount: { signed: 'Amount' },
  currency: { fixed: 'EUR' },
  account: { fixed: '123' },
  booked_on: 'Date',
};

function problemsOf(given: unknown): readonly { pointer: string; detail: string }[] {
  const read = readMapping(given);
  return 'problems' in read ? read.problems : [];
}

suite('a mapping of columns', () => {
  test('has defaults for all but what every file needs, and is its own normal form', () => {
    const mapping = mappingOf(least);
    assert.deepEqual(serializeMapping(mapping), {
      ...least,
      encoding: 'utf-8',
      skip_lines: 0,
      has_header: true,
      thousands: '',
      only: null,
      value_on: null,
      counterparty_name: null,
      counterparty_account: null,
      counterparty_bic: null,
      remittance: [],
      end_to_end_id: null,
      creditor_reference: null,
      bank_reference: null,
      transaction_code: null,
    });
    assert.deepEqual(mappingOf(JSON.parse(JSON.stringify(serializeMapping(mapping)))), mapping);
  });

  test('is told all that is wrong with it, and where', () => {
    const given = {
      ...least,
      delimiter: '#',
      encoding: 'utf-7',
      skip_lines: -1,
      date_format: 'YY',
      decimal: undefined,
      amount: { credit: 'Credit', unsigned: 0, indicator: '', credit_words: [], debit_words: [1] },
      currency: { fixed: 'eur' },
      account: { column: 201 },
      remittance: ['A', ''],
      'no/such~field': 1,
    };
    assert.deepEqual(
      problemsOf(given)
        .map(({ pointer }) => pointer)
        .sort(),
      [
        '/account/column',
        '/amount/credit',
        '/amount/credit_words',
        '/amount/debit_words/0',
        '/amount/indicator',
        '/amount/unsigned',
        '/currency/fixed',
        '/date_format',
        '/decimal',
        '/delimiter',
        '/encoding',
        '/no~1such~0field',
        '/remittance/1',
        '/skip_lines',
      ],
    );
  });

  const rows: readonly [name: string, given: unknown, pointer: string, detail: RegExp][] = [
    ['no object', [], '', /must be an object/],
    ['nothing', null, '', /must be an object/],
    [
      'a name where there is no header',
      { ...least, has_header: false },
      '/booked_on',
      /must be the number of a column/,
    ],
    [
      'one separator for two things',
      { ...least, thousands: '.' },
      '/thousands',
      /must not be the decimal separator/,
    ],
    ['a column that is missing', { ...least, amount: { credit: 'C' } }, '/amount/debit', /is required/],
    ['no amount', { ...least, amount: undefined }, '/amount', /is required/],
    [
      'a list without end',
      { ...least, remittance: Array(21).fill('A') },
      '/remittance',
      /at most 20 elements/,
    ],
    [
      'a prototype',
      JSON.parse(JSON.stringify(least).replace('{', '{"__proto__":{},')),
      '/__proto__',
      /not a known field/,
    ],
  ];
  for (const [name, given, pointer, detail] of rows) {
    test(`refuses ${name}`, () => {
      const problem = problemsOf(given).find((each) => each.pointer === pointer);
      assert.match(problem?.detail ?? `nothing at ${pointer}: ${JSON.stringify(problemsOf(given))}`, detail);
    });
  }
});

suite('dates and amounts of a CSV', () => {
  async function firstOf(date: string, amount: string, changes: object) {
    const mapping = mappingOf({ ...least, delimiter: '|', ...changes });
    const [first] = await entriesOf(`Date|Amount\n${date}|${amount}\n`, { mapping });
    return first;
  }

  for (const [dateFormat, date] of [
    ['YYYY-MM-DD', '2026-12-03'],
    ['YYYY-MM-DD', '2026-12-03T10:00:00.000Z'],
    ['YYYY/MM/DD', '2026/12/03'],
    ['YYYY.MM.DD', '2026.12.03'],
    ['YYYYMMDD', '20261203'],
    ['DD.MM.YYYY', '03.12.2026'],
    ['DD.MM.YY', '03.12.26'],
    ['DD/MM/YYYY', '03/12/2026'],
    ['DD/MM/YY', '03/12/26'],
    ['DD-MM-YYYY', '03-12-2026'],
    ['MM/DD/YYYY', '12/03/2026'],
  ] as const) {
    test(`${date} as ${dateFormat}`, async () =>
      assert.equal((await firstOf(date, '1', { date_format: dateFormat }))?.bookedOn, '2026-12-03'));
  }

  const rows: readonly [text: string, changes: object, amount: number, direction: string][] = [
    ['1', {}, 100, 'credit'],
    ['.5', {}, 50, 'credit'],
    ['+1.50', {}, 150, 'credit'],
    ['- 1.50', {}, 150, 'debit'],
    ['1.50-', {}, 150, 'debit'],
    ['−1234.5600', {}, 123_456, 'debit'],
    ['1,234,567.89', { thousands: ',' }, 123_456_789, 'credit'],
    ['1.234.567,89', { thousands: '.', decimal: ',' }, 123_456_789, 'credit'],
    ['1\u202f234,5', { thousands: ' ', decimal: ',' }, 123_450, 'credit'],
    ['1’234.50', { thousands: "'" }, 123_450, 'credit'],
    ['1234.5', { thousands: "'" }, 123_450, 'credit'],
    ['9999999999999.99', {}, 999_999_999_999_999, 'credit'],
    ['0.001', { currency: { fixed: 'KWD' } }, 1, 'credit'],
    ['7', { currency: { fixed: 'JPY' } }, 7, 'credit'],
    ['1.2345', { currency: { fixed: 'CLF' } }, 12_345, 'credit'],
  ];
  for (const [text, changes, amount, direction] of rows) {
    test(`${text} with ${JSON.stringify(changes)}`, async () => {
      const first = await firstOf('2026-12-03', text, changes);
      assert.deepEqual([first?.amount, first?.direction], [amount, direction]);
    });
  }

  for (const text of [
    '',
    '1,5',
    '1.2.3',
    '--1',
    '-1-',
    '1e3',
    '0x10',
    'NaN',
    '1.005',
    '10000000000000',
    '１',
  ]) {
    test(`refuses ${JSON.stringify(text)}`, async () => {
      await assert.rejects(
        firstOf('2026-12-03', text, {}),
        /^StatementError: line 2, entry 1: column "Amount": /,
      );
    });
  }
});
