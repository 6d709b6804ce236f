import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startCheckpoints } from '../../src/store/sqlite/checkpoint.ts';

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

test('a thread that could not start does not hold up the end', async (t) => {
  const database = new DatabaseSync(':memory:');
  t.after(() => database.close());
  const checkpoints = startCheckpoints(database, '/nowhere/at/all.db');
  checkpoints.changed(1_000_000);
  await checkpoints.stop();
});
