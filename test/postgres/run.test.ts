import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOn } from '../../src/store/postgres/run.ts';
import { all, asItIs } from '../../src/store/resources/read.ts';
import { raw, sql } from '../../src/store/sql.ts';

test('a read that names its form is written once, with the values of each time', async () => {
  const texts: string[] = [];
  const answers: unknown[] = [];
  const instance = {
    unsafe: (text: string, values: unknown[]) => {
      texts.push(text);
      return { execute: () => Promise.resolve([{ values }]) };
    },
  };
  const read = (value: number, column: string) => ({
    ...all(sql`SELECT a WHERE b = ${value} AND c = ${raw(column)}`, asItIs<object>),
    form: 'of this test',
  });
  // What differs beside values has no place in a form.
  for (const [value, column] of [
    [1, 'd'],
    [2, 'e'],
  ] as const) {
    answers.push(...(await runOn(instance as never, read(value, column))));
  }
  assert.deepEqual(answers, [{ values: [1] }, { values: [2] }]);
  assert.deepEqual(texts, Array(2).fill('SELECT a WHERE b = $1 AND c = d'));
});
