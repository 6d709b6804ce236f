/** Calls that are shared by their keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedCalls } from '../../src/lib/shared-calls.ts';

test('calls are shared by their key, for a time', async () => {
  let now = 0;
  const made: string[] = [];
  const shared = sharedCalls<string>(100, () => now);
  const ask = (key: string) =>
    shared(key, async () => {
      made.push(key);
      return `${key}${made.length}`;
    });
  assert.deepEqual(await Promise.all([ask('a'), ask('b'), ask('a')]), ['a1', 'b2', 'a1']);
  now = 99;
  assert.deepEqual(await Promise.all([ask('a'), ask('b')]), ['a1', 'b2']);
  now = 100;
  assert.deepEqual(await Promise.all([ask('a'), ask('a')]), ['a3', 'a3']);
});

test('what is asked again does what it is asked with then', async () => {
  let now = 0;
  const shared = sharedCalls<number>(100, () => now);
  assert.equal(await shared('key', async () => 1), 1);
  now = 100;
  assert.equal(await shared('key', async () => 2), 2);
});

test('no more results are kept than there is room for', async () => {
  const shared = sharedCalls<number>(100, () => 0);
  let made = 0;
  for (let key = 0; key < 600; key++) await shared(`${key}`, async () => made++);
  await shared('599', async () => made++);
  assert.equal(made, 600);
  await shared('0', async () => made++);
  assert.equal(made, 601);
});

test('a result that is not kept is for those alone who asked meanwhile', async () => {
  const isKept = (result: number) => result % 2 === 0;
  const shared = sharedCalls<number>(100, () => 0, isKept);
  let made = 0;
  const ask = () => shared('key', async () => ++made);
  assert.deepEqual(await Promise.all([ask(), ask()]), [1, 1]);
  assert.deepEqual([await ask(), await ask()], [2, 2]);
});
