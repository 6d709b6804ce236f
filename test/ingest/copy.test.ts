/** Copies of files: what a process that was killed has left of them does not stay for ever. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readBack, withCopy } from '../../src/ingest/copy.ts';
import { freshDirectory } from '../support/process.ts';

const HOUR = 3_600_000;

test('leftovers of more than an hour go when a copy is made, at most once an hour', async (t) => {
  const folder = freshDirectory(t);
  const outside = freshDirectory(t);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  // Earlier copies of this process are more than an hour old by this clock.
  const start = Date.now() + 24 * HOUR;
  t.mock.timers.enable({ apis: ['Date'], now: start });
  const limit = { bytes: 10, error: () => new Error('too much') };
  const copy = (work = async () => {}) => withCopy(Readable.from([Buffer.from('abc')]), limit, work);
  const left = () => readdirSync(folder).sort();
  const age = (path: string, ms: number) => utimesSync(path, (start - ms) / 1000, (start - ms) / 1000);
  function leave(name: string, ms: number, contentMs = ms): void {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'content'), 'abc');
    age(join(folder, name, 'content'), contentMs);
    age(join(folder, name), ms);
  }

  leave('opentill-upload-old', HOUR + 60_000);
  leave('opentill-upload-young', HOUR - 60_000);
  leave('opentill-upload-growing', 2 * HOUR, 1_000);
  leave('another-old', 2 * HOUR);
  symlinkSync(outside, join(folder, 'opentill-upload-link'));
  const kept = ['another-old', 'opentill-upload-growing', 'opentill-upload-link', 'opentill-upload-young'];
  await copy();
  assert.deepEqual(left(), kept);
  assert.ok(existsSync(outside));

  leave('opentill-upload-old', 2 * HOUR);
  await copy();
  assert.deepEqual(left(), [...kept, 'opentill-upload-old'].sort());

  await copy(async () => {
    // The service's own copy is as old by now, and still in use.
    t.mock.timers.setTime(start + HOUR);
    const [own = ''] = left().filter((name) => ![...kept, 'opentill-upload-old'].includes(name));
    await copy();
    assert.deepEqual(left(), ['another-old', own, 'opentill-upload-link'].sort());
  });
  assert.deepEqual(left(), ['another-old', 'opentill-upload-link']);
});

test('a copy is as large as allowed and no larger, whatever pieces it comes in, and has the hash of all of it', async () => {
  const limit = { bytes: 10, error: () => new Error('too much') };
  const copy = (...pieces: readonly string[]) =>
    withCopy(Readable.from(pieces.map((each) => Buffer.from(each))), limit, async ({ hash, bytes, path }) => {
      const read = async () => Buffer.concat(await Array.fromAsync(readBack(path))).toString();
      return { hash, bytes, first: await read(), again: await read() };
    });
  const whole = '0123456789';
  const hash = createHash('sha256').update(whole).digest('hex');
  for (const pieces of [[whole], ['01234', '56789'], [...whole]]) {
    assert.deepEqual(await copy(...pieces), { hash, bytes: 10, first: whole, again: whole });
  }
  for (const pieces of [[`${whole}a`], ['012345', '6789a']]) {
    await assert.rejects(copy(...pieces), { message: 'too much' });
  }
});
