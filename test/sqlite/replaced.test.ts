/** The files of a database that is served are removed or replaced: that is noticed, and costs nothing acknowledged. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openBooks } from '../crash/books.ts';
import { freshDirectory, isRunning, type Running, runToEnd, serve } from '../support/process.ts';
import { serveHere } from '../support/service.ts';

const timeout = 60_000;
const headers = { authorization: 'Bearer sk_test_gone', 'content-type': 'application/json' };

type Server = { readonly url: string };

async function setUp(t: TestContext) {
  const path = join(freshDirectory(t), 'till.db');
  const settings = { DATABASE_URL: `sqlite:${path}`, BOOTSTRAP_API_KEY: 'ak_test_gone:sk_test_gone' };
  const server = await serve(t, settings);
  const acknowledged: string[] = [];

  async function create(on: Server = server): Promise<number> {
    const body = JSON.stringify({ invoice_currency: 'EUR', amount: 100 });
    const response = await fetch(`${on.url}/v3/checkout`, { method: 'POST', headers, body });
    const answer = JSON.parse(await response.text());
    if (response.status === 201) acknowledged.push(answer.data.id);
    return response.status;
  }

  /** Goes on until a change is refused; returns what the service says of itself then. */
  async function refusal(): Promise<string> {
    for (let status = 201; status !== 503; ) {
      status = await create();
      assert.ok(status === 201 || status === 503, `${status}`);
    }
    const response = await fetch(`${server.url}/readyz`);
    assert.equal(response.status, 503);
    return JSON.parse(await response.text()).status;
  }

  async function assertAllThere(on: Server): Promise<void> {
    for (const id of acknowledged) {
      assert.equal((await fetch(`${on.url}/v3/checkout/${id}`, { headers })).status, 200, id);
    }
  }

  for (let n = 0; n < 20; n++) assert.equal(await create(), 201);
  return { path, settings, server, create, refusal, assertAllThere };
}

type Given = Awaited<ReturnType<typeof setUp>>;

/** A moment, in which the server does something; fails once it has ended. */
async function goesOn(server: Running): Promise<void> {
  assert.ok(isRunning(server), `the server has ended: ${server.output.stderr}`);
  await pause(20);
}

async function crashAndStartAgain(t: TestContext, { path, settings, server }: Given): Promise<Server> {
  await server.kill('SIGKILL');
  const again = await serveHere(t, settings);
  const books = openBooks(path);
  await books.check();
  books.close();
  return again;
}

suite('the log of a database that is served', () => {
  test('is removed: nothing acknowledged is lost', { timeout }, async (t) => {
    const given = await setUp(t);
    rmSync(`${given.path}-wal`);
    assert.equal(
      await given.refusal(),
      'the log of the database was removed or replaced while it was served',
    );
    const saved = 'everything in the log was copied into the database file';
    while (!given.server.output.stderr.includes(saved)) await goesOn(given.server);
    await given.assertAllThere(given.server);
    const again = await crashAndStartAgain(t, given);
    await given.assertAllThere(again);
    assert.equal(await given.create(again), 201);
  });

  test('is replaced by an older one, of which nothing comes back', { timeout }, async (t) => {
    const given = await setUp(t);
    const copy = `${given.path}.copy`;
    copyFileSync(`${given.path}-wal`, copy);
    for (let n = 0; n < 20; n++) assert.equal(await given.create(), 201);
    renameSync(copy, `${given.path}-wal`);
    await given.refusal();
    await given.assertAllThere(await crashAndStartAgain(t, given));
    assert.ok(existsSync(`${given.path}-wal.replaced`));
  });

  test('has lost its index: nothing is written that others could overwrite', { timeout }, async (t) => {
    const given = await setUp(t);
    rmSync(`${given.path}-shm`);
    assert.equal(await given.refusal(), 'the index of the log was removed or replaced while it was served');
    await given.assertAllThere(await crashAndStartAgain(t, given));
  });
});

suite('the file of a database that is served', () => {
  test('is replaced by a backup, to which nothing of the log is added', { timeout }, async (t) => {
    const given = await setUp(t);
    const backup = `${given.path}.backup`;
    assert.equal((await runToEnd(t, ['db', 'backup', backup], given.settings)).code, 0);
    for (let n = 0; n < 20; n++) assert.equal(await given.create(), 201);
    renameSync(backup, given.path);
    assert.equal(await given.refusal(), 'the database file was removed or replaced while it was served');
    const again = await crashAndStartAgain(t, given);
    assert.equal(await given.create(again), 201);
    const books = openBooks(given.path);
    assert.equal(books.one('SELECT count(*) FROM checkout'), 21);
    books.close();
  });

  test('has another name, under which everything is', { timeout }, async (t) => {
    const given = await setUp(t);
    const renamed = `${given.path}.renamed`;
    renameSync(given.path, renamed);
    await given.refusal();
    await given.server.kill('SIGKILL');
    const again = await serveHere(t, { ...given.settings, DATABASE_URL: `sqlite:${renamed}` });
    await given.assertAllThere(again);
  });

  test('has lost the lock beside it: the server takes it again', { timeout }, async (t) => {
    const { path, settings, server } = await setUp(t);
    const lock = `${path}.lock`;
    rmSync(lock);
    while (statSync(lock, { throwIfNoEntry: false }) === undefined) await goesOn(server);
    for (let code: number | null = 1; code !== 0; ) {
      await goesOn(server);
      ({ code } = await runToEnd(t, ['keys', 'create', '--name', 'x'], settings));
    }
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    const { stderr } = await runToEnd(t, ['serve'], { ...settings, PORT: '0' }, { startsNothing: true });
    assert.match(stderr, /another process is serving the database/);
  });
});
