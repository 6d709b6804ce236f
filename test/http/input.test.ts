/** Problems of a request's input, brought together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFurther } from '../../src/http/input.ts';

const problem = (pointer: string) => ({ pointer, detail: 'is wrong' });
const at = (...pointers: readonly string[]) => pointers.map(problem);

test('further problems are told where none is told of the place, or of one around it', () => {
  assert.deepEqual(
    withFurther(at('/a', '/b/c'), at('/a', '/a/x', '/ab', '/b', '/b/c/0', '/b/cd')),
    at('/a', '/b/c', '/ab', '/b', '/b/cd'),
  );
  assert.deepEqual(withFurther(at(''), at('/a')), at(''));
});

test('as many problems as a body has room for take no longer than others, one by one', () => {
  const all = Array.from({ length: 200_000 }, (_, index) => problem(`/name ${index}`));
  // Each compared with each would take minutes.
  assert.equal(withFurther(all, all).length, all.length);
});
