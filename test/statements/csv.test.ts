/** CSV by a mapping: which rows are taken, where their columns are, and what each of them says. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { readCsv } from '../../src/statements/csv.ts';
import { LIMITS } from '../../src/statements/limits.ts';
import { seed } from '../support/seed.ts';
import { attempt, entriesOf, header, mappingOf, partsOf } from './support.ts';

const IBAN = 'DE02120300000000202051';
const least = {
  delimiter: ';',
  date_format: 'YYYY-MM-DD',
  decimal: '.',
  amount: { signed: 'Amount' },
  currency: { fixed: 'EUR' },
  account: { fixed: IBAN },
  booked_on: 'Date',
};
/** The text in pieces of this size, as the reader gets it behind the first 4 KiB of a file. */
async function* piecesOf(text: string, size: number): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
}
const csv = (...rows: readonly string[]) => `${rows.join('\n')}\n`;
const entriesBy = (changes: object, ...rows: readonly string[]) =>
  entriesOf(csv(...rows), { mapping: mappingOf({ ...least, ...changes }) });
const messageBy = async (changes: object, ...rows: readonly string[]) =>
  (await attempt(csv(...rows), { mapping: mappingOf({ ...least, ...changes }) })).error?.message ??
  'accepted';

suite('a file', () => {
  test('without movements is a statement too, where the account and currency are known', async () => {
    const parts = (changes: object, ...rows: readonly string[]) =>
      partsOf(csv(...rows), { mapping: mappingOf({ ...least, ...changes }) });
    const statement = { kind: 'statement', header: header({ account: IBAN, currency: 'EUR' }) };
    assert.deepEqual(await parts({}, 'Date;Amount'), [statement]);
    const pending = {
      only: { column: 2, words: ['BOOKED'] },
      has_header: false,
      booked_on: 1,
      amount: { signed: 3 },
    };
    assert.deepEqual(await parts(pending, '2026-02-03;PENDING;1'), [statement]);
    assert.equal(
      await messageBy({ account: { column: 'IBAN' } }, 'Date;Amount;IBAN'),
      'the file has no rows',
    );
    assert.equal(await messageBy({ currency: { column: 'C' } }, 'Date;Amount;C'), 'the file has no rows');
  });

  test('has a statement for each account and currency, in the order in which they come', async () => {
    const mapping = mappingOf({ ...least, account: { column: 'Account' }, currency: { column: 'Currency' } });
    const rows = ['A 1;EUR', 'A1;USD', 'a1;EUR', 'B;EUR'].map((each) => `2026-02-03;1;${each}`);
    const parts = await partsOf(csv('Date;Amount;Account;Currency', ...rows), { mapping });
    assert.deepEqual(
      parts.map((part) => {
        assert.ok(part.kind !== 'fault');
        return `${part.kind} ${part.header.account} ${part.header.currency}`;
      }),
      [
        'statement A1 EUR',
        'entry A1 EUR',
        'statement A1 USD',
        'entry A1 USD',
        'entry A1 EUR',
        'statement B EUR',
        'entry B EUR',
      ],
    );
    const { error } = await attempt(csv('Date;Amount;Account;Currency', ...rows), {
      mapping,
      limits: { statements: 2 },
    });
    assert.equal(error?.message, 'the file has more than 2 statements');
  });

  test('begins behind the lines that are passed over, and counts them', async () => {
    const rows = ['Bank;of;Test', '"an open quotation mark', 'Date;Amount', '2026-02-03;1', '2026-02-04;x'];
    assert.equal((await entriesBy({ skip_lines: 2 }, ...rows.slice(0, 4)))[0]?.line, 4);
    assert.equal((await entriesBy({ skip_lines: 1 }, '', ...rows.slice(2, 4)))[0]?.line, 3);
    assert.equal(
      await messageBy({ skip_lines: 2 }, ...rows),
      'line 5, entry 2: column "Amount": the amount "x" is not a number',
    );
    assert.equal(await messageBy({ skip_lines: 9 }, ...rows), 'the file has no rows');
    assert.match(await messageBy({ skip_lines: 1 }, ...rows), /^line 5: a quotation mark is opened/);
  });

  test('may pass over lines that are longer than a piece of it', async () => {
    const long = 'x'.repeat(70_000);
    const [entry] = await entriesBy({ skip_lines: 2 }, long, long, 'Date;Amount', '2026-02-03;1');
    assert.equal(entry?.amount, 100);
  });

  test('may have texts of several lines, and empty lines, and is counted all the same', async () => {
    const mapping = mappingOf({ ...least, skip_lines: 1, remittance: ['Text'] });
    const rows = ['Bank', 'Date;Amount;Text', '2026-02-03;1;"one\ntwo\nthree"', '', '2026-02-04;2;four', ''];
    const text = rows.join('\n');
    const files = ['\n', '\r\n', '\r'].map((end) => text.replaceAll('\n', end));
    for (const file of [...files, text.replace('\ntwo', '\r\ntwo'), text.replace('three"\n', 'three"\r\n')]) {
      for (const size of [1, file.length]) {
        const parts = await Array.fromAsync(readCsv(piecesOf(file, size), mapping, LIMITS));
        assert.deepEqual(
          parts.flatMap((part) =>
            part.kind === 'entry' ? [[part.entry.number, part.entry.line, part.entry.remittance]] : [],
          ),
          [
            [1, 3, 'one two three'],
            [2, 7, 'four'],
          ],
          JSON.stringify(file),
        );
      }
    }
  });

  test('has the line of a mistake behind a text of several lines, however its lines end', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const start = ['Date;Amount;Text', '2026-02-03;1;"one', 'two"'].join(end);
      const messageOf = async (...rows: readonly string[]) =>
        (await attempt([start, ...rows].join(end), { mapping: mappingOf(least) })).error?.message;
      assert.equal(
        await messageOf('2026-02-04;x;'),
        'line 4, entry 2: column "Amount": the amount "x" is not a number',
      );
      assert.equal(
        await messageOf('2026-02-04;2;"three', 'four', 'five'),
        'line 6: a quotation mark is opened that is never closed',
      );
      assert.equal(await messageOf('2026-02-04;2;\0'), 'line 4: the text has a NUL character');
    }
  });

  test('is closed by whoever stops reading it', { timeout: 10_000 }, async () => {
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    async function* rows() {
      try {
        yield 'Date;Amount\n';
        for (let count = 0; count < 10_000; count += 1) yield '2026-02-03;1\n';
      } finally {
        close();
      }
    }
    for await (const { kind } of readCsv(rows(), mappingOf(least), LIMITS)) if (kind === 'entry') break;
    await closed;
  });

  test('tells where a NUL is', async () => {
    assert.equal(
      await messageBy({}, 'Date;Amount', '2026-02-03;1', '2026-02-\0;1'),
      'line 3: the text has a NUL character',
    );
    assert.match(await messageBy({ skip_lines: 2 }, 'a', '\0'), /^line 2: the text has a NUL/);
    const text = csv('Date;Amount', '2026-02-03;1', '2026-02-04;2', '\0');
    for (const size of [1, 7, 100]) {
      const read = readCsv(piecesOf(text, size), mappingOf(least), LIMITS);
      await assert.rejects(Array.fromAsync(read), { line: 4 }, `pieces of ${size}`);
    }
    assert.match(await messageBy({}, '', '\0'), /^line 2: the text has a NUL/);
  });

  test('takes the rows with certain words, and numbers no others', async () => {
    const only = { column: 'State', words: ['BOOKED', 'DONE'] };
    const found = await entriesBy(
      { only },
      'Date;Amount;State',
      '2026-02-03;1;BOOKED',
      'none;none;PENDING',
      '2026-02-03;2; DONE ',
      '2026-02-03;3;booked',
    );
    assert.deepEqual(
      found.map(({ number, amount }) => [number, amount]),
      [
        [1, 100],
        [2, 200],
      ],
    );
  });
});

