/** A service on SQLite, where it is not as on other databases: one process serves a file, and the file is all there is. */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { freshDirectory } from '../support/process.ts';
import { startService } from '../support/service.ts';

const onFile = (t: TestContext, path: string) => startService(t, { env: { DATABASE_URL: `sqlite:${path}` } });

test('a database that is served is refused to another service', async (t) => {
  const path = `${freshDirectory(t)}/till.db`;
  const first = await onFile(t, path);
  await assert.rejects(onFile(t, path), /another process is serving/);
  assert.equal((await first.call('GET', '/readyz')).status, 200);
  await first.stop();
  assert.equal((await (await onFile(t, path)).call('GET', '/readyz')).status, 200);
});

test('a stop is no failure of lists that are read for clients who have left', async (t) => {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const service = await startService(t, {
    env: { DATABASE_URL: `sqlite:${freshDirectory(t)}/till.db` },
    logger,
    connections: { drainMs: 0 },
  });
  let taken = 0;
  const allTaken = new Promise<void>((resolve) => {
    const count = () => ++taken === 5 && resolve();
    subscribe('http.server.request.start', count);
    t.after(() => unsubscribe('http.server.request.start', count));
  });
  const lists = Array.from({ length: 5 }, () => assert.rejects(service.call('GET', '/v3/checkout')));
  // The requests wait for the first reading thread, which is starting.
  await allTaken;
  await service.stop();
  await Promise.all(lists);
  assert.deepEqual(
    lines.filter(({ level }) => level > 30),
    [],
  );
});

test('no file of the database has the secret of a key', async (t) => {
  const path = `${freshDirectory(t)}/till.db`;
  const { key, stop } = await onFile(t, path);
  const isInFiles = (text: string) =>
    [path, `${path}-wal`].some((file) => existsSync(file) && readFileSync(file).includes(text));
  assert.deepEqual([isInFiles(key.id), isInFiles(key.secret)], [true, false]);
  await stop();
  assert.deepEqual([isInFiles(key.id), isInFiles(key.secret)], [true, false]);
});
