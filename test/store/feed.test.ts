/** Steps in which pages of long events are read where there is no thread for them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { feedReads } from '../../src/store/feed.ts';
import type { Run } from '../../src/store/resources/read.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { runner } from '../../src/store/sqlite/run.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { freshDirectory } from '../support/process.ts';
import { eventOf, session, tenants, write } from './build.ts';

test('a page of long events is read a step in a turn of the event loop, however many ask for one', async (t) => {
  const path = join(freshDirectory(t), 'test.db');
  const store = openSqliteStore(path);
  t.after(() => store.close());
  const { mine } = await tenants(store);
  for (const length of [50_000, 50_000, 50_000, 200_000, 10, 10, 200_000]) {
    const after = session(mine);
    const events = [eventOf(after, 'x.y', { body: JSON.stringify('x'.repeat(length)) })];
    await write(store, mine, { checkout: { before: null, after }, events });
  }
  const database = openDatabase(path);
  t.after(() => database.close());
  const { read } = runner(database);
  const steps: number[][] = [];
  const run: Run = async (asked) => {
    const found = read(asked);
    if (Array.isArray(found) && 'body' in Object(found[0])) steps.push(found.map(({ position }) => position));
    return found;
  };
  const { listSerialized } = feedReads(run, { extend: async () => {}, end: async () => 7 });
  const page = () => listSerialized(mine, {}, 0, 6, { hundredths: false });
  const { rows, hasMore, position } = await page();
  assert.deepEqual(steps, [[1, 2], [3], [4], [5, 6]], 'of as much as 128 KiB, or of one');
  assert.deepEqual([rows.length, hasMore, position], [6, true, 6]);
  const readers = 5;
  const pages = Promise.all(Array.from({ length: readers }, page));
  let most = 0;
  for (let all = false, before = steps.length; !all; before = steps.length) {
    all = await Promise.race([pages.then(() => true), nextTurn(false)]);
    most = Math.max(most, steps.length - before);
  }
  assert.equal(steps.length, 4 * (1 + readers));
  assert.ok(most <= 2, `${most} steps in one turn`);
});