suite('a row', () => {
  const columns = {
    value_on: 'Value',
    counterparty_name: 'Name',
    counterparty_account: 'Account',
    counterparty_bic: 'BIC',
    remittance: ['Text', 'More'],
    end_to_end_id: 'E2E',
    creditor_reference: 'Ref',
    bank_reference: 'Bank',
    transaction_code: 'Code',
  };
  const names = 'Date;Value;Amount;Name;Account;BIC;Text;More;E2E;Ref;Bank;Code';

  test('says what its columns say', async () => {
    const [entry] = await entriesBy(
      columns,
      names,
      '2026-02-03;2026-02-04;-1.50; Ada  Lovelace ;de11 22;cobadeff;Order;7;E-1;rf18 5390;B-1;NTRF',
    );
    assert.deepEqual(entry, {
      number: 1,
      line: 2,
      direction: 'debit',
      amount: 150,
      currency: 'EUR',
      isReversal: false,
      bookedOn: '2026-02-03',
      valueOn: '2026-02-04',
      bankReference: 'B-1',
      batchReference: '',
      endToEndId: 'E-1',
      instructionId: '',
      creditorReference: 'RF185390',
      remittance: 'Order 7',
      counterparty: { name: 'Ada Lovelace', account: 'DE1122', bic: 'COBADEFF' },
      transactionCode: 'NTRF',
      returned: null,
    });
  });

  test('may leave out all but its day and amount, and says nothing where it only says that', async () => {
    const [entry] = await entriesBy(columns, names, '2026-02-03;;1;;;;;;NOTPROVIDED;NONREF;NOREF;');
    assert.deepEqual(
      [entry?.valueOn, entry?.endToEndId, entry?.creditorReference, entry?.bankReference, entry?.remittance],
      [null, '', '', '', ''],
    );
  });

  test('may be read by the numbers of its columns, from 1', async () => {
    const byNumber = { has_header: false, booked_on: 2, amount: { signed: 1 }, remittance: [3] };
    const [first, second] = await entriesBy(byNumber, '1;2026-02-03;one', '2;2026-02-04;two');
    assert.deepEqual([first?.amount, first?.bookedOn, first?.remittance], [100, '2026-02-03', 'one']);
    assert.deepEqual([second?.line, second?.number], [2, 2]);
    const mixed = { booked_on: 1 };
    assert.equal((await entriesBy(mixed, 'Day;Amount', '2026-02-03;1'))[0]?.bookedOn, '2026-02-03');
  });

  const row = (text: string) => ['Date;Amount', text] as const;
  for (const [name, changes, rows, message] of [
    ['no day', {}, row(';1'), 'line 2, entry 1: column "Date": the booking date is empty'],
    ['no amount', {}, row('2026-02-03;'), 'line 2, entry 1: column "Amount": the amount is empty'],
    [
      'too few columns',
      {},
      row('2026-02-03'),
      'line 2, entry 1: the row has 1 columns where the first has 2',
    ],
    [
      'too many columns',
      {},
      row('2026-02-03;1;'),
      'line 2, entry 1: the row has 3 columns where the first has 2',
    ],
    [
      'a column that no row has',
      { booked_on: 3 },
      row('2026-02-03;1'),
      'line 2, entry 1: the row has no column 3',
    ],
    [
      'an account that is empty',
      { account: { column: 'IBAN' } },
      ['Date;Amount;IBAN', '2026-02-03;1; '],
      'line 2, entry 1: column "IBAN": the account is empty',
    ],
    [
      'a currency that is none',
      { currency: { column: 'C' } },
      ['Date;Amount;C', '2026-02-03;1;EURO'],
      'line 2, entry 1: column "Amount": the currency "EURO" is not in ISO 4217',
    ],
    [
      'a day of another form',
      {},
      row('03.02.2026;1'),
      'line 2, entry 1: column "Date": "03.02.2026" is not a date of the form YYYY-MM-DD',
    ],
    [
      'a date whose points are others',
      { date_format: 'YYYY.MM.DD' },
      row('2026-02-03;1'),
      'line 2, entry 1: column "Date": "2026-02-03" is not a date of the form YYYY.MM.DD',
    ],
    [
      'a column that is missing',
      { booked_on: 'Day' },
      row('2026-02-03;1'),
      'line 1: the column "Day" is missing: the columns are "Date", "Amount"',
    ],
    [
      'a column that is there twice',
      { booked_on: 'Date' },
      ['Date;Date;Amount', '2026-02-03;2026-02-03;1'],
      'line 1: the column "Date" occurs 2 times: give its number',
    ],
  ] as const) {
    test(`is refused with ${name}`, async () => assert.equal(await messageBy(changes, ...rows), message));
  }

  test('is shown up to its thirtieth column where one is missing', async () => {
    const columns = Array.from({ length: 31 }, (_, index) => `C${index + 1}`);
    const message = await messageBy({}, columns.join(';'));
    assert.match(message, /"C29", "C30"$/);
  });

  test('is held against every column of the mapping before the first row is read', async () => {
    for (const changes of [
      { value_on: 'X' },
      { counterparty_name: 'X' },
      { counterparty_account: 'X' },
      { counterparty_bic: 'X' },
      { end_to_end_id: 'X' },
      { creditor_reference: 'X' },
      { bank_reference: 'X' },
      { transaction_code: 'X' },
      { remittance: ['Date', 'X'] },
      { only: { column: 'X', words: ['a'] } },
      { currency: { column: 'X' } },
      { account: { column: 'X' } },
      { amount: { signed: 'X' } },
      { amount: { credit: 'X', debit: 'Amount' } },
      { amount: { credit: 'Amount', debit: 'X' } },
      { amount: { unsigned: 'Amount', indicator: 'X', credit_words: ['C'], debit_words: ['D'] } },
    ]) {
      assert.match(
        await messageBy(changes, 'Date;Amount'),
        /^line 1: the column "X" is missing/,
        JSON.stringify(changes),
      );
    }
  });
});

