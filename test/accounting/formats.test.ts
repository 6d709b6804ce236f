/** Fields of the formats: what counts where one is empty, and what is refused. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { exportOf, type Format, type Given, type Period } from '../../src/accounting/formats.ts';
import { daysIn, oneLine } from '../../src/accounting/movement.ts';
import { encoded, reduced } from '../../src/accounting/windows-1252.ts';
import { movement, pagesOf, textOf } from './build.ts';

const period: Period = {
  first: '2030-01-01',
  last: '2030-12-31',
  currency: 'EUR',
  dayOf: daysIn('UTC'),
  now: Date.UTC(2031, 0, 2, 3, 4, 5, 6),
};
const datev = { consultant: '1001', client: '7' };

function problemsOf(format: Format, given: Given, changed: Partial<Period> = {}): string[] {
  const made = exportOf(format, given, { ...period, ...changed });
  return 'problems' in made ? made.problems.map(({ pointer }) => pointer) : [];
}

async function written(format: Format, given: Given, changed: Partial<Period> = {}): Promise<string> {
  const made = exportOf(format, given, { ...period, ...changed });
  return 'export' in made
    ? textOf(made.export.write(pagesOf([movement()])))
    : assert.fail(JSON.stringify(made));
}

suite('a format', () => {
  test('has usual values for all that can have one', async () => {
    assert.match(await written('hledger', { money_account: ' ' }), /assets:opentill:bank {2}25\.00 EUR/);
    assert.match(await written('ofx', {}), /<DTSERVER>20310102030405\r\n/);
    assert.match(await written('csv', {}, { currency: '' }), /^date,created_at/);
    const bookings = await written('datev', datev);
    assert.match(
      bookings,
      /^"EXTF";700;21;"Buchungsstapel";13;20310102030405006;;"OT";"opentill";"";1001;7;20300101;4;20300101;20301231;/,
    );
    assert.match(bookings, /;1360;10000;;3101;/);
  });

  test('takes the accounts that it is given', async () => {
    const accounts = { money_account: 'Vermögen:Bank A', income_account: 'Erlöse', fees_account: 'x:y' };
    assert.match(await written('hledger', accounts), /Vermögen:Bank A:bank {2}25\.00 EUR\n {4}Erlöse {2}-25/);
    const given = { ...datev, money_account: '13600', customer_account: '999999', account_length: '5' };
    assert.match(await written('datev', given), /;13600;999999;;3101;/);
    const longer = await written('datev', { ...datev, account_length: '8' });
    assert.match(longer, /;13600000;100000000;;3101;/, 'usual accounts are as long as the others');
    const february = { ...datev, year_begin: '2029-02-01' };
    assert.deepEqual(problemsOf('datev', february, { first: '2029-02-01', last: '2030-01-31' }), []);
  });

  for (const [format, given, changed, expected] of [
    ['hledger', { money_account: 'a  b' }, {}, ['/money_account']],
    [
      'hledger',
      { income_account: 'a;b', fees_account: '(virtual)' },
      {},
      ['/income_account', '/fees_account'],
    ],
    ['hledger', { fees_account: 'x'.repeat(101) }, {}, ['/fees_account']],
    ['ofx', { statement_account: '<OFX>' }, {}, ['/statement_account']],
    ['ofx', {}, { currency: '' }, ['/currency']],
    ['datev', {}, {}, ['/consultant', '/client']],
    ['datev', { ...datev, consultant: '0123' }, {}, ['/consultant']],
    ['datev', datev, { currency: 'USD' }, ['/currency']],
    ['datev', datev, { currency: '' }, ['/currency']],
    ['datev', datev, { last: '2031-01-01' }, ['/year_begin']],
    ['datev', { ...datev, year_begin: '2030-02-30' }, {}, ['/year_begin']],
    ['datev', { ...datev, year_begin: '2030-02-01' }, {}, ['/year_begin']],
    ['datev', { ...datev, money_account: '13600' }, {}, ['/money_account']],
    ['datev', { ...datev, customer_account: '100000' }, {}, ['/customer_account']],
    ['datev', { ...datev, fees_account: '0000' }, {}, ['/fees_account']],
    ['datev', { ...datev, account_length: '9' }, {}, ['/account_length']],
    ['datev', { ...datev, account_length: '8', customer_account: '10000' }, {}, ['/customer_account']],
    ['datev', { ...datev, customer_account: '1' }, {}, ['/customer_account']],
    [
      'datev',
      { ...datev, money_account: '12', fees_account: '123' },
      {},
      ['/money_account', '/fees_account'],
    ],
    ['datev', { ...datev, consultant: '1000' }, {}, ['/consultant']],
  ] as const) {
    test(`${format} refuses ${JSON.stringify({ ...given, ...changed }).slice(0, 60)}`, () => {
      assert.deepEqual(problemsOf(format, given, changed), expected);
    });
  }
});

test('a refund that waits is in no format that cannot mark it, until it has succeeded', async () => {
  const refund = { type: 'refund', amount: 999 } as const;
  const movements = [
    movement({ ...refund, refund_status: 'pending' }),
    movement({ ...refund, amount: 111, refund_status: 'succeeded' }),
  ];
  for (const [format, expected] of [
    ['csv', [true, true]],
    ['hledger', [true, true]],
    ['ofx', [false, true]],
    ['datev', [false, true]],
  ] as const) {
    const made = exportOf(format, format === 'datev' ? datev : {}, period);
    if (!('export' in made)) assert.fail(JSON.stringify(made));
    const text = await textOf(made.export.write(pagesOf(movements)));
    assert.deepEqual([/9[.,]99/.test(text), /1[.,]11/.test(text)], expected, format);
    assert.deepEqual(movements.map(made.export.leavesOut), [!expected[0], false], format);
    if (format === 'ofx') assert.match(text, /<BALAMT>-1\.11\r\n/);
  }
});

test('a text is reduced to the characters of Windows-1252, and its bytes are those', () => {
  assert.equal(reduced('Łódź „x“ € ü 漢😀'), '.ódz „x“ € ü ..');
  assert.deepEqual([...encoded('€ü')], [0x80, 0xfc]);
});

test('a text on one line has no characters that steer others', () => {
  assert.equal(oneLine(' a\r\n\tb\u2028c\u202ed\u200be '), 'a b cde');
});

test('a time zone that nobody knows has no days', () => {
  assert.throws(() => daysIn('Mars/Base'), RangeError);
  assert.equal(daysIn('Pacific/Auckland')('2030-01-31T12:00:00Z'), '2030-02-01');
});
