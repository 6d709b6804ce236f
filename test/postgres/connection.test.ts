/** Single connections and the transactions on them: addresses, and what is done when something goes wrong midway. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import postgres from 'postgres';
import { StoreUnavailable } from '../../src/store/errors.ts';
import { again } from '../../src/store/postgres/again.ts';
import { createConnection } from '../../src/store/postgres/connection.ts';
import { createPool } from '../../src/store/postgres/pool.ts';
import { freshDatabase } from '../support/postgres.ts';
import { pooled } from '../support/postgres-proxy.ts';

type Ends = { after(hook: () => Promise<void>): void };

function connect(t: Ends, url: string, name?: string) {
  const connection = createConnection(url, undefined, name === undefined ? {} : { name });
  t.after(() => connection.close());
  return connection;
}

/** A connection of the test's own, to look at what there is. */
function look(t: Ends, url: string) {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  t.after(() => sql.end());
  return sql;
}

suite('an address', () => {
  test('may name a database by any name, and have a password with any characters', async (t) => {
    const url = await freshDatabase(t);
    const name = `${new URL(url).pathname.slice(1)} é%,@`;
    const sql = look(t, url);
    await sql.unsafe(`CREATE DATABASE "${name}" TEMPLATE template0 STRATEGY FILE_COPY`);
    try {
      const { username, host } = new URL(url);
      const given = `postgres://${username}:a@b,c:d%2Fe@${host}/${encodeURIComponent(name)}`;
      const [row] = await connect(t, given).run((q) => q`SELECT current_database() AS name`);
      assert.equal(row?.name, name);
    } finally {
      await sql.unsafe(`DROP DATABASE "${name}" WITH (FORCE)`);
    }
  });

  test('may have an IPv6 address as its host, alone or among others', async (t) => {
    for (const hosts of ['[::1]:1', 'localhost:1,[::1]:1', '[::1]:1,[::1]:1']) {
      const asked = connect(t, `postgres://till@${hosts}/shop`).run((sql) => sql`SELECT 1`);
      // The error names the address: nothing listens there, or the machine has no IPv6.
      await assert.rejects(asked, /::1/);
    }
  });
});

test('a connection that is given up while it is made takes nothing of the next one with it', async (t) => {
  const url = await freshDatabase(t);
  const name = 'given up';
  const sql = look(t, url);
  const connection = connect(t, url, name);
  const first = connection.run((q) => q`SELECT 1`);
  connection.discard();
  const second = connection.run((q) => q`SELECT 2 AS two`);
  await assert.rejects(first, StoreUnavailable);
  assert.deepEqual([...(await second)], [{ two: 2 }]);
  await connection.close();
  // The server notices an end a moment later.
  let left = 1;
  for (const endAt = performance.now() + 5_000; left > 0 && performance.now() < endAt; ) {
    left = (await sql`SELECT FROM pg_stat_activity WHERE application_name = ${name}`).length;
  }
  assert.equal(left, 0);
});

