/** A crash in the midst of copying the log: the file alone contradicts itself, and the log beside it has everything. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFirstAccount } from '../../src/accounts/account.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { freshDirectory } from '../support/process.ts';

const PAGE_BYTES = 4096;
/** Sizes in the format of SQLite's log. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

test('a start takes the log of a crash, however far the log had been copied', async (t) => {
  const directory = freshDirectory(t);
  const path = join(directory, 'till.db');
  const crashed = join(directory, 'crashed.db');
  const writer = openSqliteStore(path);
  const account = await createFirstAccount(writer, 'Shop', Date.now());
  copyFileSync(path, crashed);
  copyFileSync(`${path}-wal`, `${crashed}-wal`);
  await writer.close();
  const pages = pagesOf(readFileSync(`${crashed}-wal`));
  const file = readFileSync(crashed);
  assert.ok(pages.length * PAGE_BYTES > 2 * file.length, 'the log is longer than the file');

  for (let copied = 0; copied <= pages.length; copied++) {
    const next = join(directory, `${copied}.db`);
    copyFileSync(`${crashed}-wal`, `${next}-wal`);
    writeFileSync(next, withPages(file, pages.slice(0, copied)));
    const store = openSqliteStore(next, { serve: true });
    const found = (await store.accounts.list()).map(({ number }) => number);
    assert.deepEqual(found, [account?.number], `${copied} pages of ${pages.length} were copied`);
    await store.close();
  }
});

type Page = { readonly number: number; readonly bytes: Buffer };

/** The newest version of each page, in the order in which SQLite copies them: by number, the head of the file first. */
function pagesOf(log: Buffer): Page[] {
  const newest = new Map<number, Page>();
  for (let at = LOG_HEADER_BYTES; at < log.length; at += FRAME_HEADER_BYTES + PAGE_BYTES) {
    const number = log.readUInt32BE(at);
    const from = at + FRAME_HEADER_BYTES;
    newest.set(number, { number, bytes: log.subarray(from, from + PAGE_BYTES) });
  }
  return [...newest.values()].sort((a, b) => a.number - b.number);
}

function withPages(file: Buffer, pages: readonly Page[]): Buffer {
  const bytes = Math.max(file.length, ...pages.map(({ number }) => number * PAGE_BYTES));
  const changed = Buffer.concat([file, Buffer.alloc(bytes - file.length)]);
  for (const page of pages) page.bytes.copy(changed, (page.number - 1) * PAGE_BYTES);
  return changed;
}
