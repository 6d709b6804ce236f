import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSparing } from '../../src/lib/sparing.ts';

test('of like lines one is logged in a while, with the number of the others', () => {
  let now = 0;
  const said = createSparing(1_000, () => now);
  const after = (ms: number, text: string) => {
    now += ms;
    return said(text);
  };
  assert.equal(after(0, 'the disk is full'), 0);
  assert.equal(after(1, 'the disk is full'), null);
  assert.equal(after(0, 'too many lists'), 0, 'another one is said at once');
  assert.equal(after(998, 'the disk is full'), null);
  assert.equal(after(1, 'the disk is full'), 2);
  assert.equal(after(1_000, 'the disk is full'), 0);
});

test('a hundred texts are remembered, those that were said last', () => {
  const said = createSparing(1_000, () => 0);
  const texts = Array.from({ length: 101 }, (_, index) => `line ${index}`);
  for (const text of texts.slice(0, 100)) assert.equal(said(text), 0);
  assert.equal(said('line 0'), null);
  assert.equal(said('line 100'), 0);
  assert.deepEqual(['line 0', 'line 2', 'line 1'].map(said), [null, null, 0]);
});
