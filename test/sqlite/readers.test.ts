/** Reads in threads: what a slow one is in the way of, and of whom; their time, their queue and their end. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { DamagedRow, StoreClosed, StoreUnavailable } from '../../src/store/errors.ts';
import { unpack } from '../../src/store/packed.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { idOf } from '../../src/store/sqlite/ownership.ts';
import type { PackedEvents, ReadTask } from '../../src/store/sqlite/reader-thread.ts';
import { createReaders, type ReaderLimits } from '../../src/store/sqlite/readers.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { add, change, session, tenants } from '../store/build.ts';
import { freshDirectory } from '../support/process.ts';

const quick: ReadTask = { text: 'SELECT 1 AS one', values: [] };
/** Runs until it has taken too long. */
const endless: ReadTask = {
  text: `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE in_time())
    SELECT max(n) FROM number`,
  values: [],
};
/** Does not look at the time: it takes about a second. */
const deaf: ReadTask = {
  text: `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000000)
    SELECT max(n) FROM number`,
  values: [],
};
const unavailable = (message: RegExp) => (error: Error) => {
  assert.ok(error instanceof StoreUnavailable, String(error));
  assert.match(error.message, message);
  return true;
};

function open(t: TestContext, limits: Partial<ReaderLimits> = {}) {
  const path = join(freshDirectory(t), 'test.db');
  const database = openDatabase(path);
  const readers = createReaders(path, idOf(path), limits);
  t.after(async () => {
    await readers.close();
    if (database.isOpen) database.close();
  });
  return { path, database, readers };
}

