/** `db backup` and `db restore`, where the two databases are not alike. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { migrations } from '../../src/store/postgres/migrate.ts';
import { prepareDatabase } from '../../src/store/postgres/open.ts';
import { restorePostgres } from '../../src/store/postgres/restore.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { run, serve } from '../support/process.ts';
import {
  BOOT,
  backupIn,
  contents,
  done,
  isUntouched,
  refused,
  rewritten,
  withHeader,
} from './db/commands.ts';
import { fillByService } from './db/healthy.ts';
import { kinds } from './db/kinds.ts';

suite('restore on sqlite', () => {
  const [kind] = kinds;
  assert.ok(kind);

  test('does not take the place of a file that was removed under a service, nor take its log', async (t) => {
    const url = await kind.fresh(t);
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

  test('refuses a database that has changes beside it', async (t) => {
    const url = await kind.fresh(t);
    await serve(t, { DATABASE_URL: url, BOOTSTRAP_API_KEY: BOOT });
    const path = url.slice('sqlite:'.length);
    await refused(t, /is a database in use/, 'restore', path, '--database', await kind.fresh(t));
  });
});

suite('backup and restore on postgres, when the server', () => {
  const [, kind] = kinds;
  assert.ok(kind);

  test('cannot be reached, say so in one line without the password', async (t) => {
    const nowhere = 'postgres://till:secret@127.0.0.1:9/till';
    const file = backupIn(t);
    await refused(t, /127\.0\.0\.1:9\/till: .*ECONNREFUSED/, 'backup', file, '--database', nowhere);
    assert.deepEqual(readdirSync(dirname(file)), []);
    const url = await kind.fresh(t);
    await fillByService(t, url);
    await done(t, 'backup', file, '--database', url);
    await refused(t, /127\.0\.0\.1:9\/till: .*ECONNREFUSED/, 'restore', file, '--database', nowhere);
    const several = (...hosts: string[]) => `postgres://postgres@${hosts.join()}${new URL(url).pathname}`;
    await refused(t, /ECONNREFUSED/, 'check', '--database', several('127.0.0.1:9', '127.0.0.1:10'));
    await done(t, 'check', '--database', several('127.0.0.1:9', new URL(url).host));
  });

  test('has tables of somebody else, or refuses rows, stay out of it', async (t) => {
    const url = await kind.fresh(t);
    await fillByService(t, url);
    const file = backupIn(t);
    await done(t, 'backup', file, '--database', url);
    const target = await kind.fresh(t);
    await kind.run(target, 'CREATE TABLE recipe (name text)');
    await refused(t, /holds something else \(a table recipe\)/, 'restore', file, '--database', target);
    assert.deepEqual([...(await contents(kind, target)).keys()], ['recipe']);

    const archive = readFileSync(file);
    const { tables } = JSON.parse(zstdDecompressSync(archive).toString().split('\n', 1)[0] ?? '');
    const other = await kind.fresh(t);
    // The first table is that of accounts; PostgreSQL looks at its keys when it has all rows.
    const twice = rewritten(archive, ({ rows, counts }) => ({
      rows: [rows[0] ?? '', ...rows],
      counts: { ...counts, account: 2 },
    }));
    writeFileSync(file, twice);
    await refused(t, /refuses rows of the table account/, 'restore', file, '--database', other);
    writeFileSync(
      file,
      rewritten(archive, ({ rows }) => ({ rows: ['x', ...rows.slice(1)] })),
    );
    await refused(
      t,
      /refuses rows of the table account|invalid input syntax/,
      'restore',
      file,
      '--database',
      other,
    );
    writeFileSync(
      file,
      rewritten(archive, ({ counts }) => ({ counts: { ...counts, account: 2 } })),
    );
    await refused(t, /damaged: it has other rows than it counts/, 'restore', file, '--database', other);
    writeFileSync(
      file,
      withHeader(archive, { tables: [{ name: 'x; DROP', columns: [] }, ...tables.slice(1)] }),
    );
    await refused(t, /damaged: it names tables that cannot be/, 'restore', file, '--database', other);
    const renamed = tables.map((table: { name: string }) => ({
      ...table,
      name: table.name.replace('audit', 'log'),
    }));
    writeFileSync(
      file,
      rewritten(archive, ({ header, counts: { audit = 0, ...counts } }) => ({
        header: { ...header, tables: renamed },
        counts: { ...counts, log: audit },
      })),
    );
    await refused(t, /has other tables than opentill with schema \d+/, 'restore', file, '--database', other);
    assert.ok(await isUntouched(kind, other));
  });

  test('sends rows faster than they are taken, up to the last one of a table, back up all of them', async (t) => {
    const url = await kind.fresh(t);
    await fillByService(t, url);
    await kind.run(
      url,
      `UPDATE delivery SET last_error = (SELECT string_agg(md5(delivery.id || i), '') FROM generate_series(1, 9000) AS i)`,
    );
    const file = backupIn(t);
    // Of that, a file may only have a part: the rest is read all the same, or the command would never end.
    const { ended, output } = run(
      t,
      ['db', 'backup', file, '--database', url],
      {},
      { shell: 'trap "" XFSZ; ulimit -f 1000' },
    );
    assert.equal((await ended).code, 1);
    assert.match(output.stderr, /^opentill: cannot write [^\n]+$/m);
    assert.deepEqual(readdirSync(dirname(file)), []);
    await done(t, 'backup', file, '--database', url);
    const target = await kind.fresh(t);
    await done(t, 'restore', file, '--database', target);
    assert.deepEqual(await contents(kind, target), await contents(kind, url));
  });

  test('has been made ready by a service that nobody has used, restore into it', async (t) => {
    const url = await kind.fresh(t);
    await fillByService(t, url);
    const file = backupIn(t);
    await done(t, 'backup', file, '--database', url);
    const target = await kind.fresh(t);
    const store = await openPostgresStore(target);
    await store.close();
    await kind.run(target, 'UPDATE directory SET version = 5000');
    await done(t, 'restore', file, '--database', target);
    assert.deepEqual(await contents(kind, target), await contents(kind, url));
    const [directory] = await kind.run(target, 'SELECT version FROM directory');
    assert.ok(Number(directory?.version) > 5000);
  });

  test('would not be served, are not restored into, whatever the file', async (t) => {
    const target = await kind.fresh(t);
    const name = new URL(target).pathname.slice(1);
    await kind.run(target, `ALTER DATABASE ${name} SET synchronous_commit = off`);
    await refused(t, /synchronous_commit is off/, 'restore', backupIn(t), '--database', target);
    const moved = await kind.fresh(t);
    await kind.run(moved, 'CREATE TABLE move_progress (name text)');
    await refused(t, /is being moved to/, 'restore', backupIn(t), '--database', moved);
  });

  test('gets a backup of an older schema, load it into that and bring it to the newest', async (t) => {
    const url = await kind.fresh(t);
    await fillByService(t, url);
    const file = backupIn(t);
    await done(t, 'backup', file, '--database', url);
    const later = [...migrations, `ALTER TABLE audit ADD COLUMN place text NOT NULL DEFAULT 'here'`];
    const target = await kind.fresh(t);
    await restorePostgres(file, target, () => {}, later);
    const [schema] = await kind.run(target, 'SELECT version FROM schema_version');
    assert.equal(schema?.version, later.length);
    const [wanted] = await kind.run(url, 'SELECT count(*) FROM audit');
    const [found] = await kind.run(target, `SELECT count(*) FROM audit WHERE place = 'here'`);
    assert.notEqual(wanted?.count, '0');
    assert.equal(found?.count, wanted?.count);

    const newer = await kind.fresh(t);
    await prepareDatabase(newer, { known: later });
    await assert.rejects(
      restorePostgres(file, newer, () => {}, later),
      /has the schema \d+ already, and the backup is of \d+; make an empty one/,
    );
  });
});

suite('backup of a standby', () => {
  const [, kind] = kinds;
  assert.ok(kind);

  test('has what the standby has, and so can it be checked', async (t) => {
    const primary = await startPostgres({ durable: true });
    t.after(() => primary.remove());
    const standby = await startStandby(primary, { synchronous: true });
    t.after(() => standby.remove());
    await fillByService(t, primary.url);
    const file = backupIn(t);
    await done(t, 'backup', file, '--database', standby.url);
    await done(t, 'check', '--database', standby.url);
    const target = await kind.fresh(t);
    await done(t, 'restore', file, '--database', target);
    assert.deepEqual(await contents(kind, target), await contents(kind, primary.url));
    await refused(t, /is a standby/, 'restore', file, '--database', standby.url);
    const both = standby.url.replace(/\/postgres$/, `,127.0.0.1:${primary.port}/postgres`);
    await refused(t, /is not empty/, 'restore', file, '--database', both);
  });
});
