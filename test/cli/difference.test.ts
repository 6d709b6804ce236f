/** Rows of two databases that are not the same, by their lines: which of them is named, and in which order they stand. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { differenceOf } from '../../src/cli/move/difference.ts';
import type { Table } from '../../src/cli/move/tables.ts';

const column = (name: string, type: string) => ({
  name,
  type,
  field: name,
  isNullable: false,
  isKey: false,
  isCounter: false,
});

const pets: Table = {
  name: 'pet',
  columns: [
    column('account', 'bigint'),
    column('live', 'boolean'),
    column('name', 'text'),
    column('food', 'text'),
  ],
  key: ['account', 'live', 'name'],
  named: ['account', 'live', 'name'],
  select: '',
};

/** Rows of the table, fields apart by blanks. */
const linesOf = (...rows: readonly string[]) =>
  Buffer.from(rows.map((row) => `${row.replaceAll(' ', '\t')}\n`).join(''));

suite('the first difference of two runs of rows', () => {
  const rows: ReadonlyArray<[what: string, wanted: string[], found: string[], said: string]> = [
    [
      'is a field of the same row',
      ['1 f Ada fish', '1 f Bo fish'],
      ['1 f Ada fish', '1 f Bo hay'],
      'pet (account 1, test mode, name Bo) differs in food',
    ],
    [
      'is a row that is missing before a greater number',
      ['9 t Ada fish', '10 t Ada fish'],
      ['10 t Ada fish'],
      'pet (account 9, live mode, name Ada) is missing',
    ],
    [
      'is a row too many before a greater number',
      ['10 t Ada fish'],
      ['9 t Ada fish', '10 t Ada fish'],
      'pet (account 9, live mode, name Ada) has no counterpart',
    ],
    [
      'is a row of test mode that is missing before those of live mode',
      ['1 f Ada fish', '1 t Ada fish'],
      ['1 t Ada fish'],
      'pet (account 1, test mode, name Ada) is missing',
    ],
    [
      'is a row too many, by the bytes of its name',
      ['1 f é fish'],
      ['1 f Z fish', '1 f é fish'],
      'pet (account 1, test mode, name Z) has no counterpart',
    ],
    [
      'is a row that is missing, by the bytes of its name',
      ['1 f Z fish', '1 f a fish'],
      ['1 f a fish'],
      'pet (account 1, test mode, name Z) is missing',
    ],
    [
      'is a row that is missing in the end',
      ['1 f Ada fish'],
      [],
      'pet (account 1, test mode, name Ada) is missing',
    ],
    [
      'is a row too many in the end',
      ['1 f Ada fish'],
      ['1 f Ada fish', '1 f Bo hay'],
      'pet (account 1, test mode, name Bo) has no counterpart',
    ],
  ];
  for (const [what, wanted, found, said] of rows) {
    test(what, () => assert.equal(differenceOf(pets, linesOf(...wanted), linesOf(...found)), said));
  }

  test('is not looked for where there is none', () => {
    const same = linesOf('1 f Ada fish');
    assert.throws(() => differenceOf(pets, same, same), /the lines of pet are the same/);
  });
});
