import assert from 'node:assert/strict';
import { test } from 'node:test';
import postgres from 'postgres';
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
