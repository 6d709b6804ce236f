/** Turns of work that would hold up the thread. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createOneATurn } from '../../src/lib/one-a-turn.ts';

/** Callers that each work for so long, by a clock that only they move; how many had begun by each turn. */
async function begunBy(t: TestContext, ownTurn: () => Promise<void>, callers: number, workMs: number) {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  let begun = 0;
  const all = Array.from({ length: callers }, async () => {
    await ownTurn();
    begun++;
    now += workMs;
  });
  const counts: number[] = [];
  while (begun < callers) {
    await nextTurn();
    counts.push(begun);
  }
  await Promise.all(all);
  return counts;
}

test('each caller has a turn of its own', async (t) => {
  assert.deepEqual(await begunBy(t, createOneATurn(), 3, 0), [0, 1, 2, 3]);
});

test('callers share a turn while it is young', async (t) => {
  assert.deepEqual(await begunBy(t, createOneATurn(2), 5, 1), [0, 2, 4, 5]);
});

test('one that takes long is the only one of its turn', async (t) => {
  assert.deepEqual(await begunBy(t, createOneATurn(2), 3, 9), [0, 1, 2, 3]);
});
