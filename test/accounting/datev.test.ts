/** Batches of DATEV, held against the table of fields in the public description of the format, independent of the writer. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bookingsIn, columns, datevBookings, MAX_BOOKINGS } from '../../src/accounting/datev.ts';
import { daysIn, type Movement } from '../../src/accounting/movement.ts';
import { bytesOf, hostileTexts, movement, pagesOf } from './build.ts';

const batch = {
  dayOf: daysIn('Europe/Berlin'),
  first: '2030-01-01',
  last: '2030-12-31',
  yearBegin: '2030-01-01',
  createdAt: '20310102030405678',
  consultant: 1001,
  client: 7,
  accountLength: 4,
  money: '1360',
  counter: '10000',
  fees: '4970',
};

/** Fields of the head by their number, as DATEV describes them; every other one is empty, or an empty text. */
const head: Readonly<Record<number, RegExp>> = {
  1: /^"EXTF"$/,
  2: /^700$/,
  3: /^21$/,
  4: /^"Buchungsstapel"$/,
  5: /^13$/,
  6: /^20\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])([01]\d|2[0-3])[0-5]\d[0-5]\d\d{3}$/,
  8: /^"\w{0,2}"$/,
  9: /^"\w{0,25}"$/,
  11: /^[1-9]\d{3,6}$/,
  12: /^[1-9]\d{0,4}$/,
  13: /^20\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])$/,
  14: /^[4-8]$/,
  15: /^20\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])$/,
  16: /^20\d{2}(0[1-9]|1[0-2])([0-2]\d|3[01])$/,
  17: /^"[\w.\-/ ]{0,30}"$/,
  19: /^[12]$/,
  20: /^(0|30|40|50|64)$/,
  21: /^[01]$/,
  22: /^"[A-Z]{3}"$/,
};
const HEAD_FIELDS = 31;

/** Fields of a booking by their number: their names begin so, and their values are so. The others are empty. */
const booking: Readonly<Record<number, readonly [name: string, value: RegExp]>> = {
  1: ['Umsatz (ohne Soll/Haben-Kz)', /^(?!0{1,10},00)\d{1,10},\d{2}$/],
  2: ['Soll/Haben-Kennzeichen', /^"(S|H)"$/],
  3: ['WKZ Umsatz', /^"[A-Z]{3}"$/],
  7: ['Konto', /^(?!0{1,9}$)\d{1,9}$/],
  8: ['Gegenkonto (ohne BU-Schlüssel)', /^(?!0{1,9}$)\d{1,9}$/],
  10: ['Belegdatum', /^\d{4}$/],
  11: ['Belegfeld 1', /^"[\w$%\-/]{0,36}"$/],
  14: ['Buchungstext', /^".{0,60}"$/],
  48: ['Zusatzinformation', /^".{0,20}"$/],
  49: ['Zusatzinformation', /^".{0,210}"$/],
  114: ['Festschreibung', /^[01]$/],
};
const FIELDS = 125;

/** Reads the file as a program does: the encoding, the lines, and the cells, of which those of texts are quoted. */
async function read(movements: readonly Movement[]): Promise<{ lines: string[][]; bytes: Buffer }> {
  const bytes = await bytesOf(datevBookings(pagesOf(movements), batch));
  const text = new TextDecoder('windows-1252', { fatal: true }).decode(bytes);
  const lines = text.split('\r\n');
  assert.equal(lines.pop(), '');
  const cells = lines.map((line) => line.match(/"(?:[^"]|"")*"|[^;]+|(?<=^|;)(?=;|$)/g) ?? []);
  for (const [number, line] of lines.entries()) {
    assert.doesNotMatch(line, /[\r\n]/);
    assert.equal(cells[number]?.join(';'), line);
  }
  return { lines: cells, bytes };
}

async function bookings(movements: readonly Movement[]): Promise<string[][]> {
  const [first = [], names = [], ...others] = (await read(movements)).lines;
  assert.equal(first.length, HEAD_FIELDS);
  for (const [index, cell] of first.entries())
    assert.match(cell, head[index + 1] ?? /^(|"")$/, `head ${index + 1}`);
  assert.equal(names.length, FIELDS);
  assert.equal(new Set(names).size, FIELDS);
  for (const [number, [name]] of Object.entries(booking))
    assert.ok(names[Number(number) - 1]?.startsWith(name), name);
  for (const cells of others) {
    assert.equal(cells.length, FIELDS);
    for (const [index, cell] of cells.entries())
      assert.match(cell, booking[index + 1]?.[1] ?? /^$/, `${names[index]}: ${cell}`);
  }
  return others;
}

