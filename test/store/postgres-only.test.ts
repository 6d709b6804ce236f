/** PostgreSQL's own: migrations, the golden schema, the ledger, and other processes at work. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import postgres, { type Sql } from 'postgres';
import type { CheckoutId } from '../../src/checkout/ids.ts';
import type { Checkout } from '../../src/checkout/session.ts';
import { StoreUnavailable, UnusableDatabase } from '../../src/store/errors.ts';
import { migrations } from '../../src/store/postgres/migrate.ts';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import type { Store, Unit } from '../../src/store/store.ts';
import { freshDatabase, migratedDatabase } from '../support/postgres.ts';
import {
  add,
  answer,
  answerIn,
  attempt,
  changed,
  customer,
  eventOf,
  load,
  payment,
  session,
  T,
  tenants,
  write,
} from './build.ts';

const root = join(import.meta.dirname, '../..');
const golden = join(root, 'migrations/postgres.golden.sql');

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openPostgresStore(url, { serve: true });
  t.after(() => store.close());
  return store;
}

test('a session is as another process has left it, also where its version is the same', async (t) => {
  const url = await migratedDatabase(t);
  const [store, other] = [await open(t, url), await open(t, url)];
  const { mine } = await tenants(store);
  const asked = (syncAt: number) => ({
    attempts: [attempt('r', { id: 'pat_1', status: 'processing', syncAt })],
  });
  const made = await add(store, session(mine, asked(T + 10)));
  // Something that only the service does, of which nobody is told: there is no event.
  const later = { ...made, ...asked(T + 99) };
  await write(other, mine, { checkout: { before: made, after: later } });
  assert.deepEqual(await store.checkouts.fetch(mine, made.id), later);

  const latest = { ...made, ...asked(T + 999) };
  await write(other, mine, { checkout: { before: later, after: latest } });
  await store.commit([
    {
      needs: { tenant: mine, checkouts: [made.id] },
      decide({ checkouts }) {
        const before = checkouts.get(made.id);
        assert.ok(before);
        const after = changed(before, { description: 'later' });
        return [{ checkout: { before, after }, events: [eventOf(after)] }];
      },
    },
  ]);
  const found = await other.checkouts.fetch(mine, made.id);
  assert.deepEqual(found, { ...latest, version: 2, eventCount: 2, description: 'later' });
});

test('many sessions are as another process has left them, also those in memory', async (t) => {
  const url = await migratedDatabase(t);
  const [store, other] = [await open(t, url), await open(t, url)];
  const { mine } = await tenants(store);
  const all: Checkout[] = [];
  for (let count = 0; count < 12; count++) {
    const attempts = [attempt(`r_${count}`, { status: 'processing', syncAt: T + 10 })];
    all.push(await add(store, session(mine, { attempts })));
  }
  // One has another version, and another one only a later time.
  const [first, second, ...rest] = all;
  assert.ok(first && second);
  const named = changed(first, { description: 'later' });
  const later = { ...second, attempts: second.attempts.map((each) => ({ ...each, syncAt: T + 99 })) };
  await write(other, mine, { checkout: { before: first, after: named }, events: [eventOf(named)] });
  await write(other, mine, { checkout: { before: second, after: later } });
  for (let again = 0; again < 2; again++) {
    const found = await Promise.all(all.map(({ id }) => store.checkouts.fetch(mine, id)));
    assert.deepEqual(found, [named, later, ...rest]);
  }
  const [gone] = rest;
  await beside(t, url)`DELETE FROM checkout WHERE id = ${String(gone?.id)}`;
  const found = await Promise.all(all.map(({ id }) => store.checkouts.fetch(mine, id)));
  assert.deepEqual(found, [named, later, null, ...rest.slice(1)]);
});

/** A connection beside the store's, as an operator has one. */
function beside(t: TestContext, url: string): Sql {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  t.after(() => sql.end());
  return sql;
}

