/** SQLite's own: migrations, the golden schema, durability, one serving process, mixed batches. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { StoreClosed, StoreUnavailable, UnusableDatabase } from '../../src/store/errors.ts';
import { openDatabase } from '../../src/store/sqlite/connection.ts';
import { openForReading } from '../../src/store/sqlite/file.ts';
import { migrate, migrations, schemaOf } from '../../src/store/sqlite/migrate.ts';
import { noteOfMove } from '../../src/store/sqlite/note.ts';
import { own } from '../../src/store/sqlite/ownership.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Unit } from '../../src/store/store.ts';
import {
  add,
  answer,
  attempt,
  bankEntry,
  customer,
  eventOf,
  payment,
  providerEvent,
  session,
  T,
  tenants,
} from './build.ts';
import { apart, claim, claimAt, HOUR, inOrder, LEASE, tell } from './deliveries.ts';

const root = join(import.meta.dirname, '../..');
const golden = join(root, 'migrations/sqlite.golden.sql');

function freshPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-sqlite-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, 'deep', 'down', 'test.db');
}

function open(t: TestContext, path: string): DatabaseSync {
  const database = openDatabase(path);
  t.after(() => database.isOpen && database.close());
  return database;
}

/** The schema as SQLite has it, in the order of names. */
function dump(database: DatabaseSync): string {
  const rows = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'trigger', type = 'index', name`,
    )
    .all();
  const statements = rows.map(({ type, name, sql }) => `-- ${type} ${name}\n${sql};\n`);
  const { user_version: version } = database.prepare('PRAGMA user_version').get() ?? {};
  return (
    `-- The schema after all migrations, to be compared. After a new migration:\n` +
    `-- OPENTILL_WRITE_GOLDEN=1 node --test test/store/sqlite-only.test.ts\n\n` +
    `PRAGMA user_version = ${version};\n\n${statements.join('\n')}`
  );
}

const unusable = (pattern: RegExp) => (error: Error) => {
  assert.ok(error instanceof UnusableDatabase, String(error));
  assert.match(error.message, pattern);
  assert.doesNotMatch(error.message, /\n/);
  return true;
};

suite('migrations', () => {
  test('make the golden schema out of nothing', (t) => {
    const schema = dump(open(t, freshPath(t)));
    if (process.env.OPENTILL_WRITE_GOLDEN) writeFileSync(golden, schema);
    assert.equal(schema, readFileSync(golden, 'utf8'));
  });

  test('are numbered without gaps', () => {
    const names = readdirSync(join(root, 'migrations/sqlite')).sort();
    for (const [index, name] of names.entries()) {
      assert.match(name, new RegExp(`^${String(index + 1).padStart(4, '0')}_[a-z_]+\\.sql$`));
    }
  });

  test('are applied once', (t) => {
    const path = freshPath(t);
    const first = open(t, path);
    const before = dump(first);
    first.exec(
      `INSERT INTO account (number, name, created_at, webhook_secret_test, webhook_secret_live) VALUES (1, 'kept', 0, '', '')`,
    );
    first.close();
    const second = open(t, path);
    assert.equal(dump(second), before);
    assert.equal(second.prepare('SELECT name FROM account').get()?.name, 'kept');
  });

  test('bring a database forward with all that it has, or leave it as it was', (t) => {
    const database = open(t, freshPath(t));
    database.exec(
      `INSERT INTO account (number, name, created_at, webhook_secret_test, webhook_secret_live) VALUES (1, 'kept', 0, '', '')`,
    );
    const before = dump(database);
    const added = `ALTER TABLE account ADD COLUMN place TEXT NOT NULL DEFAULT 'here'`;
    assert.throws(() =>
      migrate(database, 'till', [...migrations, added, 'ALTER TABLE nothing ADD COLUMN x']),
    );
    assert.equal(dump(database), before);
    migrate(database, 'till', [...migrations, added]);
    assert.deepEqual(
      { ...database.prepare('SELECT name, place FROM account').get() },
      { name: 'kept', place: 'here' },
    );
    assert.equal(schemaOf(database), migrations.length + 1);
    assert.throws(() => migrate(database, 'till'), unusable(/newer opentill/));
  });

  test('stop at a database of a newer version, with one clear line', (t) => {
    const path = freshPath(t);
    const database = open(t, path);
    database.exec('PRAGMA user_version = 1000');
    database.close();
    assert.throws(() => openDatabase(path), unusable(/newer opentill \(schema 1000, this one knows \d+\)/));
  });
});

suite('a file that is no database', () => {
  test('is refused with one clear line, and stays as it is', (t) => {
    const path = freshPath(t);
    open(t, path).close();
    writeFileSync(path, 'important notes\n'.repeat(100));
    assert.throws(() => openDatabase(path), unusable(/cannot open the database/));
    assert.match(readFileSync(path, 'utf8'), /^important notes\n/);
  });

  test('is refused with its own words if it is the note of a move, which no longer text is', (t) => {
    const path = freshPath(t);
    open(t, path).close();
    writeFileSync(path, noteOfMove('db.example.com/till', 'till.db.moved'));
    const words = 'this database was moved to db.example.com/till; its file is now till.db.moved';
    assert.throws(() => openDatabase(path), { name: 'UnusableDatabase', message: words });
    assert.throws(() => openForReading(path), { name: 'UnusableDatabase', message: words });
    writeFileSync(path, noteOfMove('db.example.com/till', 'x'.repeat(512)));
    assert.throws(() => openDatabase(path), unusable(/cannot open the database/));
  });

  test('is refused where there can be none', () => {
    assert.throws(() => openDatabase('/dev/null/test.db'), unusable(/cannot open the database/));
  });
});

suite('a connection', () => {
  test('makes a file that nobody else can read, and so is its log', (t) => {
    const path = freshPath(t);
    open(t, path).exec('CREATE TABLE some (thing)');
    for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test('is refused where the disk cannot have a log that readers share', (t) => {
    const before = process.cwd();
    process.chdir(join(freshPath(t), '../../..'));
    try {
      // Locks in files, as on disks of other machines: SQLite shares no memory there, and goes on without a log.
      assert.throws(() => openDatabase('file:till.db?vfs=unix-dotfile'), unusable(/in WAL mode/));
    } finally {
      process.chdir(before);
    }
  });

  test('writes through to the disk and keeps references right', (t) => {
    const database = open(t, freshPath(t));
    const setting = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    assert.equal(setting('journal_mode'), 'wal');
    assert.equal(setting('synchronous'), 2, 'FULL');
    assert.equal(setting('foreign_keys'), 1);
    assert.ok(Number(setting('busy_timeout')) >= 100);
    assert.throws(
      () => database.exec(`INSERT INTO api_key VALUES ('ak', 99, 0, 'hash', 'read', '', 0, NULL, 0)`),
      /FOREIGN KEY/,
    );
  });

  test('keeps the types of its columns, and an amount in the ledger positive', (t) => {
    const database = open(t, freshPath(t));
    const insert = (amount: string) =>
      database.exec(`INSERT INTO payment VALUES (1, 0, 'r', 'x', 'chk', 'pat', ${amount}, 'EUR', 0, 0)`);
    assert.throws(() => insert(`'ten'`), /cannot store TEXT/);
    assert.throws(() => insert('0'), /CHECK/);
    const tables = database
      .prepare(`PRAGMA table_list`)
      .all()
      .filter(({ name }) => !String(name).startsWith('sqlite_'));
    assert.deepEqual(
      tables.filter(({ strict }) => strict !== 1),
      [],
    );
  });

  test('never changes a line of the ledger', async (t) => {
    const path = freshPath(t);
    const store = openSqliteStore(path);
    const { mine } = await tenants(store);
    await add(store, session(mine, { payments: [payment('pay')] }));
    await store.close();
    const database = open(t, path);
    for (const sql of [
      'UPDATE payment SET amount = 1',
      'DELETE FROM payment',
      `UPDATE payment SET checkout = 'chk_other'`,
    ]) {
      assert.throws(() => database.exec(sql), /append-only/, sql);
    }
  });
});

suite('the right to serve a database', () => {
  test('is one process’s, and comes back when it is closed', async (t) => {
    const path = freshPath(t);
    const first = openSqliteStore(path, { serve: true });
    assert.throws(
      () => openSqliteStore(path, { serve: true }),
      unusable(/another process is serving the database/),
    );
    const beside = openSqliteStore(path);
    assert.deepEqual(await beside.accounts.list(), []);
    await beside.close();
    await first.close();
    await openSqliteStore(path, { serve: true }).close();
  });

  test('comes back when the process that has it is killed', async (t) => {
    const path = freshPath(t);
    open(t, path).close();
    const script = `
      import { own } from ${JSON.stringify(join(root, 'src/store/sqlite/ownership.ts'))};
      // Kept, or it would be collected as garbage, and the lock with it.
      globalThis.owned = own(${JSON.stringify(path)});
      console.log('locked');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    assert.throws(() => own(path), unusable(/another process/));
    child.kill('SIGKILL');
    await once(child, 'close');
    own(path).release();
  });
});

