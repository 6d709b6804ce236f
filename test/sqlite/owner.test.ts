/** Ownership of a database file: one server, by whatever name the file is opened, and commands beside it. */
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { openForReading } from '../../src/store/sqlite/file.ts';
import { freshDirectory, runToEnd, serve } from '../support/process.ts';
import { serveHere } from '../support/service.ts';

/** Ways to the file that a server has open, and why another one is refused there. */
const ways: readonly {
  readonly name: string;
  readonly make: (path: string, directory: string) => string;
  readonly refusal: RegExp;
  /** Set if the name leads to the log, so that commands may use it. */
  readonly leadsToLog?: boolean;
}[] = [
  {
    name: 'a symbolic link',
    make: (path, directory) => linked(symlinkSync, path, join(directory, 'link.db')),
    refusal: /another process is serving the database/,
    leadsToLog: true,
  },
  {
    name: 'a symbolic link to its directory',
    make: (path, directory) => {
      symlinkSync(join(path, '..'), join(directory, 'link'));
      return join(directory, 'link/till.db');
    },
    refusal: /another process is serving the database/,
    leadsToLog: true,
  },
  {
    name: 'a hard link',
    make: (path, directory) => linked(linkSync, path, join(directory, 'link.db')),
    refusal: /has 2 names \(hard links\)/,
  },
  {
    name: 'a new name',
    make: (path, directory) => linked(renameSync, path, join(directory, 'renamed.db')),
    refusal: /another program has the database \S+ open/,
  },
  {
    name: 'its own name once the lock beside it was removed',
    make(path) {
      rmSync(`${path}.lock`);
      return path;
    },
    refusal: /another (program has the database \S+ open|process is serving)/,
    leadsToLog: true,
  },
];

function linked(link: (path: string, name: string) => void, path: string, name: string): string {
  link(path, name);
  return name;
}

/** A server that is not refused goes on for ever. */
const timeout = 60_000;

const urlOf = (path: string) => ({ DATABASE_URL: `sqlite:${path}` });

async function refused(t: TestContext, args: readonly string[], path: string, why: RegExp): Promise<void> {
  const { code, stderr } = await runToEnd(t, args, { PORT: '0', ...urlOf(path) }, { startsNothing: true });
  assert.equal(code, 1, stderr);
  assert.match(stderr, why);
  assert.match(stderr, /^opentill: [^\n]+\n$/);
}

suite('a second server on one database file', () => {
  for (const { name, make, refusal, leadsToLog = false } of ways) {
    test(`is refused by ${name}`, { timeout }, async (t) => {
      const directory = freshDirectory(t);
      const path = join(directory, 'data/till.db');
      mkdirSync(join(directory, 'data'));
      const server = await serveHere(t, urlOf(path));
      const way = make(path, directory);
      await refused(t, ['serve'], way, refusal);
      if (!leadsToLog) await refused(t, ['keys', 'create', '--name', 'x'], way, refusal);
      assert.equal((await fetch(`${server.url}/livez`)).status, 200);
    });
  }

  test('takes over when the first was killed, also by a new name', async (t) => {
    const directory = freshDirectory(t);
    const path = join(directory, 'till.db');
    await (await serve(t, urlOf(path))).kill('SIGKILL');
    for (const file of ['', '-wal', '-shm']) renameSync(path + file, join(directory, `new.db${file}`));
    await serveHere(t, urlOf(join(directory, 'new.db')));
  });
});

suite('beside others who have the database open', () => {
  test('a server starts again while a command reads, and finds no other in its place', {
    timeout,
  }, async (t) => {
    const path = join(freshDirectory(t), 'till.db');
    const first = await serve(t, urlOf(path));
    const reading = openForReading(path);
    reading.exec('BEGIN');
    reading.prepare('SELECT count(*) FROM account').get();
    await first.kill('SIGKILL');
    const second = await serveHere(t, urlOf(path));
    await refused(t, ['serve'], path, /another process is serving the database/);
    reading.close();
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
  });

  test('a server and a command that writes are refused while another program has it open', {
    timeout,
  }, async (t) => {
    const path = join(freshDirectory(t), 'till.db');
    await (await serveHere(t, urlOf(path))).stop();
    const other = new DatabaseSync(path);
    other.prepare('SELECT count(*) FROM account').get();
    const why = /another program has the database \S+ open/;
    await refused(t, ['serve'], path, why);
    await refused(t, ['keys', 'create', '--name', 'x'], path, why);
    other.close();
    assert.equal((await runToEnd(t, ['keys', 'create', '--name', 'x'], urlOf(path))).code, 0);
    await serveHere(t, urlOf(path));
  });
});