/** The schema as PostgreSQL has it, in the order of names. */
async function dump(sql: Sql): Promise<string> {
  const columns = await sql`
    SELECT relname AS table, attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS required,
      collname AS collation, pg_get_expr(adbin, adrelid) AS default, attidentity AS identity, reloptions AS options
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      LEFT JOIN pg_collation ON pg_collation.oid = attcollation AND collname <> 'default'
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND attnum > 0 AND NOT attisdropped
    ORDER BY relname, attnum`;
  const rules = await sql`
    SELECT conrelid::regclass AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace AND contype <> 'n' ORDER BY conrelid::regclass::text, conname`;
  const indexes = await sql`
    SELECT tablename AS table, indexdef AS definition FROM pg_indexes WHERE schemaname = current_schema()
    ORDER BY tablename, indexname`;
  const of = (table: string) => (row: { table?: unknown }) => String(row.table) === table;
  const tables = [...new Set(columns.map((row) => String(row.table)))].map((table) => {
    const [first] = columns.filter(of(table));
    const lines = columns.filter(of(table)).map(({ name, type, required, collation, identity, ...row }) => {
      const extras = [
        collation ? ` COLLATE "${collation}"` : '',
        required ? ' NOT NULL' : '',
        row.default === null ? '' : ` DEFAULT ${row.default}`,
        identity ? ' GENERATED BY DEFAULT AS IDENTITY' : '',
      ];
      return `  ${name} ${type}${extras.join('')}`;
    });
    const constraints = rules
      .filter(of(table))
      .map(({ name, definition }) => `  CONSTRAINT ${name} ${definition}`);
    const settings = first?.options ? ` WITH (${String(first.options).replace(/[{}]/g, '')})` : '';
    const made = indexes.filter(of(table)).map(({ definition }) => `${definition};`);
    return `CREATE TABLE ${table} (\n${[...lines, ...constraints].join(',\n')}\n)${settings};\n${made.join('\n')}\n`;
  });
  return (
    `-- The schema after all migrations, to be compared. After a new migration:\n` +
    `-- OPENTILL_WRITE_GOLDEN=1 node --test test/store/postgres-only.test.ts\n\n` +
    tables.join('\n').replaceAll('public.', '')
  );
}

const unusable = (pattern: RegExp) => (error: Error) => {
  assert.ok(error instanceof UnusableDatabase, String(error));
  assert.match(error.message, pattern);
  assert.doesNotMatch(error.message, /\n/);
  return true;
};

test('what is remembered of accounts and keys counts for nothing once nobody has looked for a second', async (t) => {
  const store = await openPostgresStore(await migratedDatabase(t));
  t.after(() => store.close());
  const { mine } = await tenants(store);
  await store.accounts.list();
  const at = performance.now();
  const clock = t.mock.method(performance, 'now', () => at);
  await store.accounts.fetch(mine.account);
  const since = store.accounts.version();
  const isKnownAfter = (ms: number) => {
    clock.mock.mockImplementation(() => at + ms);
    return store.accounts.isUnchanged(mine.account, since);
  };
  assert.deepEqual([500, 2_000].map(isKnownAfter), [true, false]);
  await store.accounts.list();
  assert.equal(isKnownAfter(2_000), true, 'a look has found nothing new');
});