/** Asks as another process: locks are those of processes. */
function isFree(path: string): boolean {
  const take = `new (require('node:sqlite').DatabaseSync)(process.argv[1])
    .exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', take, path], { encoding: 'utf8' });
  if (status !== 0) assert.match(stderr, /database is locked/);
  return status === 0;
}

suite('a read in a thread', () => {
  test('sees what was committed before it', async (t) => {
    const { database, readers } = open(t);
    database.exec('CREATE TABLE seen (n INTEGER)');
    for (let n = 1; n <= 20; n++) {
      database.exec(`INSERT INTO seen VALUES (${n})`);
      assert.deepEqual(await readers.read('a', { text: 'SELECT max(n) AS n FROM seen', values: [] }), [
        { n },
      ]);
    }
  });

  test('that takes too long ends, and the next one finds the thread as it was', async (t) => {
    const { database, readers } = open(t, { readMs: 30, threads: 1 });
    const rowByRow: ReadTask[] = [
      { ...endless, most: 1000 },
      { ...endless, outlined: true },
      { ...endless, form: { hundredths: false } },
    ];
    for (const task of [endless, ...rowByRow]) {
      for (let round = 0; round < 3; round++) {
        await assert.rejects(readers.read('a', task), unavailable(/took too long/));
        assert.deepEqual(await readers.read('a', quick), [{ one: 1 }]);
      }
    }
    // The log can be copied and begun anew: no read holds it.
    database.exec('CREATE TABLE more (n INTEGER)');
    const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
    assert.equal(busy, 0);
  });

  test('that does not answer is given up with its thread, which is replaced when it has ended', async (t) => {
    const { readers } = open(t, { readMs: 100, graceMs: 200, threads: 1 });
    await assert.rejects(readers.read('a', deaf), unavailable(/took too long/));
    assert.deepEqual(await readers.read('a', quick), [{ one: 1 }]);
  });

  test('whose thread dies of what it reads is refused, and the next one has another thread', async (t) => {
    const { readers } = open(t, { memory: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 8 } });
    const tooMuch: ReadTask = {
      text: `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 100)
        SELECT n AS position, 'x.y' AS type, hex(zeroblob(1000000)) AS body FROM number`,
      values: [],
      form: { hundredths: false },
    };
    await assert.rejects(readers.read('a', tooMuch), unavailable(/a reader has failed/));
    assert.deepEqual(await readers.read('a', quick), [{ one: 1 }]);
  });

  test('hands over bytes in memory of their own, which it no longer has', async (t) => {
    const { readers } = open(t);
    const two = "SELECT 1 AS position, 'x.y' AS type, '{\"ü\":1}' AS body UNION ALL SELECT 2, 'x.z', '大'";
    const task: ReadTask = { text: two, values: [], form: { hundredths: false } };
    for (let times = 0; times < 2; times++) {
      const { events, packed } = (await readers.read('a', task)) as PackedEvents;
      assert.deepEqual(events, [
        { position: 1, type: 'x.y' },
        { position: 2, type: 'x.z' },
      ]);
      const texts = unpack(packed).map((bytes) => Buffer.from(bytes).toString());
      assert.deepEqual(texts, ['{"ü":1}', '大']);
      assert.equal(packed.bytes.byteLength, packed.bytes.buffer.byteLength);
    }
  });

  test('of a file that has taken the place of the database is refused', async (t) => {
    const { path, readers } = open(t);
    assert.deepEqual(await readers.read('a', quick), [{ one: 1 }]);
    copyFileSync(path, `${path}.other`);
    renameSync(`${path}.other`, path);
    await assert.rejects(readers.read('a', quick), unavailable(/replaced/));
  });

  test('tells a row that is not what was written from a mistake of ours', async (t) => {
    const { readers } = open(t);
    await assert.rejects(readers.read('a', { text: 'SELECT 9007199254740993 AS n', values: [] }), DamagedRow);
    const mistake = readers.read('a', { text: 'SELECT no_column', values: [] });
    await assert.rejects(mistake, { message: /no such column/, errcode: 1 });
  });
});

suite('the queue of reads', () => {
  test('has one tenant wait for its own slow read, and nobody else', async (t) => {
    const { readers } = open(t, { readMs: 60_000 });
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    const ofA = [readers.read('a', endless), readers.read('a', quick)].map((read) => read.then(end, end));
    for (let n = 0; n < 5; n++) assert.deepEqual(await readers.read('b', quick), [{ one: 1 }]);
    assert.equal(isOver, false);
    await readers.close();
    await Promise.all(ofA);
  });

  test('gives each tenant its turn', async (t) => {
    const { readers } = open(t, { threads: 1 });
    const order: string[] = [];
    const names = ['a1', 'a2', 'a3', 'b1', 'c1'];
    const all = names.map((name) => readers.read(name.slice(0, 1), quick).then(() => order.push(name)));
    await Promise.all(all);
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  test('gives up what is being read when it ends, as what waits', async (t) => {
    const { readers } = open(t, { threads: 1 });
    await readers.read('a', quick);
    const read = assert.rejects(readers.read('a', endless), StoreClosed);
    await readers.close();
    await read;
  });

  test('is bounded for each tenant, and when it is full, who waits with the most gives way', async (t) => {
    const { readers } = open(t, { threads: 1, maxWaiting: 4, maxWaitingOfTenant: 3 });
    const outcome = (tenant: string) =>
      readers.read(tenant, quick).then(
        () => 'read',
        (error: Error) => error.message,
      );
    const refused = 'too many lists wait already';
    // The thread begins, and all of them wait for it.
    const ofA = [outcome('a'), outcome('a'), outcome('a'), outcome('a')];
    const ofOthers = [outcome('b'), outcome('c'), outcome('d'), outcome('e')];
    assert.deepEqual(await Promise.all(ofA), ['read', refused, refused, refused]);
    assert.deepEqual(await Promise.all(ofOthers), ['read', 'read', 'read', refused]);
  });

  test('ends with its threads: what waits and what is read is given up', async (t) => {
    const { readers, path, database } = open(t);
    const reads = [readers.read('a', endless), readers.read('a', quick)];
    const ended = Promise.all(reads.map((read) => assert.rejects(read, StoreClosed)));
    await readers.close();
    await ended;
    await assert.rejects(readers.read('a', quick), StoreClosed);
    assert.equal(isFree(path), false, 'the end of a thread has taken the locks of the others along');
    database.close();
    assert.equal(isFree(path), true);
  });
});

suite('a store that serves', () => {
  test('lists what was just changed, and answers a fetch before a list that was asked for earlier', async (t) => {
    const path = join(freshDirectory(t), 'test.db');
    const store = openSqliteStore(path, { serve: true });
    t.after(() => store.close());
    const { mine } = await tenants(store);
    let one = await add(store, session(mine));
    for (let n = 0; n < 5; n++) {
      one = await change(store, one, { metadata: { n } });
      assert.deepEqual((await store.checkouts.list(mine, {}, { limit: 1 })).rows, [one]);
    }
    const order: string[] = [];
    await Promise.all([
      store.checkouts.list(mine, {}, { limit: 1 }).then(() => order.push('list')),
      store.checkouts.fetch(mine, one.id).then(() => order.push('fetch')),
    ]);
    assert.deepEqual(order, ['fetch', 'list']);
  });
});
