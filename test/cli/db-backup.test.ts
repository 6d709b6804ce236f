/** `db backup` and `db restore`: all of it, of one moment, or nothing. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { cleanUp, type Ends } from '../support/clean-up.ts';
import { createHooks } from '../support/hooks.ts';
import { isRunning, run, runToEnd, serve } from '../support/process.ts';
import { serveHere } from '../support/service.ts';
import { BOOT, backupIn, contents, done, isUntouched, keepWriting, refused } from './db/commands.ts';
import { fillByService } from './db/healthy.ts';
import { type Kind, postgresql, sqlite } from './db/kinds.ts';

const PAGE_BYTES = 4096;

suite('backup and restore on sqlite', () => backupSuite(sqlite));

function backupSuite(kind: Kind): void {
  const made = createHooks();
  let full = '';
  before(async () => {
    full = await kind.fresh(made);
    await fillByService(made, full);
  });
  after(made.run);
  const filled = (t: Ends): Promise<string> => kind.copy(t, full);

  test('a restore brings back what there was', async () => {
    await using t = cleanUp();
    const url = await filled(t);
    const file = backupIn(t);
    assert.match(await done(t, 'backup', file, '--database', url), /is complete/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(dirname(file)), ['till.backup']);

    const target = await kind.fresh(t);
    assert.match(await done(t, 'restore', file, '--database', target), /opentill db check/);
    assert.deepEqual(await contents(kind, target), await contents(kind, url));
    await done(t, 'check', '--database', target);

    // A service goes on from there, with new accounts and keys behind those that are there.
    const server = await serveHere(t, { DATABASE_URL: target, BOOTSTRAP_API_KEY: BOOT });
    const writing = keepWriting(server);
    await writing.reaches(20);
    await writing.stop();
    await server.stop();
    const insert = `INSERT INTO account (name, created_at, webhook_secret_test, webhook_secret_live) VALUES ('x', 1, 'x', 'x')`;
    await kind.run(target, insert);
    const [accounts] = await kind.run(target, 'SELECT count(*) AS made, max(number) AS last FROM account');
    assert.equal(Number(accounts?.made), Number(accounts?.last));
  });

  test('a backup under load is a snapshot, and has all that was acknowledged before', async () => {
    await using t = cleanUp();
    const url = await kind.fresh(t);
    const server = await serveHere(t, { DATABASE_URL: url, BOOTSTRAP_API_KEY: BOOT });
    const writing = keepWriting(server);
    await writing.reaches(200);
    const file = backupIn(t);
    const before = [...writing.acknowledged];
    await done(t, 'backup', file, '--database', url);
    await done(t, 'check', '--database', url);
    const after = writing.acknowledged.length;
    await writing.stop();
    assert.ok(after > before.length, 'nobody was kept from writing');

    const target = await kind.fresh(t);
    await done(t, 'restore', file, '--database', target);
    await done(t, 'check', '--database', target);
    const rows = await kind.run(target, 'SELECT checkout FROM payment');
    const kept = new Set(rows.map(({ checkout }) => checkout));
    assert.deepEqual(
      before.filter((id) => !kept.has(id)),
      [],
    );
  });

  test('a damaged file gets no backup, and the reason is told', async () => {
    await using t = cleanUp();
    const url = await filled(t);
    const path = url.slice('sqlite:'.length);
    const whole = readFileSync(path);
    const pages = whole.length / PAGE_BYTES;
    for (const page of [2, Math.floor(pages / 3), Math.floor(pages / 2), pages - 1]) {
      const bytes = Buffer.from(whole);
      bytes.fill(0xff, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
      writeFileSync(path, bytes);
      const file = backupIn(t);
      // A page may be of the schema, which is read before anything else.
      const told = /the database .*till\.db(: .* is malformed| is damaged: )/;
      await refused(t, told, 'backup', file, '--database', url);
      assert.deepEqual(readdirSync(dirname(file)), []);
    }
  });

  test('a database that breaks a rule gets a backup, and the rule is named', async () => {
    await using t = cleanUp();
    const url = await filled(t);
    await kind.run(url, `UPDATE checkout SET amount_paid = amount_paid + 1`);
    const file = backupIn(t);
    const { code, stdout, stderr } = await runToEnd(t, ['db', 'backup', file, '--database', url], {});
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /^opentill: .*breaks 1 rule of db check: what is paid is the sum of the ledger$/m);
    const target = await kind.fresh(t);
    await done(t, 'restore', file, '--database', target);
    assert.deepEqual(await contents(kind, target), await contents(kind, url));
  });

  test('/metrics tells when the last backup was made, and whether it is good', async () => {
    await using t = cleanUp();
    const url = await kind.fresh(t);
    const server = await serveHere(t, { DATABASE_URL: url, BOOTSTRAP_API_KEY: BOOT });
    async function metrics(): Promise<Record<string, number>> {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      const found = text.matchAll(/^opentill_backup_last_(\w+) (\S+)$/gm);
      return Object.fromEntries([...found].map(([, name, value]) => [name, Number(value)]));
    }
    const never = { run_timestamp_seconds: 0, run_success: 0, success_timestamp_seconds: 0 };
    assert.deepEqual(await metrics(), never);
    const file = backupIn(t);
    const began = Date.now() / 1000;
    await done(t, 'backup', file, '--database', url);
    const good = await metrics();
    const at = good.run_timestamp_seconds ?? 0;
    assert.ok(at >= began && at <= Date.now() / 1000);
    assert.deepEqual(good, { run_timestamp_seconds: at, run_success: 1, success_timestamp_seconds: at });
    await refused(t, /exists already/, 'backup', file, '--database', url);
    const { run_timestamp_seconds: later = 0, ...bad } = await metrics();
    assert.ok(later > at);
    assert.deepEqual(bad, { run_success: 0, success_timestamp_seconds: at });
    await kind.run(url, `UPDATE api_key SET permissions = 'everything'`);
    const broken = await runToEnd(t, ['db', 'backup', backupIn(t), '--database', url], {});
    assert.equal(broken.code, 3);
    assert.deepEqual(
      { ...(await metrics()), run_timestamp_seconds: 0 },
      { run_timestamp_seconds: 0, ...bad },
    );
  });

  test('a file that exists is not touched, nor one that somebody is writing', async () => {
    await using t = cleanUp();
    const url = await filled(t);
    const file = backupIn(t);
    writeFileSync(file, 'mine');
    await refused(t, /till\.backup exists already/, 'backup', file, '--database', url);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
    const other = backupIn(t);
    writeFileSync(`${other}.part`, 'mine');
    await refused(t, /till\.backup\.part exists: another process/, 'backup', other, '--database', url);
    assert.equal(readFileSync(`${other}.part`, 'utf8'), 'mine');
  });

  test('a backup that cannot be written leaves nothing', async () => {
    await using t = cleanUp();
    const url = await filled(t);
    await refused(t, /cannot write .*no such file/, 'backup', '/nowhere/till.backup', '--database', url);
    // A limit of the size of files, as a disk that is full would be; what SQLite needs to read is below it.
    const limit = 64;
    const file = backupIn(t);
    const { ended, output } = run(
      t,
      ['db', 'backup', file, '--database', url],
      {},
      { shell: `trap "" XFSZ; ulimit -f ${limit}` },
    );
    const { code } = await ended;
    assert.equal(code, 1);
    assert.match(output.stderr, /^opentill: cannot write [^\n]+\n$/);
    assert.deepEqual(readdirSync(dirname(file)), []);
  });

  test('a database that is there is not overwritten', async () => {
    await using t = cleanUp();
    const url = await filled(t);
    const file = backupIn(t);
    await done(t, 'backup', file, '--database', url);
    const target = await filled(t);
    const before = await contents(kind, target);
    await refused(t, /exists already|not empty/, 'restore', file, '--database', target);
    assert.deepEqual(await contents(kind, target), before);
  });

  test('a backup that was cut off or changed is refused, and the target stays as it was', async () => {
    await using t = cleanUp();
    const file = backupIn(t);
    await done(t, 'backup', file, '--database', await filled(t));
    const whole = readFileSync(file);
    const target = await kind.fresh(t);
    const flipped = (at: number) => {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      return bytes;
    };
    const variants = [
      whole.subarray(0, Math.floor(whole.length / 2)),
      whole.subarray(0, whole.length - 4096),
      Buffer.alloc(0),
      // A changed byte on the first page is always noticed; elsewhere it need not be data.
      flipped(105),
    ];
    for (const bytes of variants) {
      const bad = backupIn(t);
      writeFileSync(bad, bytes);
      await refused(t, /damaged|not a backup of|cannot read/, 'restore', bad, '--database', target);
      assert.ok(await isUntouched(kind, target));
    }
  });

  test('a file that is not a backup is refused', async () => {
    await using t = cleanUp();
    const target = await kind.fresh(t);
    const text = backupIn(t);
    writeFileSync(text, 'a text\nof mine\n');
    await refused(t, /is not a backup of/, 'restore', text, '--database', target);
    await refused(
      t,
      /no such file|there is no file/,
      'restore',
      join(dirname(text), 'none'),
      '--database',
      target,
    );
    await refused(t, /<file> is missing/, 'restore', '--database', target);
    await refused(t, /unexpected argument/, 'backup', text, 'other', '--database', target);
  });

  test('a database without anything of opentill is not backed up', async () => {
    await using t = cleanUp();
    const url = await kind.fresh(t);
    const file = backupIn(t);
    await refused(t, /there is no database|has no tables of opentill/, 'backup', file, '--database', url);
    await kind.run(url, 'CREATE TABLE recipe (name text)');
    await refused(t, /opentill/, 'backup', file, '--database', url);
    assert.deepEqual(readdirSync(dirname(file)), []);
  });

  test('a backup of a newer opentill is refused', async () => {
    await using t = cleanUp();
    const url = await filled(t);
    const target = await kind.fresh(t);
    const file = backupIn(t);
    await kind.run(url, 'PRAGMA user_version = 99');
    await done(t, 'backup', file, '--database', url);
    await refused(t, /newer opentill \(schema 99/, 'restore', file, '--database', target);
    assert.ok(await isUntouched(kind, target));
  });

  test('killed at any moment, neither leaves anything that looks whole', async () => {
    await using t = cleanUp();
    const url = await filled(t);
    const good = backupIn(t);
    await done(t, 'backup', good, '--database', url);
    const target = await kind.fresh(t);
    for (let delay = 100; delay <= 600; delay += 100) {
      const file = backupIn(t);
      for (const args of [
        ['backup', file, '--database', url],
        ['restore', good, '--database', target],
      ]) {
        const { kill } = run(t, ['db', ...args], {});
        await pause(delay);
        await kill('SIGKILL');
      }
      if (existsSync(file)) assert.deepEqual(await restored(t, file), await contents(kind, url));
      if (await isUntouched(kind, target)) continue;
      assert.deepEqual(await contents(kind, target), await contents(kind, url));
      break;
    }

    async function restored(inner: Ends, file: string) {
      const other = await kind.fresh(inner);
      await done(inner, 'restore', file, '--database', other);
      return contents(kind, other);
    }
  });

  test('asked to stop, a backup leaves nothing at all, or all of it', async () => {
    await using t = cleanUp();
    const url = await filled(t);
    const file = backupIn(t);
    const backup = run(t, ['db', 'backup', file, '--database', url], {});
    while (!existsSync(`${file}.part`) && !existsSync(file) && isRunning(backup)) await pause(1);
    const { code } = await backup.kill('SIGTERM');
    const left = readdirSync(dirname(file));
    assert.ok(code === 0 || code === 143, `${code}`);
    // It has its name once it is complete, and may be asked to stop behind that.
    assert.deepEqual(left, code === 0 || left.length > 0 ? ['till.backup'] : []);
  });
}

test('on postgres both name the tools of PostgreSQL, without the password, and do nothing', async () => {
  await using t = cleanUp();
  const url = new URL(await postgresql.fresh(t));
  url.password = 'secret';
  const file = backupIn(t);
  const name = `${url.host}${url.pathname}`.replaceAll('.', '\\.');
  const dump = new RegExp(`pg_dump --format=custom --file=${file} postgres://${name} `);
  await refused(t, dump, 'backup', file, '--database', url.href);
  const load = new RegExp(`pg_restore .*--dbname=postgres://${name} ${file} `);
  await refused(t, load, 'restore', file, '--database', url.href);
  assert.deepEqual(readdirSync(dirname(file)), []);
  assert.ok(await isUntouched(postgresql, url.href));
});

suite('restore on sqlite', () => {
  test('does not take the place of a file that was removed under a service, nor take its log', async () => {
    await using t = cleanUp();
    const url = await sqlite.fresh(t);
    const path = url.slice('sqlite:'.length);
    const file = backupIn(t);
    const server = await serve(t, { DATABASE_URL: url, BOOTSTRAP_API_KEY: BOOT });
    await done(t, 'backup', file, '--database', url);
    const log = readFileSync(`${path}-wal`);
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix);
    await refused(t, /another process is serving/, 'restore', file, '--database', url);
    await server.kill('SIGKILL');
    writeFileSync(`${path}-wal`, log);
    await refused(t, /till\.db-wal exists already/, 'restore', file, '--database', url);
    rmSync(`${path}-wal`);
    await done(t, 'restore', file, '--database', url);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  test('refuses a database that has changes beside it', async () => {
    await using t = cleanUp();
    const url = await sqlite.fresh(t);
    await serveHere(t, { DATABASE_URL: url, BOOTSTRAP_API_KEY: BOOT });
    const path = url.slice('sqlite:'.length);
    await refused(t, /is a database in use/, 'restore', path, '--database', await sqlite.fresh(t));
  });
});