suite('migrations', () => {
  test('make the golden schema out of nothing', async (t) => {
    const url = await freshDatabase(t);
    await open(t, url);
    const schema = await dump(beside(t, url));
    if (process.env.OPENTILL_WRITE_GOLDEN) writeFileSync(golden, schema);
    assert.equal(schema, readFileSync(golden, 'utf8'));
  });

  test('have the numbers and names of those of SQLite: the same number is the same change', () => {
    const names = (database: string) => readdirSync(join(root, 'migrations', database)).sort();
    assert.deepEqual(names('postgres'), names('sqlite'));
    assert.equal(names('postgres').length, migrations.length);
  });

  test('are applied once by whoever starts, however many start at once', async (t) => {
    const url = await freshDatabase(t);
    await Promise.all(Array.from({ length: 8 }, () => open(t, url)));
    const rows = await beside(t, url)`SELECT * FROM schema_version`;
    const number = migrations.length;
    assert.deepEqual([...rows], [{ id: 1, version: number, serves_from: 1, serves_to: number }]);
    assert.equal((await beside(t, url)`SELECT count(*)::int AS rows FROM directory`)[0]?.rows, 1);
  });

  test('begin with one version, though another process has made only its table yet', async (t) => {
    const url = await freshDatabase(t);
    const other = beside(t, url);
    const opened = await other.begin(async (sql) => {
      await sql.unsafe(`CREATE TABLE schema_version (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL,
        serves_from integer NOT NULL, serves_to integer NOT NULL)`);
      const opening = open(t, url);
      opening.catch(() => {});
      const watch = beside(t, url);
      const isWaiting = async () =>
        (
          await watch`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
        ).length > 0;
      while (!(await isWaiting())) await new Promise((resolve) => setImmediate(resolve));
      return [opening];
    });
    await Promise.all(opened);
    const [row] = await other`SELECT version FROM schema_version`;
    assert.equal(row?.version, migrations.length);
  });

  // The error depends on how far the other has come; the moments between its steps cannot be met on purpose.
  for (const code of ['23505', '42P07', '42710'])
    test(`go on if the table of the version has been made at the same moment (${code})`, async (t) => {
      const url = await freshDatabase(t);
      const sql = beside(t, url);
      await sql.unsafe(`CREATE SEQUENCE tries`);
      await sql.unsafe(`CREATE FUNCTION refuse_once() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('tries') = 1 THEN RAISE 'already there' USING ERRCODE = '${code}'; END IF; END $$`);
      await sql.unsafe(`CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION refuse_once()`);
      await open(t, url);
      assert.equal((await sql`SELECT version FROM schema_version`)[0]?.version, migrations.length);
    });

  test('leave room for one first account, however many start at once', async (t) => {
    const url = await freshDatabase(t);
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(t, url)));
    const given = { name: 'first', webhookSecrets: { test: 't', live: 'l' }, testClockOffsetMs: 0 };
    const made = await Promise.all(stores.map((store) => store.accounts.createFirst(given, T)));
    assert.equal(made.filter((account) => account !== null).length, 1);
    for (const store of stores)
      assert.deepEqual(
        await store.accounts.list(),
        made.filter((account) => account !== null),
      );
  });

  test('bring a database forward with all that it has, while an older version serves it', async (t) => {
    const url = await freshDatabase(t);
    const serving = await open(t, url);
    const { mine } = await tenants(serving);
    const one = await add(serving, session(mine));
    const added = `-- Serves servers from schema 1 on.\nALTER TABLE account ADD COLUMN place text NOT NULL DEFAULT 'here'`;
    const broken = [...migrations, added, 'ALTER TABLE nothing ADD COLUMN x text'];
    await assert.rejects(
      prepareDatabase(url, { known: broken }),
      unusable(/relation "nothing" does not exist/),
    );
    // Each is a transaction of its own, so that the first of the two has happened.
    await prepareDatabase(url, { known: broken.slice(0, -1) });
    const sql = beside(t, url);
    assert.equal((await sql`SELECT version FROM schema_version`)[0]?.version, migrations.length + 1);
    assert.deepEqual(await serving.checkouts.fetch(mine, one.id), one);
    await add(serving, session(mine));
    const places = await sql`SELECT DISTINCT place FROM account`;
    assert.deepEqual([...places], [{ place: 'here' }]);
    await assert.rejects(openPostgresStore(url), unusable(/newer opentill/));
  });

  test('are tried again where a transaction of an older version wants what they have', async (t) => {
    const url = await freshDatabase(t);
    await prepareDatabase(url);
    const other = beside(t, url);
    // The migration is the first to look whether it waits in a circle.
    await other`SET deadlock_timeout = '60s'`;
    await other`BEGIN`;
    await other`SELECT FROM event`;
    const added = ['checkout', 'event'].map((table) => `ALTER TABLE ${table} ADD COLUMN place text;\n`);
    const migrated = prepareDatabase(url, { known: [...migrations, added.join('')] });
    // A migration that fails at once ends the wait, and the test fails with its error.
    const ended = migrated.then(
      () => true,
      () => true,
    );
    const waits = async () =>
      (
        await other`SELECT FROM pg_locks WHERE NOT granted AND relation = 'event'::regclass
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      ).length > 0;
    while (!(await waits()) && !(await Promise.race([ended, pause(10, false)])));
    await other`SELECT FROM checkout`;
    await other`COMMIT`;
    await migrated;
    assert.equal((await other`SELECT version FROM schema_version`)[0]?.version, migrations.length + 1);
  });

  test('of another version, under a server that cannot go on with it, end what it serves', async (t) => {
    const url = await freshDatabase(t);
    const told: string[] = [];
    const serving = await openPostgresStore(url, { serve: true, onTrouble: (line) => told.push(line) });
    t.after(() => serving.close());
    const { mine } = await tenants(serving);
    const sql = beside(t, url);
    await sql`UPDATE schema_version SET version = 1000, serves_from = 1000, serves_to = 1000`;
    // The store checks the schema's version by itself, every second.
    while (told.length === 0) await sql`SELECT 1`;
    assert.match(told.join(), /^the database was migrated by another version of opentill \(schema 1000,/);
    await assert.rejects(serving.checkouts.fetch(mine, 'chk_1'), StoreUnavailable);
    await assert.rejects(add(serving, session(mine)), StoreUnavailable);
  });

  test('stop at a database of a newer version, with one clear line', async (t) => {
    const url = await freshDatabase(t);
    await (await openPostgresStore(url)).close();
    await beside(t, url)`UPDATE schema_version SET version = 1000`;
    await assert.rejects(
      openPostgresStore(url),
      unusable(/newer opentill \(schema 1000, this one knows \d+\)/),
    );
  });

  test('take a database in which nothing but an extension has views and tables', async (t) => {
    const url = await freshDatabase(t);
    const sql = beside(t, url);
    await sql`CREATE EXTENSION pg_stat_statements`;
    // Views as monitoring needs them, and a table, as extensions for distribution or time series have them.
    await sql`CREATE TABLE cluster_node (id integer)`;
    await sql`ALTER EXTENSION pg_stat_statements ADD TABLE cluster_node`;
    await open(t, url);
    assert.equal((await sql`SELECT version FROM schema_version`)[0]?.version, migrations.length);
  });

  test('leave the database of another program alone', async (t) => {
    const url = await freshDatabase(t);
    const sql = beside(t, url);
    await sql`CREATE TABLE account (id integer)`;
    await assert.rejects(openPostgresStore(url), unusable(/holds another program’s tables \(account\)/));
    const tables =
      await sql`SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;
    assert.deepEqual([...tables], [{ relname: 'account' }]);
  });
});

test('an account is known to the other processes as soon as it is there', async (t) => {
  const url = await migratedDatabase(t);
  const [here, there] = [await open(t, url), await open(t, url)];
  const { mine } = await tenants(here);
  // The other process has just looked, and will not look again by itself.
  await there.accounts.list();
  const made = await here.accounts.create(
    { name: 'new', webhookSecrets: { test: 't', live: 'l' }, testClockOffsetMs: 0 },
    T,
  );
  assert.deepEqual(await there.accounts.fetch(made.number), made);
  assert.equal(await there.accounts.fetch(made.number + 1), null);
  assert.notEqual(made.number, mine.account);
});

suite('the ledger', () => {
  test('is never changed by any statement of the service', () => {
    const directory = join(root, 'src/store/postgres');
    for (const name of readdirSync(directory)) {
      const source = readFileSync(join(directory, name), 'utf8');
      assert.doesNotMatch(source, /(UPDATE|DELETE FROM)\s+payment\b|update\([^)]*'payment'/, name);
    }
  });

  test('takes no amount that is not positive', async (t) => {
    const url = await migratedDatabase(t);
    const store = await open(t, url);
    const { mine } = await tenants(store);
    await assert.rejects(
      add(store, session(mine, { payments: [payment('p', { amount: 0 })] })),
      /payment_amount_check/,
    );
  });
});

suite('another process at the same rows', () => {
  const update = (store: Store, id: CheckoutId, tenant: Unit['needs']['tenant'], amount: number) =>
    store.commit([
      {
        needs: { tenant, checkouts: [id] },
        decide({ checkouts }) {
          const checkout = checkouts.get(id);
          assert.ok(checkout);
          const after = changed(checkout, { amount });
          return [{ checkout: { before: checkout, after }, events: [eventOf(after)] }];
        },
      },
    ]);

  test('is waited for, and what it has written is decided on', async (t) => {
    const url = await migratedDatabase(t);
    const stores = [await open(t, url), await open(t, url)] as const;
    const { mine } = await tenants(stores[0]);
    const { id } = await add(stores[0], session(mine));
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => update(stores[index % 2] as Store, id, mine, index)),
    );
    for (const store of stores) {
      assert.equal((await store.checkouts.fetch(mine, id))?.version, 41);
      const { rows } = await store.events.timeline(mine, id, null, 100);
      assert.deepEqual(
        rows.map(({ sequence }) => sequence),
        Array.from({ length: 41 }, (_, index) => 41 - index),
      );
    }
  });

  test('that was first with an idempotency key, an e-mail address or a payment is found at the next try', async (t) => {
    const url = await migratedDatabase(t);
    const stores = [await open(t, url), await open(t, url)] as const;
    const { mine } = await tenants(stores[0]);
    const { key, operation, requestHash } = answer('key');
    const seen: string[] = [];
    const unit = (name: string): Unit => ({
      needs: {
        tenant: mine,
        answers: [{ key, operation, requestHash }],
        customersByEmail: ['ada@example.com'],
        owners: [{ rail: 'sandbox', reference: 'pay' }],
      },
      decide(loaded) {
        const given = answerIn(loaded);
        if (given) {
          seen.push(given.body);
          return [];
        }
        const after = session(mine, { payments: [payment('pay')] });
        return [
          {
            checkout: { before: null, after },
            events: [eventOf(after)],
            customer: customer(mine),
            answer: answer('key', { body: name }),
          },
        ];
      },
    });
    await Promise.all([0, 1, 0, 1, 0, 1].map((which, index) => stores[which]?.commit([unit(`${index}`)])));
    assert.equal(seen.length, 5);
    assert.equal(new Set(seen).size, 1);
    assert.equal((await stores[0].checkouts.list(mine, {}, { limit: 10 })).rows.length, 1);
    assert.equal((await stores[1].customers.list(mine, {}, { limit: 10 })).rows.length, 1);
  });

  test('in a deadlock with this one makes it try again', async (t) => {
    const url = await migratedDatabase(t);
    const store = await open(t, url);
    const { mine } = await tenants(store);
    const one = await add(store, session(mine));
    await write(store, mine, { customer: customer(mine, { id: 'cus_1' }) });
    const sql = beside(t, url);
    // The other transaction holds the customer and wants the session; the store holds the session and wants
    // the customer.
    await sql`BEGIN`;
    await sql`SELECT FROM customer WHERE id = 'cus_1' FOR UPDATE`;
    const committed = store.commit([
      {
        needs: { tenant: mine, checkouts: [one.id], customers: ['cus_1'] },
        decide: ({ checkouts }) => {
          const checkout = checkouts.get(one.id) ?? one;
          const after = changed(checkout, { amount: 7 });
          return [{ checkout: { before: checkout, after }, events: [eventOf(after)] }];
        },
      },
    ]);
    await sql`SELECT FROM checkout WHERE id = ${one.id} FOR UPDATE`.catch(() => {});
    await sql`ROLLBACK`;
    await committed;
    assert.equal((await store.checkouts.fetch(mine, one.id))?.amount, 7);
  });

  test('that keeps a row for too long makes it say so', async (t) => {
    const url = await migratedDatabase(t);
    const store = await open(t, url);
    const { mine } = await tenants(store);
    const { id } = await add(store, session(mine));
    const sql = beside(t, url);
    await sql`BEGIN`;
    await sql`SELECT FROM checkout WHERE id = ${id} FOR UPDATE`;
    await assert.rejects(update(store, id, mine, 1), StoreUnavailable);
    await sql`ROLLBACK`;
    await update(store, id, mine, 2);
  });

  for (const needs of [{ lockedEndpoints: ['whe_1'] }, { deliverySubjects: ['whe_1'] }] as const) {
    test(`is waited for before anything is decided on ${Object.keys(needs)}`, async (t) => {
      const url = await migratedDatabase(t);
      const store = await open(t, url);
      const { mine } = await tenants(store);
      const sql = beside(t, url);
      await sql`INSERT INTO webhook_endpoint VALUES (${mine.account}, false, 'whe_1', 1, 0, 1, '{}')`;
      await sql`BEGIN`;
      await sql`SELECT FROM webhook_endpoint WHERE id = 'whe_1' FOR UPDATE`;
      let isDecided = false;
      const decide = () => {
        isDecided = true;
        return [];
      };
      const committed = store.commit([{ needs: { tenant: mine, ...needs }, decide }]);
      while (!isDecided && (await sql`SELECT FROM pg_locks WHERE NOT granted`).length === 0);
      assert.equal(isDecided, false);
      await sql`ROLLBACK`;
      await committed;
      assert.equal(isDecided, true);
    });
  }
});

test('a batch is of one tenant, and no connection is left behind', async (t) => {
  const url = await migratedDatabase(t);
  const open = () =>
    process.getActiveResourcesInfo().filter((each) => /^(TCPSocket|Pipe)Wrap$/.test(each)).length;
  const before = open();
  await prepareDatabase(url);
  assert.ok(open() <= before);
  const store = await openPostgresStore(url, { serve: true });
  const { mine, live, theirs } = await tenants(store);
  for (const other of [live, theirs]) {
    const units = [mine, mine, other].map((tenant) => ({ needs: { tenant }, decide: () => [] }));
    await assert.rejects(store.commit(units), /one tenant/);
  }
  await store.close();
  assert.ok(open() <= before);
});

suite('events', () => {
  test('of processes that commit at the same time are followed without a gap', async (t) => {
    const url = await migratedDatabase(t);
    const stores = [await open(t, url), await open(t, url), await open(t, url)];
    const { mine } = await tenants(stores[0] as Store);
    const EACH = 40;
    let writing = stores.length;
    const writers = stores.map(async (store) => {
      for (let count = 0; count < EACH; count++) await add(store, session(mine));
      writing--;
    });
    const follow = async (store: Store): Promise<string[]> => {
      const ids: string[] = [];
      let position = 0;
      for (let last = false; !last; ) {
        last = writing === 0;
        const { rows } = await store.events.list(mine, {}, position, 7);
        for (const row of rows) {
          assert.equal(row.position, position + 1);
          position = row.position;
          ids.push(row.id);
        }
        last &&= rows.length === 0;
      }
      return ids;
    };
    const [first, ...others] = await Promise.all(stores.map(follow));
    await Promise.all(writers);
    assert.equal(new Set(first).size, EACH * stores.length);
    for (const other of others) assert.deepEqual(other, first);
  });

  test('go on where the end of the feed was lost, and that is said', async (t) => {
    const url = await migratedDatabase(t);
    const told: string[] = [];
    const store = await openPostgresStore(url, { onTrouble: (text) => told.push(text) });
    t.after(() => store.close());
    const { mine } = await tenants(store);
    const sql = beside(t, url);
    const positions = async () => (await store.events.list(mine, {}, 0, 10)).rows.map((row) => row.position);
    const extend = async () => {
      await add(store, session(mine));
      return positions();
    };
    await extend();
    await extend();
    assert.deepEqual(await extend(), [1, 2, 3]);
    assert.deepEqual(told, []);
    // The old end may come back from a process that had read it before others went on.
    await sql`UPDATE feed_end SET position = 1`;
    assert.deepEqual(await extend(), [1, 2, 3, 4]);
    await sql`DELETE FROM feed_end`;
    assert.deepEqual(await extend(), [1, 2, 3, 4, 5]);
    assert.equal(await store.events.end(mine), 5);
    assert.equal(told.length, 2);
    assert.deepEqual(store.feedTroubles(), { repairs: 2, stuck: 0 });
    assert.match(told.join(), /^the feed of .* had lost its end \(1 of 3\).*\(0 of 4\)/);
    // The start of the feed counts once all of it is gone.
    await sql`DELETE FROM feed`;
    await sql`INSERT INTO feed_start SELECT account, live, 5 FROM feed_end`;
    await sql`UPDATE feed_end SET position = 0`;
    assert.deepEqual(await extend(), [6]);
  });

  test('hold up no other where they cannot go on, and are counted until they can', async (t) => {
    const url = await migratedDatabase(t);
    const store = await openPostgresStore(url, { serve: true });
    t.after(() => store.close());
    const { mine, theirs } = await tenants(store);
    const sql = beside(t, url);
    await sql.unsafe(`ALTER TABLE feed ADD CONSTRAINT shut CHECK (account <> ${mine.account})`);
    const counted = async (stuck: number) => {
      while (store.feedTroubles().stuck !== stuck) await pause(10);
    };
    await add(store, session(mine));
    await add(store, session(theirs));
    await counted(1);
    assert.equal((await store.events.list(theirs, {}, 0, 10)).rows.length, 1);
    await sql`ALTER TABLE feed DROP CONSTRAINT shut`;
    await counted(0);
    assert.equal((await store.events.list(mine, {}, 0, 10)).rows.length, 1);
  });

  test('of one session keep their order, whatever their ids', async (t) => {
    const store = await open(t, await migratedDatabase(t));
    const { mine } = await tenants(store);
    const one = session(mine, { eventCount: 3 });
    const ids = ['evt_c', 'evt_a', 'evt_b'] as const;
    const events = ids.map((id, index) => eventOf(one, 'x.y', { id, sequence: index + 1 }));
    const other = session(mine);
    await write(store, mine, { checkout: { before: null, after: one }, events });
    await write(store, mine, {
      checkout: { before: null, after: other },
      events: [eventOf(other, 'x.y', { id: 'evt_b1' })],
    });
    const { rows } = await store.events.list(mine, {}, 0, 10);
    assert.deepEqual(
      rows.filter(({ subject }) => subject === one.id).map(({ id }) => id),
      ids,
    );
    assert.equal(rows.length, 4);
  });
});

test('a remembered session is not trusted when another process has changed it', async (t) => {
  const url = await migratedDatabase(t);
  const [here, there] = [await open(t, url), await open(t, url)];
  const { mine } = await tenants(here);
  const one = await add(here, session(mine));
  const paid = changed(one, { payments: [payment('p')], amount: 5 });
  await write(there, mine, { checkout: { before: one, after: paid }, events: [eventOf(paid)] });
  assert.deepEqual(await here.checkouts.fetch(mine, one.id), paid);
  assert.deepEqual((await load(here, { tenant: mine, checkouts: [one.id] })).checkouts.get(one.id), paid);
  assert.deepEqual((await here.checkouts.list(mine, {}, { limit: 1 })).rows, [paid]);
  assert.equal(T, one.createdAt);
});

test('accounts stay known while others change them at every moment', async (t) => {
  const url = await migratedDatabase(t);
  const store = await open(t, url);
  const { mine } = await tenants(store);
  const other = beside(t, url);
  let changing = true;
  const changes = (async () => {
    while (changing) await other`UPDATE directory SET version = version + 1 WHERE id = 1`;
  })();
  try {
    for (let look = 0; look < 500; look++) {
      // An unknown account makes the store look again.
      assert.equal(await store.accounts.fetch(1_000_000), null);
      assert.notEqual(await store.accounts.fetch(mine.account), null, `unknown after ${look} looks`);
    }
  } finally {
    changing = false;
    await changes;
  }
});
