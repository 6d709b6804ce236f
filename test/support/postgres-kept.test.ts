import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { keptConnection } from './postgres-kept.ts';
import { emptyDatabase } from './postgres-reuse.ts';

const HOUR = 3_600_000;

test('a connection that was closed opens again at once, whatever a test did to the clock', {
  timeout: 20_000,
}, async (t) => {
  const connection = keptConnection(await emptyDatabase(t));
  const first = connection();
  await first`SELECT 1`;
  const { now } = performance;
  const clock = t.mock.method(performance, 'now', () => now.call(performance) + HOUR);
  while (connection() === first) await delay(50);
  clock.mock.restore();
  assert.deepEqual([...(await connection()`SELECT 2 AS two`)], [{ two: 2 }]);
});
