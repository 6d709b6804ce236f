/** Rests of a thread that works for long, on a clock that the test turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRest } from '../../src/lib/rest.ts';

/** Says at which times it rested, where each piece of work took so many milliseconds. */
function restsOf(pieces: readonly number[]): number[] {
  let time = 1000;
  const rests: number[] = [];
  const rest = createRest({
    now: () => time,
    pause(ms) {
      rests.push(time - 1000);
      time += ms;
    },
  });
  for (const ms of pieces) {
    time += ms;
    rest();
  }
  return rests;
}

test('a thread rests for a millisecond behind each one that it works', () => {
  assert.deepEqual(restsOf([0, 0.5, 0.5, 0.5, 0.5, 0.5]), [1, 3]);
});

test('work that has only begun is not interrupted, whatever was before', () => {
  assert.deepEqual(restsOf([50, 0.25, 60, 0.25]), []);
  assert.deepEqual(restsOf([0, 10.5, 0.25]), []);
});

test('a piece that takes longer has a rest behind it', () => {
  assert.deepEqual(restsOf([0, 4, 4]), [4, 9]);
  assert.deepEqual(restsOf([0, 10]), [10]);
});
