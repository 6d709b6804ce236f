/** The log of requests on SQLite, beside a program that holds the lock and beside commits. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { MOST_REQUESTS } from '../../src/accounts/request-log.ts';
import { createRequestLog } from '../../src/http/request-log.ts';
import { newId } from '../../src/lib/id.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { requestWriter } from '../../src/store/sqlite/requests.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { NewRequest } from '../../src/store/store.ts';
import { freshDirectory } from '../support/process.ts';
import { add, session, T, tenants } from './build.ts';

const WAIT_MS = 50;

const entry = (): NewRequest['entry'] => ({
  ...{
    id: newId('rql', T),
    at: T,
    requestId: 'req_1',
    actor: 'ak_test_1',
    method: 'GET',
    path: '/v3/checkout',
  },
  ...{ operation: 'CHECKOUT.LIST', subject: null, status: 400, errors: [], durationMs: 1 },
  ...{ idempotency: 'none', leftOut: 0 },
});

test('does not wait for a lock, and leaves commits to wait as they did', { timeout: 60_000 }, (t) => {
  const path = join(freshDirectory(t), 'test.db');
  const database = openDatabase(path);
  t.after(() => database.close());
  database.exec(`PRAGMA busy_timeout = ${WAIT_MS}`);
  const write = requestWriter(database);
  const holder = new DatabaseSync(path);
  t.after(() => holder.close());
  holder.exec('BEGIN IMMEDIATE');
  const tenant = { account: 1, mode: 'test' } as const;
  const { mock } = t.mock.method(database, 'exec');
  assert.throws(() => write([{ tenant, entry: entry() }]), /locked/);
  const [first, second] = mock.calls.map((call) => call.arguments[0]);
  assert.deepEqual([first, second], ['PRAGMA busy_timeout = 0', 'BEGIN IMMEDIATE']);
  assert.deepEqual({ ...database.prepare('PRAGMA busy_timeout').get() }, { timeout: WAIT_MS });
  holder.exec('ROLLBACK');
  write([{ tenant, entry: entry() }]);
  assert.equal(database.prepare('SELECT count(*) AS entries FROM request_log').get()?.entries, 1);
});

test('has no more entries than may be, however quickly they come', { timeout: 120_000 }, async (t) => {
  const path = join(freshDirectory(t), 'test.db');
  const store = openSqliteStore(path, { serve: true });
  const { mine } = await tenants(store);
  const reader = new DatabaseSync(path, { readOnly: true });
  t.after(() => reader.close());
  const rows = () => Number(reader.prepare('SELECT count(*) AS entries FROM request_log').get()?.entries);
  const log = createRequestLog({
    store,
    realNow: () => T,
    onLeftOut: (reason, count) => assert.fail(`${reason} ${count}`),
    onError: (error) => assert.fail(String(error)),
    everyMs: 1,
  });
  let most = 0;
  for (let noted = 0; noted < 25_000; ) {
    for (let batch = 0; batch < 256; batch++, noted++)
      log.note(mine, { ...entry(), actor: `ak_test_${noted}`, requestId: `req_${noted}` });
    while (log.waiting() > 0) await setTimeout(1);
    most = Math.max(most, rows());
  }
  await log.stop();
  assert.ok(rows() >= MOST_REQUESTS, String(rows()));
  // A trim comes behind 500 entries, at the end of a batch of 256; one batch may be under way.
  assert.ok(most < MOST_REQUESTS + 500 + 2 * 256, String(most));
  await store.close();
});

test('no read of a session waits for its sync', { timeout: 60_000 }, async (t) => {
  const path = join(freshDirectory(t), 'test.db');
  let held: (() => void) | null = null;
  let holds = false;
  const store = openSqliteStore(path, {
    serve: true,
    syncFile(_file, done) {
      if (holds) held = () => done(null);
      else done(null);
    },
  });
  const { mine } = await tenants(store);
  const { id } = await add(store, session(mine));
  holds = true;
  let isWritten = false;
  const written = store.requestLog.add([{ tenant: mine, entry: entry() }]).then(() => {
    isWritten = true;
  });
  assert.equal((await store.checkouts.fetch(mine, id))?.id, id);
  assert.equal((await store.accounts.fetch(mine.account))?.number, mine.account);
  assert.equal(isWritten, false);
  holds = false;
  (held as (() => void) | null)?.();
  await written;
  await store.close();
});