suite('a database that is busy for too long', () => {
  test('is told apart from a bug', async (t) => {
    const path = freshPath(t);
    const store = openSqliteStore(path);
    t.after(() => store.close());
    const { mine } = await tenants(store);
    const other = open(t, path);
    other.exec('BEGIN IMMEDIATE');
    const one = session(mine);
    await assert.rejects(add(store, one), StoreUnavailable);
    assert.equal(await store.checkouts.fetch(mine, one.id), null);
    other.exec('ROLLBACK');
    await add(store, one);
    await store.checkHealth();
  });

  test('so is one that is closed, by what is answered at once', async (t) => {
    const store = openSqliteStore(freshPath(t));
    await store.close();
    assert.throws(() => store.accounts.version(), StoreClosed);
  });
});

suite('a batch of several accounts and modes', () => {
  test('numbers the events of each in the order of its units', async (t) => {
    const store = openSqliteStore(freshPath(t));
    t.after(() => store.close());
    const { mine, live } = await tenants(store);
    const units = [mine, live, mine, live, live].map((tenant, index): Unit => {
      const after = session(tenant, { eventCount: 2 });
      const events = ['a', 'b'].map((type, at) => eventOf(after, `${type}.${index}`, { sequence: at + 1 }));
      return { needs: { tenant }, decide: () => [{ checkout: { before: null, after }, events }] };
    });
    await store.commit(units);
    const { rows } = await store.events.list(live, {}, 0, 100);
    assert.deepEqual(
      rows.map(({ position, type }) => [position, type]),
      [
        [1, 'a.1'],
        [2, 'b.1'],
        [3, 'a.3'],
        [4, 'b.3'],
        [5, 'a.4'],
        [6, 'b.4'],
      ],
    );
  });

  test('shows a unit nothing of what one of another account or mode has written', async (t) => {
    const store = openSqliteStore(freshPath(t));
    t.after(() => store.close());
    const { mine, live, theirs } = await tenants(store);
    const one = session(mine, { attempts: [attempt('ref')] });
    const person = customer(mine);
    const stored = answer('key');
    const seen: unknown[] = [];
    const look = (tenant: Unit['needs']['tenant']): Unit => ({
      needs: {
        tenant,
        checkouts: [one.id],
        customers: [person.id],
        customersByEmail: ['ada@example.com'],
        owners: [{ rail: 'sandbox', reference: 'ref' }],
        providerEvents: [{ rail: 'stripe', reference: 'evt' }],
        bankEntries: ['entry'],
        statements: ['hash'],
        answers: [stored],
      },
      decide(loaded) {
        seen.push(...Object.values(loaded));
        return [];
      },
    });
    await store.commit([
      {
        needs: { tenant: mine },
        decide: () => [
          {
            checkout: { before: null, after: one },
            customer: person,
            answer: stored,
            providerEvent: providerEvent('evt'),
            bankEntry: bankEntry('entry'),
          },
        ],
      },
      look(live),
      look(theirs),
    ]);
    assert.ok(seen.length > 0);
    for (const each of seen) {
      const isNothing = [new Map(), []].some((nothing) => isDeepStrictEqual(each, nothing));
      assert.ok(isNothing, String(each));
    }
  });
});

