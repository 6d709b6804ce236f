import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createAccount } from '../../src/accounts/account.ts';
import { backUpSqlite } from '../../src/cli/backup/sqlite.ts';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { createAccess } from '../../src/store/sqlite/access.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import { type Checkpoints, startCheckpoints } from '../../src/store/sqlite/checkpoint.ts';
import { openForReading } from '../../src/store/sqlite/file.ts';
import { startLogSync } from '../../src/store/sqlite/log-sync.ts';
import { idOf } from '../../src/store/sqlite/ownership.ts';
import { createReaders } from '../../src/store/sqlite/readers.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { freshDirectory } from '../support/process.ts';

const script = join(import.meta.dirname, 'checkpoint-process.ts');
const LIMIT_KIB = 1000;

test('a database file that cannot grow ends neither the process nor what was committed', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-checkpoint-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'test.db');
  const run = async (limit: string, phase: string) => {
    const command = `trap '' XFSZ; ${limit}exec "$@"`;
    const words = ['bash', process.execPath, script, path, phase];
    return (await promisify(execFile)('bash', ['-c', command, ...words], { timeout: 20_000 })).stdout;
  };
  assert.equal(await run('', 'prepare'), 'done\n');
  assert.equal(await run(`ulimit -f ${LIMIT_KIB}; `, 'fill'), 'done\n');
  const database = new DatabaseSync(path);
  assert.equal(database.prepare('SELECT count(*) AS n FROM filler').get()?.n, 41);
  database.close();
});

test('a thread that could not start does not hold up the end, nor any change', async (t) => {
  const path = join(freshDirectory(t), 'test.db');
  const database = open(t, path);
  const checkpoints = startCheckpoints(database, '/nowhere/at/all.db', { copyAtBytes: 1 });
  fill(database, 10);
  checkpoints.written();
  fill(database, 10);
  await checkpoints.room();
  await checkpoints.stop();
});

