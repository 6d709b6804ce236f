/** The clock of the database, by which processes hold leases. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createServerClock } from '../../src/store/postgres/clock.ts';
import { createConnection } from '../../src/store/postgres/connection.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { freshDatabase } from '../support/postgres.ts';

const MINUTE = 60_000;

/** A clock with its connection, and a monotonic clock that the test moves; `took` is how long each answer takes. */
async function setUp(t: TestContext) {
  const connection = createConnection(await freshDatabase(t));
  t.after(() => connection.close());
  const elapsed = { ms: performance.now(), took: 0 };
  t.mock.method(performance, 'now', () => elapsed.ms);
  const clock = createServerClock();
  const look = () =>
    connection.run(async (sql) => {
      const looked = clock.look(sql);
      elapsed.ms += elapsed.took;
      await looked;
    });
  const isRight = () => Math.abs(clock.now(0) - Date.now()) < MINUTE / 2;
  return { clock, elapsed, look, isRight };
}

test('it is that of this process until somebody has looked', async (t) => {
  const { clock, look, isRight } = await setUp(t);
  assert.equal(clock.now(7), 7);
  await look();
  assert.equal(isRight(), true);
  assert.ok(Number.isInteger(clock.now(7)));
});

test('it goes on between two looks, and each look puts it right', async (t) => {
  const { clock, elapsed, look, isRight } = await setUp(t);
  await look();
  const before = clock.now(0);
  elapsed.ms += 10 * MINUTE;
  assert.equal(clock.now(0), before + 10 * MINUTE);
  await look();
  assert.equal(isRight(), true);
});

test('a look during which this process stood still counts for nothing', async (t) => {
  const { clock, elapsed, look } = await setUp(t);
  await look();
  const before = clock.now(0);
  elapsed.took = 2 * MINUTE;
  await look();
  assert.equal(clock.now(0), before + 2 * MINUTE);
});

test('a store that serves has looked before it gives out work, and goes on looking', {
  timeout: 30_000,
}, async (t) => {
  const store = await openPostgresStore(await freshDatabase(t), { serve: true });
  t.after(() => store.close());
  const isRight = () => Math.abs(store.leaseTime(0) - Date.now()) < MINUTE / 2;
  assert.equal(isRight(), true);
  const { now } = performance;
  t.mock.method(performance, 'now', () => now.call(performance) + 10 * MINUTE);
  assert.equal(isRight(), false);
  while (!isRight()) await pause(20);
});