/** The amount, the side, the account, its contra account, and the day. */
const facts = (cells: readonly string[]) => [cells[0], cells[1], cells[6], cells[7], cells[9]].join(' ');

suite('bookings of DATEV', () => {
  test('are debits for what came, credits for what went, and fees of their own', async () => {
    const found = await bookings([
      movement({ fee: { amount: 59, currency: 'EUR' } }),
      movement({ type: 'refund', amount: 5, reference: 'rfd_1' }),
      movement({ type: 'reversal', amount: 123_456, created_at: '2030-01-31T23:30:00.000Z' }),
    ]);
    assert.deepEqual(found.map(facts), [
      '25,00 "S" 1360 10000 3101',
      '0,59 "S" 4970 1360 3101',
      '0,05 "H" 1360 10000 3101',
      '1234,56 "H" 1360 10000 0102',
    ]);
    assert.deepEqual([found[0]?.[10], found[2]?.[13]], ['"order-1001"', '"Rückzahlung bank rfd_1"']);
    assert.match(found[0]?.[48] ?? '', /^"mov_\w+"$/);
  });

  test('are in the encoding of the format, and in its head the batch is not fixed', async () => {
    const { lines, bytes } = await read([movement({ type: 'refund' })]);
    assert.ok(bytes.includes(Buffer.from('R\xfcckzahlung', 'latin1')));
    assert.equal(lines[0]?.[20], '0');
    assert.equal(lines[0]?.[5], batch.createdAt);
    assert.deepEqual(lines[1], columns);
  });

  test('have a fee in another currency in their words, as it has no rate', async () => {
    const [only, ...others] = await bookings([movement({ fee: { amount: 88, currency: 'USD' } })]);
    assert.deepEqual(others, []);
    assert.match(only?.[13] ?? '', /^"Zahlung bank Gebühr 0\.88 USD /);
  });

  test('of an amount with more digits than a line has come to it exactly', async () => {
    const found = await bookings([movement({ amount: 999_999_999_999_999 })]);
    const cents = found.map(([amount = '']) => BigInt(amount.replace(',', '')));
    assert.equal(
      cents.reduce((sum, each) => sum + each, 0n),
      999_999_999_999_999n,
    );
    assert.ok(
      found.length > 1 && (await bookings([movement({ fee: { amount: 0, currency: 'EUR' } })])).length === 1,
    );
  });

  test('are no more than a file may have, however they are paged', async () => {
    const page = (length: number) => Array.from({ length }, () => movement());
    const half = page(50_000);
    const write = (...pages: Movement[][]) => bytesOf(datevBookings(pagesOf(...pages), batch));
    await write(half, half.slice(1));
    await assert.rejects(write(half, half), { name: 'TooManyBookings', message: /99999 bookings/ });
  });

  test('are foreseen by sums, with fees in euros and the lines of large amounts', async () => {
    const none = { count: 0, amount: 0 };
    const of = (given: Partial<Parameters<typeof bookingsIn>[0]>) =>
      bookingsIn({ received: none, refunded: none, reversed: none, fees: [], ...given });
    assert.equal(of({ received: { count: 99_999, amount: 99_999 } }), MAX_BOOKINGS);
    const fees = [
      { count: 5, amount: 5, currency: 'EUR' },
      { count: 7, amount: 7, currency: 'USD' },
    ];
    assert.equal(of({ reversed: { count: 1, amount: 1 }, refunded: { count: 1, amount: 1 }, fees }), 7);
    const large = 999_999_999_999_999;
    const lines = (await bookings([movement({ amount: large })])).length;
    assert.ok(lines > 1000 && of({ received: { count: 1, amount: large } }) >= lines);
  });

  test('take no text for a part of the file, and none that a spreadsheet would run', async () => {
    const hostile = hostileTexts.map((text) => movement({ reference_id: text, reference: text }));
    const found = await bookings(hostile);
    assert.equal(found.length, hostile.length);
    for (const cells of found) {
      const [document = '', text = ''] = [cells[10], cells[13]];
      assert.match(document, /^"[A-Za-z0-9]/, 'no sign begins a number');
      assert.match(text, /^"Zahlung bank/);
      for (const cell of cells) assert.doesNotMatch(cell, /^"?[=+\-@]/);
    }
    assert.equal(
      found[12]?.[10],
      '"chk_01k9zq4tn30000x5r7m2c9w1he"',
      'the session stands for an empty reference',
    );
  });

  test('are in euros alone', async () => {
    await assert.rejects(bookings([movement({ currency: 'USD' })]), /in euros/);
  });
});
