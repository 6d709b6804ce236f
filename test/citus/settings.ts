/** Lists on Citus are planned on the node that has the account, by the settings that lists have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConnection, type Sql } from '../../src/store/postgres/connection.ts';
import { createSearches, planning } from '../../src/store/postgres/searches.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { tenants } from '../store/build.ts';
import { migratedDatabase } from '../support/postgres.ts';

test('a node has the settings of a list, as long as it lasts', async (t) => {
  const url = await migratedDatabase(t);
  const store = await openPostgresStore(url);
  t.after(() => store.close());
  const { mine } = await tenants(store);
  const connection = createConnection(url);
  t.after(() => connection.close());
  const search = createSearches([connection], (on, _tenant, work) => on.run(work), { inShards: true });
  /** On the node, since they are asked for beside a row of the account. */
  const settings = async (sql: Sql) => {
    const asked = [...Object.keys(planning), 'statement_timeout'].map(
      (name) => `current_setting('${name}') AS ${name}`,
    );
    const [row] = await sql.unsafe(
      `SELECT ${asked.join(', ')} FROM delivery_claim WHERE account = ${mine.account} AND live = false`,
    );
    return { ...row };
  };
  const expected = { ...planning, statement_timeout: '2s' };
  assert.deepEqual(await search(mine, settings), expected);
  assert.notDeepEqual(await connection.run(settings), expected);
});
