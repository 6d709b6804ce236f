/** Keys that were seen lately: the second time tells, and the memory stays what it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeenLately } from '../../src/lib/seen-lately.ts';

const keys = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `chk_${from + index}`);

test('a key is known from the second time on', () => {
  const seenLately = createSeenLately();
  assert.deepEqual(['chk_a', 'chk_b', 'chk_a', 'chk_b', 'chk_a'].map(seenLately), [
    false,
    false,
    true,
    true,
    true,
  ]);
  assert.equal(createSeenLately()(''), false);
});

test('of a thousand keys nearly all are remembered, of those before a million others hardly any', () => {
  const seenLately = createSeenLately();
  const count = (of: readonly string[]) => of.filter((key) => seenLately(key)).length;
  assert.equal(count(keys(1_000)), 0);
  assert.ok(count(keys(1_000)) > 950);
  assert.ok(count(keys(1_000_000, 1_000)) < 200);
  assert.ok(count(keys(1_000)) < 50);
});
