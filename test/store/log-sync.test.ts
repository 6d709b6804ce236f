/** Reads wait for the changes that they tell of to reach the disk, and for no others. */
import assert from 'node:assert/strict';
import { fdatasync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { createAccess } from '../../src/store/sqlite/access.ts';
import { startCheckpoints } from '../../src/store/sqlite/checkpoint.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import type { SyncFile } from '../../src/store/sqlite/log-sync.ts';
import { startLogSync } from '../../src/store/sqlite/log-sync.ts';
import { idOf, own } from '../../src/store/sqlite/ownership.ts';
import { createReaders } from '../../src/store/sqlite/readers.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { watchFiles } from '../../src/store/sqlite/watch.ts';
import type { Store } from '../../src/store/store.ts';
import { freshDirectory } from '../support/process.ts';
import { add, changed, eventOf, session, T, tenants } from './build.ts';
import { claim } from './deliveries.ts';

/** A disk that syncs when it is told to. */
function createDisk() {
  let isHeld = false;
  const held: Array<Parameters<SyncFile>> = [];
  const syncFile: SyncFile = (file, done) => {
    if (isHeld) held.push([file, done]);
    else fdatasync(file, done);
  };
  return {
    syncFile,
    held,
    hold: () => {
      isHeld = true;
    },
    /** Does what it was asked for, or fails. */
    go(error: Error | null = null): void {
      isHeld = false;
      for (const [file, done] of held.splice(0)) {
        if (error === null) fdatasync(file, done);
        else done(error);
      }
    },
  };
}

async function setUp(t: TestContext) {
  const disk = createDisk();
  const lines: string[] = [];
  const store = openSqliteStore(join(freshDirectory(t), 'test.db'), {
    serve: true,
    syncFile: disk.syncFile,
    onTrouble: (line) => lines.push(line),
    onLost: () => lines.push('the end'),
  });
  t.after(() => store.close());
  const { mine } = await tenants(store);
  const [one, other] = [await add(store, session(mine)), await add(store, session(mine))];
  const after = changed(one, { amount: one.amount + 1 });
  /** Changes the first session. */
  const change = () =>
    store.commit([
      {
        needs: { tenant: mine, checkouts: [one.id] },
        decide: () => [{ checkout: { before: one, after }, events: [eventOf(after)] }],
      },
    ]);
  return { store, disk, lines, mine, one, other, after, change };
}

/** True if the promise is settled once everything else that can happen now has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const end = () => {
    settled = true;
  };
  promise.then(end, end);
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

type Given = Awaited<ReturnType<typeof setUp>>;

/** Reads that tell of the change of the first session. */
const tales: Readonly<Record<string, (given: Given) => Promise<unknown>>> = {
  'the session': ({ store, mine, one }) => store.checkouts.fetch(mine, one.id),
  'a list': ({ store, mine }) => store.checkouts.list(mine, {}, { limit: 10 }),
  'the feed': ({ store, mine }) => store.events.list(mine, {}, 0, 10),
  'the end of the feed': ({ store, mine }) => store.events.end(mine),
  'a refusal': ({ store, mine, one }) =>
    store.commit([{ needs: { tenant: mine, checkouts: [one.id] }, decide: () => [] }]),
  'deliveries to be sent': ({ store, mine }) => claim(store, mine, T),
  'an account whose clock was moved': async ({ store, mine }) => {
    void store.commit([{ needs: { tenant: mine }, decide: () => [{ clockMove: { at: T, advanceMs: 1 } }] }]);
    await store.accounts.fetch(mine.account);
  },
  'what is counted': ({ store }) => store.gauges(),
};

suite('a change that is not on the disk yet', () => {
  for (const [tale, ask] of Object.entries(tales)) {
    test(`is not told of by ${tale}`, async (t) => {
      const given = await setUp(t);
      given.disk.hold();
      const acknowledged = given.change();
      const told = ask(given);
      assert.equal(await isSettled(acknowledged), false);
      assert.equal(await isSettled(told), false);
      given.disk.go();
      await acknowledged;
      await told;
      assert.equal(
        (await given.store.checkouts.fetch(given.mine, given.one.id))?.version,
        given.after.version,
      );
    });
  }

  test('is not told of by what a thread has read', async (t) => {
    const path = join(freshDirectory(t), 'test.db');
    const owned = own(path);
    const database = openDatabase(path);
    const disk = createDisk();
    const watch = watchFiles(database, path, owned, () => {});
    const checkpoints = startCheckpoints(database, path);
    const logSync = startLogSync(database, { syncFile: disk.syncFile });
    t.after(async () => {
      watch.stop();
      await checkpoints.stop();
      database.close();
      checkpoints.release();
      logSync.stop();
      owned.release();
    });
    const readers = createReaders(path, idOf(path));
    const { writing, readingLater } = createAccess(database, { watch, checkpoints, logSync, readers });
    disk.hold();
    const acknowledged = writing(() => database.exec('CREATE TABLE seen (n INTEGER)'))();
    const told = readingLater(async () => 'what it has seen')();
    assert.equal(await isSettled(told), false);
    disk.go();
    await acknowledged;
    assert.equal(await told, 'what it has seen');
  });

  test('keeps nobody from reading other sessions and accounts', async (t) => {
    const { store, disk, mine, other, change } = await setUp(t);
    disk.hold();
    const acknowledged = change();
    assert.equal((await store.accounts.fetch(mine.account))?.number, mine.account);
    assert.equal((await store.checkouts.fetch(mine, other.id))?.id, other.id);
    disk.go();
    await acknowledged;
  });

  test('is brought there with all that were made meanwhile', async (t) => {
    const { store, disk, mine, change } = await setUp(t);
    disk.hold();
    const first = change();
    const others = Promise.all([1, 2, 3].map(() => add(store, session(mine))));
    assert.equal(disk.held.length, 1);
    const [held] = disk.held.splice(0);
    held?.[1](null);
    await first;
    assert.equal(disk.held.length, 1, 'one more for all that came meanwhile');
    assert.equal(await isSettled(others), false);
    disk.go();
    await others;
  });
});

suite('a log that cannot be brought to the disk', () => {
  const isRefused = (promise: Promise<unknown>) =>
    assert.rejects(
      promise,
      (error: Error) => error instanceof StoreUnavailable && error.name === 'StoreUnavailable',
    );

  async function failed(t: TestContext): Promise<Given> {
    const given = await setUp(t);
    given.disk.hold();
    const [first, second] = [given.change(), add(given.store, session(given.mine))];
    given.disk.go(new Error('EIO: i/o error, fdatasync'));
    await Promise.all([isRefused(first), isRefused(second)]);
    return given;
  }

  test('is the end of the service: only a new start can tell what it holds', async (t) => {
    const { store, mine, one, other, lines } = await failed(t);
    await isRefused(store.checkHealth());
    await isRefused(add(store, session(mine)));
    for (const { id } of [one, other]) await isRefused(store.checkouts.fetch(mine, id));
    await isRefused(store.events.list(mine, {}, 0, 10));
    assert.deepEqual(lines, [
      'the log of the database could not be synced to the disk (EIO: i/o error, fdatasync); only a new start can tell what it holds',
      'the end',
    ]);
  });

  test('is as much the end where nobody else had written', async (t) => {
    const { store, disk, mine, change } = await setUp(t);
    disk.hold();
    const refused = isRefused(change());
    disk.go(new Error('EIO: i/o error, fdatasync'));
    await refused;
    await isRefused(store.events.list(mine, {}, 0, 10));
  });
});

suite('a service', () => {
  test('has its log synced by itself, not by SQLite, and a command the other way round', async (t) => {
    const syncs: number[] = [];
    const path = join(freshDirectory(t), 'test.db');
    const store: Store = openSqliteStore(path, {
      serve: true,
      syncFile: (file, done) => {
        syncs.push(file);
        fdatasync(file, done);
      },
    });
    const { mine } = await tenants(store);
    const before = syncs.length;
    await add(store, session(mine));
    assert.equal(syncs.length, before + 1);
    await store.close();
    const command = openSqliteStore(path);
    assert.equal(command.batching.atOnce, 1);
    await command.close();
  });
});