suite('the log of the database', () => {
  const copyAtBytes = 2 ** 20;

  /** Writes rows of 60 KB as the store does, and returns how long the log was at most. */
  async function write(database: DatabaseSync, checkpoints: Checkpoints, path: string, rows: number) {
    let longest = 0;
    for (let row = 0; row < rows; row++) {
      await checkpoints.room();
      fill(database, 1, 60_000);
      checkpoints.written();
      longest = Math.max(longest, statSync(`${path}-wal`).size);
      if (row % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return longest;
  }

  test('is bounded in bytes, however large the rows are', async (t) => {
    const path = join(freshDirectory(t), 'test.db');
    const database = open(t, path);
    const checkpoints = startCheckpoints(database, path, { copyAtBytes });
    const longest = await write(database, checkpoints, path, 300);
    assert.ok(longest > copyAtBytes, `${longest} bytes`);
    assert.ok(longest < 2.5 * copyAtBytes, `${longest} bytes`);
    await checkpoints.stop();
  });

  test('is never begun anew by who changes something, though pieces of it are copied', {
    timeout: 20_000,
  }, async (t) => {
    const path = join(freshDirectory(t), 'test.db');
    const database = open(t, path);
    const checkpoints = startCheckpoints(database, path);
    const { mock } = t.mock.method(Worker.prototype, 'postMessage');
    fill(database, 1);
    const before = beginnings(path);
    for (let piece = 1; piece <= 5; piece++) {
      const write = () => {
        fill(database, 1);
        checkpoints.written();
      };
      for (write(); mock.calls.length < piece; write()) await new Promise((resolve) => setImmediate(resolve));
      await once(mock.calls[0]?.this as Worker, 'message');
      fill(database, 1);
      assert.equal(beginnings(path), before, `piece ${piece}`);
    }
    await checkpoints.stop();
  });

  test('is begun anew by the thread, so that no change waits for the disk in front of it', {
    timeout: 20_000,
  }, async (t) => {
    const path = join(freshDirectory(t), 'test.db');
    const database = open(t, path);
    const checkpoints = startCheckpoints(database, path, { copyAtBytes });
    fill(database, 300);
    const before = beginnings(path);
    checkpoints.written();
    while (beginnings(path) === before) await new Promise((resolve) => setImmediate(resolve));
    await checkpoints.room();
    fill(database, 1);
    assert.equal(beginnings(path), before + 1);
    await checkpoints.stop();
  });

  test('grows while somebody reads, which is told, and is cut when they have gone', async (t) => {
    const path = join(freshDirectory(t), 'test.db');
    const database = open(t, path);
    fill(database, 1);
    const told: number[] = [];
    const checkpoints = startCheckpoints(database, path, {
      copyAtBytes,
      onLong: (bytes) => told.push(bytes),
    });
    const reader = open(t, path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM filler').get();
    await write(database, checkpoints, path, 200);
    assert.equal(told.length, 2, told.join());
    for (const [index, bytes] of told.entries()) assert.ok(bytes > 4 * 2 ** index * copyAtBytes);
    reader.exec('COMMIT');
    await write(database, checkpoints, path, 100);
    const longest = await write(database, checkpoints, path, 100);
    assert.ok(longest < 2.5 * copyAtBytes, `${longest} bytes`);
    await checkpoints.stop();
  });
});

suite('a change that finds no room in the log', () => {
  async function setUp(t: TestContext) {
    const path = join(freshDirectory(t), 'test.db');
    const database = open(t, path);
    const room = Promise.withResolvers<void>();
    const state: { trouble: StoreUnavailable | null } = { trouble: null };
    const checkpoints = startCheckpoints(database, path);
    const logSync = startLogSync(database, {});
    t.after(() => {
      checkpoints.release();
      logSync.stop();
    });
    const { writing } = createAccess(database, {
      watch: { trouble: () => state.trouble, look() {}, stop() {} },
      checkpoints: { ...checkpoints, room: () => room.promise },
      logSync,
      readers: createReaders(path, idOf(path)),
    });
    const rows = () => database.prepare('SELECT count(*) AS n FROM filler').get()?.n;
    const change = writing(() => fill(database, 1))();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(rows(), 0);
    return { room, state, change, rows };
  }

  test('waits for it, whoever makes it', async (t) => {
    const { room, change, rows } = await setUp(t);
    room.resolve();
    await change;
    assert.equal(rows(), 1);
  });

  test('is refused where the database was lost meanwhile', async (t) => {
    const { room, state, change, rows } = await setUp(t);
    state.trouble = new StoreUnavailable('lost');
    room.resolve();
    await assert.rejects(change, /lost/);
    assert.equal(rows(), 0);
  });
});

suite('a log that somebody keeps from being begun anew', () => {
  test('is copied again when it has grown by as much, not with each change', {
    timeout: 60_000,
  }, async (t) => {
    const path = join(freshDirectory(t), 'test.db');
    const database = open(t, path);
    fill(database, 1);
    const checkpoints = startCheckpoints(database, path, { copyAtBytes: 2 ** 20 });
    t.after(() => checkpoints.stop());
    const reader = open(t, path);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM filler').get();
    const write = (rows: number) => {
      fill(database, rows);
      checkpoints.written();
      return new Promise((resolve) => setImmediate(resolve));
    };
    const { mock } = t.mock.method(Worker.prototype, 'postMessage');
    const orders = (order: string) => mock.calls.filter(({ arguments: [given] }) => given === order).length;
    await write(300);
    while (orders('finish') === 0) await write(0);
    for (let row = 0; row < 40; row++) await write(1);
    assert.equal(orders('finish'), 1);
    while (orders('finish') === 1) await write(10);
  });
});

suite('a command that reads for so long that the log grows', () => {
  const grown = /the log of the database has grown to \d+ MiB while it was read/;

  async function setUp(t: TestContext) {
    const path = join(freshDirectory(t), 'test.db');
    const store = openSqliteStore(path);
    t.after(() => store.close());
    // The commits exceed what is copied at once.
    for (let name = 0; name < 20; name++) await createAccount(store, 'x'.repeat(2 ** 20), 0);
    return path;
  }

  test('makes no backup', async (t) => {
    const path = await setUp(t);
    const file = `${path}.backup`;
    await assert.rejects(
      backUpSqlite(path, file, () => {}, 1_000),
      grown,
    );
    assert.equal(existsSync(file), false);
    await backUpSqlite(path, file, () => {});
  });

  test('does not go on checking', async (t) => {
    const database = openForReading(await setUp(t));
    t.after(() => database.close());
    const rules: string[] = [];
    const listener = { outcome: ({ rule }: { rule: string }) => rules.push(rule), progress: () => {} };
    await assert.rejects(checkSqlite(database, listener, 1_000), grown);
    assert.deepEqual(rules, []);
    await checkSqlite(database, listener);
    assert.ok(rules.length > 10);
  });
});

function open(t: TestContext, path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  t.after(() => database.close());
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS filler (text TEXT)');
  return database;
}

/** The number of times that the log was begun anew, which its head holds by SQLite's format. */
function beginnings(path: string): number {
  return readFileSync(`${path}-wal`).readUInt32BE(12);
}

function fill(database: DatabaseSync, rows: number, bytes = 4_000): void {
  const insert = database.prepare(`INSERT INTO filler VALUES (printf('%.*c', ${bytes}, 'y'))`);
  for (let row = 0; row < rows; row++) insert.run();
}
