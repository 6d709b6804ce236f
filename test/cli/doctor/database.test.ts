/** Findings of `doctor` about a database file, without changing it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  openSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { createSession } from '../../api/shop.ts';
import { cleanUp } from '../../support/clean-up.ts';
import { freshDirectory } from '../../support/process.ts';
import { startService } from '../../support/service.ts';
import { examined, type Finding, found, made, wrongIn } from './findings.ts';

/** Looks at a database file as a user who is not root: tests run as root in containers, to whom no file is closed. */
async function examinedByOthers(path: string): Promise<readonly Finding[]> {
  const module = new URL('../../../src/cli/doctor/database-file.ts', import.meta.url);
  const code = `
    const { examineFile } = await import('${module}');
    if (process.getuid?.() === 0) process.setuid(65534);
    console.log(JSON.stringify(examineFile(process.argv[1])));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, path]);
  return JSON.parse(stdout);
}

suite('doctor finds a database', () => {
  test('that is not there yet, and creates nothing', async () => {
    await using t = cleanUp();
    const directory = freshDirectory(t);
    const findings = await examined(t, { DATABASE_URL: `sqlite:${join(directory, 'new/till.db')}` });
    assert.deepEqual(wrongIn(findings), []);
    assert.equal(found(findings, 'database', /^There is no database/).status, 'advice');
    assert.deepEqual(readdirSync(directory), []);
  });

  test('that this user cannot read, which is no damage', async () => {
    await using t = cleanUp();
    const { path } = await made(t);
    chmodSync(dirname(path), 0o755);
    chmodSync(path, 0);
    const findings = await examinedByOthers(path);
    assert.ok(
      findings.some(({ status, text }) => status === 'wrong' && text === `This user cannot write ${path}.`),
    );
    assert.ok(!findings.some(({ advice }) => advice.includes('restore')), JSON.stringify(findings));
  });

  test('of a newer version, and one of something else', async () => {
    await using t = cleanUp();
    const { path, settings } = await made(t);
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 999');
    database.close();
    const newer = await examined(t, settings);
    assert.equal(found(newer, 'database', /schema 999 of a newer opentill/).status, 'wrong');
    rmSync(path);
    writeFileSync(path, 'no database at all, and long enough for SQLite to see that '.repeat(40), {
      mode: 0o600,
    });
    assert.deepEqual(wrongIn(await examined(t, settings)), ['database']);
  });

  test('that is damaged', async () => {
    await using t = cleanUp();
    const { path, settings } = await made(t);
    const database = new DatabaseSync(path);
    const { page_size: size } = database.prepare('PRAGMA page_size').get() as { page_size: number };
    // The root of an index: it can be opened, and only a look at all pages finds it.
    const { page } = database
      .prepare(`SELECT max(rootpage) AS page FROM sqlite_schema WHERE type = 'index'`)
      .get() as { page: number };
    database.close();
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
    closeSync(file);
    const damaged = await examined(t, settings);
    assert.equal(found(damaged, 'database', /^\S+ (is damaged|cannot be read): /).status, 'wrong');
    truncateSync(path, size * 4);
    assert.ok(wrongIn(await examined(t, settings)).includes('database'));
  });

  test('whose newest event is still to come', async () => {
    await using t = cleanUp();
    const service = await startService(t, { realNow: () => Date.now() + 3_600_000 });
    await createSession(service);
    const settings = { DATABASE_URL: service.database.url, PORT: new URL(service.url).port };
    const findings = await examined(t, settings);
    assert.match(found(findings, 'clock', /behind the newest event/).text, /is 3(599|600) s behind/);
  });
});