suite('the direction of a row', () => {
  const movement = async (changes: object, ...rows: readonly string[]) => {
    const [entry] = await entriesBy(changes, ...rows);
    return [entry?.direction, entry?.amount];
  };

  test('is the sign of its amount', async () => {
    for (const [text, direction] of [
      ['1', 'credit'],
      ['+1', 'credit'],
      ['1+', 'credit'],
      ['-1', 'debit'],
      ['1-', 'debit'],
      ['−1', 'debit'],
      ['–1', 'debit'],
      ['0', 'credit'],
    ] as const) {
      assert.equal((await movement({}, 'Date;Amount', `2026-02-03;${text}`))[0], direction, text);
    }
  });

  test('is a word beside an amount without a sign', async () => {
    const amount = { unsigned: 'Amount', indicator: 'CD', credit_words: ['C', 'Cr'], debit_words: ['D'] };
    const of = (text: string) => ['Date;Amount;CD', `2026-02-03;${text}`] as const;
    assert.deepEqual(await movement({ amount }, ...of('1;C')), ['credit', 100]);
    assert.deepEqual(await movement({ amount }, ...of('1; Cr ')), ['credit', 100]);
    assert.deepEqual(await movement({ amount }, ...of('1;D')), ['debit', 100]);
    for (const [text, message] of [
      ['1;X', 'column "CD": "X" is a word neither for credits nor for debits'],
      ['-1;C', 'column "Amount": the amount has a sign, although the direction says it already'],
      [';C', 'column "Amount": the amount is empty'],
    ] as const) {
      assert.equal(await messageBy({ amount }, ...of(text)), `line 2, entry 1: ${message}`);
    }
  });

  test('is the column that has its amount', async () => {
    const amount = { credit: 'In', debit: 'Out' };
    const of = (text: string) => ['Date;In;Out', `2026-02-03;${text}`] as const;
    for (const [text, expected] of [
      ['1;', ['credit', 100]],
      [';1', ['debit', 100]],
      [';-1', ['debit', 100]],
      ['1;0', ['credit', 100]],
      ['0;1', ['debit', 100]],
      ['0;', ['credit', 0]],
      [';0', ['debit', 0]],
      ['0;0', ['credit', 0]],
    ] as const) {
      assert.deepEqual(await movement({ amount }, ...of(text)), expected, text);
    }
    for (const [text, message] of [
      ['1;1', 'column "Out": the row has the amount of a credit as well'],
      ['-1;', 'column "In": the amount of a credit has a sign'],
      [';', 'column "In": the row has neither the amount of a credit nor of a debit'],
    ] as const) {
      assert.equal(await messageBy({ amount }, ...of(text)), `line 2, entry 1: ${message}`);
    }
  });

  test('has an amount with the separators of the mapping and no others', async () => {
    const grouped = { decimal: ',', thousands: '.' };
    for (const [text, amount] of [
      ['1.234,5', 123_450],
      ['1234,5', 123_450],
      ['12.345.678', 1_234_567_800],
      [',5', 50],
    ] as const) {
      assert.deepEqual((await movement(grouped, 'Date;Amount', `2026-02-03;${text}`))[1], amount, text);
    }
    for (const text of [
      '1.23,4',
      '1234.567',
      '.123',
      '12.3456',
      '1,2,3',
      '1.234.',
      'a',
      '-',
      '+-1',
      '1,2x',
    ]) {
      assert.match(
        await messageBy(grouped, 'Date;Amount', `2026-02-03;${text}`),
        /column "Amount": the amount .* is not a number/,
        text,
      );
    }
  });

  const indian = { thousands: ',' };
  const notANumber = /column "Amount": the amount .* is not a number/;

  test('has an amount in lakhs and crores where a comma groups', async () => {
    for (const [text, amount] of [
      ['1,25,000.00', 12_500_000],
      ['12,34,567.89', 123_456_789],
      ['-10,00,00,000', -10_000_000_000],
      ['1,25,000.00-', -12_500_000],
      ['1,000', 100_000],
    ] as const) {
      const [direction, found] = await movement(indian, 'Date;Amount', `2026-02-03;${text}`);
      assert.deepEqual([direction, found], [amount < 0 ? 'debit' : 'credit', Math.abs(amount)], text);
    }
    for (const text of [
      '1,2,3',
      '1,25,00.00',
      '1,25,000,000',
      '125,00,000',
      ',25,000',
      ',123',
      '1,,000',
      '1,25,000,',
    ]) {
      assert.match(await messageBy(indian, 'Date;Amount', `2026-02-03;${text}`), notANumber, text);
    }
    const points = { decimal: ',', thousands: '.' };
    assert.match(await messageBy(points, 'Date;Amount', '2026-02-03;1.25.000,00'), notANumber);
  });

  test('has an amount as formatters write it', async () => {
    const cases = [
      ['en-IN', indian],
      ['en-US', indian],
      ['de-DE', { decimal: ',', thousands: '.' }],
      ['de-CH', { thousands: "'" }],
    ] as const;
    const amounts = fc.sample(
      fc.oneof(fc.nat(99_999_999), fc.integer({ min: 0, max: 999_999_999_999_999 })),
      {
        numRuns: 500,
        seed,
      },
    );
    for (const [locale, changes] of cases) {
      const { format } = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 });
      const texts = amounts.map((each) =>
        format(
          `${Math.floor(each / 100)}.${String(each % 100).padStart(2, '0')}` as Intl.StringNumericLiteral,
        ),
      );
      const entries = await entriesBy(changes, 'Date;Amount', ...texts.map((text) => `2026-02-03;${text}`));
      assert.deepEqual(
        entries.map(({ amount }) => amount),
        amounts,
        `${locale}, seed ${seed}`,
      );
    }
  });

  test('has no grouped amount that no formatter writes', async () => {
    const formats = ['en-IN', 'en-US'].map((locale) => new Intl.NumberFormat(locale).format);
    const group = fc.oneof(
      ...[/^[1-9]{2}$/, /^[1-9]{3}$/, /^[1-9]{1,4}$/].map((each) => fc.stringMatching(each)),
    );
    const groups = fc.array(group, { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(groups, async (all) => {
        const text = all.join(',');
        const isWritten = formats.some((format) => format(BigInt(all.join(''))) === text);
        const message = await messageBy(indian, 'Date;Amount', `2026-02-03;${text}`);
        if (isWritten) assert.doesNotMatch(message, notANumber);
        else assert.match(message, notANumber);
      }),
      { numRuns: 300, seed },
    );
  });

  test('is on a day whose time of day is passed over', async () => {
    for (const text of ['2026-02-03 09:30', '2026-02-03T9:30:00.000+01:00', '2026-02-03 23:59 Uhr']) {
      const [entry] = await entriesBy({}, 'Date;Amount', `${text};1`);
      assert.equal(entry?.bookedOn, '2026-02-03', text);
    }
    assert.match(await messageBy({}, 'Date;Amount', '2026-02-03 noon;1'), /is not a date/);
  });
});
