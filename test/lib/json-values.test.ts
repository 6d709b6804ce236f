import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObject, trimmed } from '../../src/lib/json-values.ts';

test('texts lose the blanks around them at every level, and all else stays', () => {
  const given = { ' a ': ' one ', list: [1, ' two\n', [null, { of: '\tthree' }]], none: null, yes: true };
  const expected = { ' a ': 'one', list: [1, 'two', [null, { of: 'three' }]], none: null, yes: true };
  assert.deepEqual(trimmed(given), expected);
  assert.equal(trimmed(' one '), 'one');
});

test('an object is neither a list nor null', () => {
  const values = [{}, { a: 1 }, [], null, 'a', 1, undefined];
  assert.deepEqual(values.map(isObject), [true, true, false, false, false, false, false]);
});
