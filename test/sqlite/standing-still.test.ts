/**
 * A process stands still between two of the steps in which SQLite keeps its index of the log: nobody can read until it
 * goes on, which SQLite notices after ten seconds. That moment is short, and is made here by hand.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { freshDirectory, run, runToEnd, serve } from '../support/process.ts';
import { combinations } from '../support/scale.ts';

const key = 'ak_test_still:sk_test_still';
const saysWhy = /^opentill: [^\n]+ another process [^\n]+ stands still in the middle of its work[^\n]*\n$/;

const urlOf = (path: string) => ({ DATABASE_URL: `sqlite:${path}`, BOOTSTRAP_API_KEY: key });

test('commands say that a process stands still, and work once it goes on', {
  timeout: 120_000,
}, async (t) => {
  const directory = freshDirectory(t);
  const path = join(directory, 'till.db');
  await serve(t, urlOf(path));
  const commands = [
    ['db', 'backup', join(directory, 'till.backup')],
    ['keys', 'list'],
  ];
  const goOn = standStill(path);
  const tried = commands.map((args) => run(t, args, urlOf(path)));
  for (const { ended, output } of tried) {
    assert.deepEqual(await ended, { code: 1, signal: null });
    assert.match(output.stderr, saysWhy);
  }
  goOn();
  for (const args of commands) {
    const { code, stderr } = await runToEnd(t, args, urlOf(path));
    assert.equal(code, 0, stderr);
  }
});

// Each read of the server waits for ten seconds.
for (const what of combinations(['is temporarily unavailable'], [])) {
  test(`a server beside a process that stands still ${what}`, { timeout: 180_000 }, async (t) => {
    const path = join(freshDirectory(t), 'till.db');
    const server = await serve(t, urlOf(path));
    const ask = () =>
      fetch(`${server.url}/v3/checkout/chk_01m7wxr2y10000dx93pndjm20b`, {
        headers: { authorization: `Basic ${Buffer.from(key).toString('base64')}` },
      });
    const goOn = standStill(path);
    assert.equal((await ask()).status, 503);
    goOn();
    assert.equal((await ask()).status, 404);
  });
}

/** Holds the right to write while the two copies of the head of the index differ. Returns the function that goes on. */
function standStill(path: string): () => void {
  const writer = new DatabaseSync(path);
  writer.exec('BEGIN IMMEDIATE');
  flipByteOf(`${path}-shm`);
  return () => {
    flipByteOf(`${path}-shm`);
    writer.exec('ROLLBACK');
    writer.close();
  };
}

/** Changes a byte in a process of its own: where the file is closed, a process loses all its locks on it. */
function flipByteOf(file: string): void {
  const program = `
    const { openSync, readSync, writeSync } = require('node:fs');
    const file = openSync(process.argv[1], 'r+');
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, 8);
    byte[0] ^= 1;
    writeSync(file, byte, 0, 1, 8);`;
  execFileSync(process.execPath, ['-e', program, file]);
}
