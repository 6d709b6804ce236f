import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { breathe, breathMs } from '../../src/lib/breath.ts';

test('a pause is short while the thread has time, longer the less it has, and has an end', () => {
  assert.deepEqual([0, 0.1, 0.15].map(breathMs), [8, 8, 8]);
  assert.deepEqual([0.4, 0.9, 1].map(breathMs), [40, 40, 40]);
  assert.equal(Math.round(breathMs(0.275)), 24);
});

test('a thread that has had work all the time gets the longest pause', async () => {
  let waitedMs = 0;
  const wait = async (ms: number) => {
    waitedMs = ms;
  };
  // Node.js counts the time of a thread from its first turn on.
  await turn();
  await breathe(wait);
  for (const until = performance.now() + 400; performance.now() < until; );
  await breathe(wait);
  assert.equal(waitedMs, 40);
});
