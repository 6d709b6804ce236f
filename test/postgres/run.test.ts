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
  const read = (value: number) => ({
    ...all(sql`SELECT a WHERE b = ${value} AND c = ${raw('d')}`, asItIs<object>),
    form: 'of this test',
  });
  for (const value of [1, 2]) answers.push(...(await runOn(instance as never, read(value))));
  assert.deepEqual(answers, [{ values: [1] }, { values: [2] }]);
  assert.deepEqual(texts, Array(2).fill('SELECT a WHERE b = $1 AND c = d'));
});
