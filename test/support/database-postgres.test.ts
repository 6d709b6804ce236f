import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import postgres from 'postgres';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { add, session, tenants } from '../store/build.ts';
import { contentsOf, type TestDatabase } from './database.ts';
import { freshPostgres } from './database-postgres.ts';

test('all tables are locked behind whoever writes, in whichever order it writes', async (t) => {
  const database = await freshPostgres();
  t.after(() => database.remove());
  const [first, ...others] = await database.tables();
  const writer = postgres(database.url, { max: 1 });
  t.after(() => writer.end());
  await writer.unsafe(`BEGIN; LOCK TABLE ${others.at(-1)} IN ROW EXCLUSIVE MODE`);
  const locked = database.lock();
  const tried = `SELECT FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation = '${first}'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  // A try that gives up at once can end between two looks.
  for (let looks = 0; looks < 500 && (await database.query(tried)).length === 0; looks++);
  await writer.unsafe(`LOCK TABLE ${first} IN ROW EXCLUSIVE MODE; COMMIT`);
  const release = await locked;
  assert.equal((await database.query(tried)).length, 1);
  await release();
});

suite('a database that another test has had', () => {
  /** The database of a test that does this with its own. */
  async function afterOne(t: TestContext, work: (database: TestDatabase) => Promise<unknown>) {
    const before = await freshPostgres();
    const contents = await contentsOf(before);
    await work(before);
    await before.remove();
    const database = await freshPostgres();
    t.after(() => database.remove());
    assert.deepEqual(await contentsOf(database), contents);
    return { database, isTheSame: database.url === before.url };
  }

  test('is empty, and counts accounts from the beginning', async (t) => {
    const numbers: number[] = [];
    const fill = async ({ url }: TestDatabase) => {
      const store = await openPostgresStore(url, { serve: true });
      const { mine } = await tenants(store);
      await add(store, session(mine));
      numbers.push(mine.account);
      await store.close();
    };
    const { database, isTheSame } = await afterOne(t, fill);
    assert.ok(isTheSame);
    await fill(database);
    assert.deepEqual(numbers, [1, 1]);
  });

  test('is emptied though somebody has left a lock', async (t) => {
    await afterOne(t, async ({ url }) => {
      const left = postgres(url, { max: 1, onnotice() {} });
      t.after(() => left.end({ timeout: 0 }));
      await left.unsafe('BEGIN; LOCK TABLE account');
    });
  });

  for (const change of [
    'ALTER TABLE feed ADD CONSTRAINT shut CHECK (account <> 1)',
    'ALTER TABLE feed ALTER COLUMN position SET DEFAULT 1',
    'CREATE TABLE added ()',
    'DROP INDEX event_sequence',
    'ANALYZE account',
    'UPDATE schema_version SET version = version + 1',
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = 1', current_database()); END $$`,
  ]) {
    test(`is another one behind ${change}`, async (t) => {
      const { isTheSame } = await afterOne(t, ({ query }) => query(change));
      assert.ok(!isTheSame);
    });
  }
});