test('a commit that one of several nodes has not confirmed has an unknown end', async (t) => {
  const url = await freshDatabase(t);
  const pool = createPool(url, { commitsAtOnce: 1, serve: false, onBroken: () => {} });
  t.after(() => pool.close());
  const sql = look(t, url);
  await sql`CREATE TABLE mark (message text)`;
  await sql.unsafe(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION '%', NEW.message USING ERRCODE = 'XX000'; END$$`);
  await sql`CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON mark DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION fail()`;
  const committed = (message: string) => pool.write(null, (on) => on`INSERT INTO mark VALUES (${message})`);
  for (const message of [
    'could not commit transaction for shard 102008 on at least 1 active node',
    'connection to the remote node postgres@db-2:5432 failed with the following error: timeout expired',
    'failure on connection marked as essential: db-2:5432',
    'server closed the connection unexpectedly',
    'SSL connection has been closed unexpectedly',
    'SSL SYSCALL error: EOF detected',
    'SSL SYSCALL error: Connection timed out',
    'SSL error: unexpected eof while reading',
    'could not receive data from server: Connection reset by peer',
    'could not send data to server: Broken pipe',
    'no connection to the server',
    'connection not open',
    'lost synchronization with server: got message type "0", length 892679477',
  ])
    await assert.rejects(committed(message), StoreUnavailable, message);
  await assert.rejects(
    committed('cache lookup failed for relation 16385'),
    (error) => error instanceof postgres.PostgresError,
  );
});

test('a statement for a shard that was divided meanwhile is tried again, and then put off', async (t) => {
  const url = await freshDatabase(t);
  const pool = createPool(url, { commitsAtOnce: 1, serve: false, onBroken: () => {} });
  t.after(() => pool.close());
  const sql = look(t, url);
  await sql`CREATE TABLE mark (times integer)`;
  await sql`CREATE SEQUENCE tries`;
  await sql.unsafe(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
    IF nextval('tries') <= NEW.times THEN
      RAISE EXCEPTION 'could not find valid entry for shard 102008' USING ERRCODE = 'XX000';
    END IF;
    RETURN NEW; END$$`);
  await sql`CREATE TRIGGER at_insert BEFORE INSERT ON mark FOR EACH ROW EXECUTE FUNCTION fail()`;
  const written = (times: number) =>
    again(() => pool.write(null, (on) => on`INSERT INTO mark VALUES (${times})`));
  await written(2);
  assert.deepEqual([...(await sql`SELECT times FROM mark`)], [{ times: 2 }]);
  await assert.rejects(written(1_000), StoreUnavailable);
});

test('a transaction that breaks in another way than the server says has an unknown end', async (t) => {
  const url = await freshDatabase(t);
  const pool = createPool(url, { commitsAtOnce: 1, serve: false, onBroken: () => {} });
  t.after(() => pool.close());
  await pool.write(null, (sql) => sql`CREATE TABLE mark (id integer)`);
  const broken = Object.assign(new Error('bad record mac'), { code: 'ERR_SSL_BAD_RECORD' });
  const committed = pool.transaction(null, ({ sql, commit }) =>
    commit([sql`INSERT INTO mark VALUES (1)`, Promise.reject(broken)]),
  );
  // The failure is the connection's: one of a unit would make the writer repeat all of them one by one.
  await assert.rejects(committed, StoreUnavailable);
  assert.equal((await pool.read(null, (sql) => sql`SELECT id FROM mark`)).length, 1);
  await assert.rejects(
    pool.write(null, (sql) => sql`INSERT INTO none_such VALUES (1)`),
    (error) => error instanceof postgres.PostgresError,
  );
});

test('statements that find their rows by a key are planned once', async (t) => {
  const pool = createPool(await freshDatabase(t), { commitsAtOnce: 1, serve: false, onBroken: () => {} });
  t.after(() => pool.close());
  const ask = (ids: readonly number[]) =>
    pool.read(null, (sql) => sql`SELECT FROM unnest(${`{${ids.join()}}`}::integer[])`);
  for (const id of Array(10).keys()) await ask([id]);
  const [plans] = await pool.read(
    null,
    (
      sql,
    ) => sql`SELECT custom_plans::integer AS anew, generic_plans::integer AS once FROM pg_prepared_statements
      WHERE statement LIKE '%unnest%' AND statement NOT LIKE '%pg_prepared%'`,
  );
  assert.deepEqual(plans, { anew: 0, once: 10 });
});

test('what a connection is set to holds at once, and for the one that takes its place', async (t) => {
  const connection = connect(t, await freshDatabase(t));
  const mode = async () => (await connection.run((sql) => sql`SHOW plan_cache_mode`))[0]?.plan_cache_mode;
  assert.equal(await mode(), 'auto');
  connection.configure({ plan_cache_mode: 'force_generic_plan' });
  assert.equal(await mode(), 'force_generic_plan');
  connection.discard();
  assert.equal(await mode(), 'force_generic_plan');
});

test('a connection behind a pooler is left as it is: others have it, too', async (t) => {
  const direct = await freshDatabase(t);
  const unprepared = new URL(direct);
  unprepared.searchParams.set('prepare', 'false');
  for (const url of [unprepared.href, await pooled(t, direct)]) {
    const connection = connect(t, url);
    connection.configure({ plan_cache_mode: 'force_generic_plan' });
    const [row] = await connection.run((sql) => sql`SHOW plan_cache_mode`);
    assert.deepEqual(row, { plan_cache_mode: 'auto' });
  }
});