test('claims of the one serving process are free after a restart', async (t) => {
  const path = freshPath(t);
  const first = openSqliteStore(path, { serve: true });
  const { mine } = await tenants(first);
  const [delivery] = (await tell(first, mine, 2)).ids;
  const [other] = await apart(first, mine, [T + 2]);
  const { id } = await add(first, session(mine, { expiresAt: T }));
  await claim(first, mine, T + 2);
  await first.work.claimCheckouts(mine, claimAt(T));
  await first.close();
  const second = openSqliteStore(path, { serve: true });
  t.after(() => second.close());
  assert.deepEqual(inOrder(await claim(second, mine, T + 2)), [delivery, other]);
  assert.deepEqual(inOrder(await second.work.claimCheckouts(mine, claimAt(T))), [id]);
});

test('a lease lasts for as long as time passes, however the clock is set meanwhile', async (t) => {
  const store = openSqliteStore(freshPath(t), { serve: true });
  t.after(() => store.close());
  const { mine } = await tenants(store);
  const { ids } = await tell(store, mine, 1);
  const { id } = await add(store, session(mine, { expiresAt: T }));
  const claims = async (realNow: number, elapsedMs: number) => ({
    deliveries: inOrder(await claim(store, mine, T + HOUR, { realNow, elapsedMs })),
    checkouts: inOrder(await store.work.claimCheckouts(mine, claimAt(T, { realNow, elapsedMs }))),
  });
  const nothing = { deliveries: [], checkouts: [] };
  const all = { deliveries: ids, checkouts: [id] };
  assert.deepEqual(await claims(T, 0), all);
  assert.deepEqual(await claims(T + LEASE, LEASE - 1), nothing);
  assert.deepEqual(await claims(T - 24 * HOUR, LEASE), all);
});

test('every key and index of a tenant’s data begins with the account and mode', (t) => {
  const database = open(t, freshPath(t));
  const global = new Set(['account', 'api_key', 'directory']);
  const indexes = database
    .prepare(
      `SELECT tbl_name AS owner, sqlite_schema.name AS name, group_concat(info.name) AS columns
       FROM sqlite_schema, pragma_index_info(sqlite_schema.name) AS info
       WHERE type = 'index' GROUP BY sqlite_schema.name`,
    )
    .all()
    .filter(({ owner }) => !global.has(String(owner)));
  assert.ok(indexes.length > 15);
  for (const { name, columns } of indexes) assert.match(String(columns), /^account,live(,|$)/, String(name));
  assert.ok(existsSync(golden));
});
