/** Pages of rows as long as they may be: SQLite reads none that goes into no page. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { pageOf } from '../../src/store/resources/read.ts';
import { raw } from '../../src/store/sql.ts';
import { runner } from '../../src/store/sqlite/run.ts';

const ROWS = 50;
const LONG = 100_000;
/** The first rows with a megabyte. */
const FITTING = 11;

test('a page of long rows ends with a megabyte, in both directions, and the rest is not read', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE long (id INTEGER PRIMARY KEY)');
  for (let id = 1; id <= ROWS; id++) database.exec(`INSERT INTO long VALUES (${id})`);
  let read = 0;
  database.function('long_text', () => {
    read++;
    return 'x'.repeat(LONG);
  });
  const run = runner(database);
  const page = (direction: object) => {
    read = 0;
    const list = {
      select: raw('SELECT id, long_text() AS text FROM long'),
      conditions: [raw('true')],
      bounds: [],
      length: raw('octet_length(text)'),
      row: ({ id }: { readonly id: number }) => id,
    };
    return run.read(pageOf(list, { limit: 100, ...direction }));
  };
  const ids = Array.from({ length: ROWS }, (_, index) => ROWS - index);
  assert.deepEqual(page({}), { rows: ids.slice(0, FITTING), hasMore: true });
  assert.equal(read, FITTING + 1);
  assert.deepEqual(page({ before: '' }), { rows: ids.slice(-FITTING), hasMore: true });
  assert.equal(read, FITTING + 1);
  assert.deepEqual(
    run.read(
      pageOf(
        {
          select: raw('SELECT id FROM long'),
          conditions: [raw('id < 3')],
          bounds: [],
          length: raw('0'),
          row: ({ id }: { readonly id: number }) => id,
        },
        { limit: 2 },
      ),
    ),
    { rows: [2, 1], hasMore: false },
  );
});
