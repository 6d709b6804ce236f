/** Answers that come in time, late, never, or while this process stands still. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { answersWithin } from '../../src/lib/answers.ts';

const LIMIT_MS = 20;

suite('an answer', () => {
  test('is true or false as it says', async () => {
    assert.equal(await answersWithin(LIMIT_MS, Promise.resolve(true)), true);
    assert.equal(await answersWithin(LIMIT_MS, Promise.resolve(false)), false);
  });

  test('that does not come is a silence', async () => {
    const awake = pause(10 * LIMIT_MS);
    assert.equal(await answersWithin(LIMIT_MS, new Promise(() => {})), false);
    await awake;
  });

  test('that came while this process stood still is no silence', async () => {
    // The code behind this runs where answers are read; timers come before the next answers.
    await stat('.');
    const answered = answersWithin(
      LIMIT_MS,
      stat('.').then(() => true),
    );
    const until = performance.now() + 5 * LIMIT_MS;
    while (performance.now() < until);
    assert.equal(await answered, true);
  });
});
