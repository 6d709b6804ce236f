/** Files that are written whole or not at all, and only for their owner. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { inOneLine, makeFile, UnusableFile } from '../../src/lib/atomic-file.ts';
import { freshDirectory } from '../support/process.ts';

suite('a file that is made', () => {
  test('has its name only when it is whole, and is for its owner alone', async (t) => {
    const directory = freshDirectory(t);
    const path = join(directory, 'copy.db');
    const result = await makeFile(path, async (part) => {
      assert.equal(existsSync(path), false);
      assert.equal(statSync(part).mode & 0o777, 0o600);
      writeFileSync(part, 'all of it');
      return 7;
    });
    assert.equal(result, 7);
    assert.equal(readFileSync(path, 'utf8'), 'all of it');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(directory), ['copy.db']);
  });

  test('leaves nothing behind where that fails, and listens to no signal any more', async (t) => {
    const directory = freshDirectory(t);
    const listening = () => process.listenerCount('SIGINT') + process.listenerCount('SIGTERM');
    const before = listening();
    const failure = new Error('half of it');
    const failing = makeFile(join(directory, 'copy.db'), async (part) => {
      for (const suffix of ['', '-journal', '-wal', '-shm']) writeFileSync(part + suffix, 'half');
      assert.equal(listening(), before + 2);
      throw failure;
    });
    await assert.rejects(failing, failure);
    assert.deepEqual(readdirSync(directory), []);
    assert.equal(listening(), before);
  });

  test('takes the place of no other, and of none that somebody else is making', async (t) => {
    const directory = freshDirectory(t);
    for (const name of ['copy.db', 'other.db.part']) writeFileSync(join(directory, name), 'first');
    const fill = () => assert.fail('there is nothing to fill');
    await assert.rejects(makeFile(join(directory, 'copy.db'), fill), /copy\.db exists already$/);
    await assert.rejects(makeFile(join(directory, 'other.db'), fill), /another process is writing it/);
    for (const name of readdirSync(directory)) {
      assert.equal(readFileSync(join(directory, name), 'utf8'), 'first');
    }
    assert.equal(readdirSync(directory).length, 2);
  });

  test('in a folder that is not there is refused in one line', async (t) => {
    const path = join(freshDirectory(t), 'missing', 'copy.db');
    await assert.rejects(
      makeFile(path, async () => {}),
      (error) => error instanceof UnusableFile && /^cannot write .*copy\.db.*: ENOENT/.test(error.message),
    );
  });
});

test('errors of the system and of SQLite are told in one line, bugs as they are', () => {
  const bug = new Error('a bug');
  assert.equal(inOneLine(bug, '/x'), bug);
  for (const cause of [{ syscall: 'open' }, { errcode: 13 }]) {
    const told = inOneLine(Object.assign(new Error('full'), cause), '/x');
    assert.ok(told instanceof UnusableFile);
    assert.equal(told.message, 'cannot write /x: full');
  }
});
