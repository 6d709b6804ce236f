/** A service on SQLite, where it is not as on other databases: one process serves a file, and the file is all there is. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
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

test('no file of the database has the secret of a key', async (t) => {
  const path = `${freshDirectory(t)}/till.db`;
  const { key, stop } = await onFile(t, path);
  const isInFiles = (text: string) =>
    [path, `${path}-wal`].some((file) => existsSync(file) && readFileSync(file).includes(text));
  assert.deepEqual([isInFiles(key.id), isInFiles(key.secret)], [true, false]);
  await stop();
  assert.deepEqual([isInFiles(key.id), isInFiles(key.secret)], [true, false]);
});
