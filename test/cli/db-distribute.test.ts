/** `opentill db distribute` where there is nothing to distribute over; scripts/citus.sh runs it where there is. */
import { test } from 'node:test';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import { postgresDatabase } from '../support/database-postgres.ts';
import { freshDatabase } from '../support/postgres.ts';
import { refused } from './db/commands.ts';

test('a database without Citus is refused, and stays as it is', async (t) => {
  const url = await freshDatabase(t);
  await refused(t, /Citus is not installed there/, 'distribute', '--database', url);
  const database = postgresDatabase(url, async () => {});
  t.after(() => database.remove());
  t.assert.deepEqual(await database.tables(), []);
  await prepareDatabase(url);
  await refused(t, /Citus is not installed there/, 'distribute', '--database', url);
});

test('a database that is a file is refused', (t) =>
  refused(t, /only PostgreSQL with Citus/, 'distribute', '--database', 'sqlite:./till.db'));
