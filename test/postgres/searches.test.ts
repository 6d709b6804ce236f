/** Lists on PostgreSQL: their time, and whom a slow one is in the way of. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import { createConnection, type Sql } from '../../src/store/postgres/connection.ts';
import { createSearches, planning } from '../../src/store/postgres/searches.ts';
import { freshPostgres } from '../support/database-postgres.ts';

const quick = async (sql: Sql) => [...(await sql`SELECT 1 AS one`)];
const a: Tenant = { account: 1, mode: 'test' };
const b: Tenant = { account: 1, mode: 'live' };
const slow = (sql: Sql) => sql`SELECT pg_sleep(20)`.execute();

suite('a list on PostgreSQL', async () => {
  const { url, remove } = await freshPostgres();
  const connections = [createConnection(url), createConnection(url)];
  after(async () => {
    for (const connection of connections) await connection.close();
    await remove();
  });
  const searches = (limits: Parameters<typeof createSearches>[2] = {}) =>
    createSearches(connections, (connection, _tenant, work) => connection.run(work), limits);

  test('that takes too long is refused, and the next one has the connection', async () => {
    const search = searches({ listMs: 50 });
    for (let round = 0; round < 3; round++) {
      // The time limit of the statement ends the search; the watch over connections takes much longer.
      await assert.rejects(search(a, slow), /^StoreUnavailable: .*statement timeout/);
      assert.deepEqual(await search(a, quick), [{ one: 1 }]);
    }
  });

  test('writes nothing', async () => {
    const search = searches();
    await assert.rejects(
      search(a, (sql) => sql`CREATE TABLE written (n integer)`),
      /read-only transaction/,
    );
    assert.deepEqual(await search(a, quick), [{ one: 1 }]);
  });

  test('has one processor', async () => {
    const plan = await searches()(a, async (sql) => {
      // As for a table that is so large that others would share the work.
      await sql`SELECT set_config(name, '0', true) FROM pg_settings
        WHERE name IN ('parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size', 'min_parallel_index_scan_size')`;
      return [...(await sql`EXPLAIN SELECT count(*) FROM pg_attribute`)];
    });
    assert.doesNotMatch(JSON.stringify(plan), /Gather/);
  });

  test('has the same settings where nodes have to be told of them', async () => {
    const names = [...Object.keys(planning), 'statement_timeout'];
    const settings = async (sql: Sql) => {
      const [row] = await sql.unsafe(
        `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`,
      );
      return { ...row };
    };
    const expected = { ...planning, statement_timeout: '2s' };
    for (const inShards of [true, false])
      assert.deepEqual(await searches({ inShards })(a, settings), expected);
  });

  test('has its turn until what it has found is used, and no connection meanwhile', async () => {
    const search = searches();
    const { promise: used, resolve: use } = Promise.withResolvers<string>();
    const order: string[] = [];
    const first = search(a, quick, () => used);
    const second = search(a, quick, async () => void order.push('second'));
    for (let n = 0; n < 5; n++) await search(b, quick, async () => void order.push('other'));
    use('used');
    assert.equal(await first, 'used');
    await second;
    assert.deepEqual(order, [...Array(5).fill('other'), 'second']);
    // One that cannot be used is no reason to wait for ever.
    await assert.rejects(
      search(a, quick, () => Promise.reject(new Error('a bug'))),
      /a bug/,
    );
    assert.deepEqual(await search(a, quick), [{ one: 1 }]);
  });

  test('makes only other lists of its tenant wait', async () => {
    const search = searches({ listMs: 60_000 });
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    const ofA = [search(a, slow), search(a, quick)].map((list) => list.then(end, end));
    for (let n = 0; n < 5; n++) assert.deepEqual(await search(b, quick), [{ one: 1 }]);
    assert.equal(isOver, false);
    for (const connection of connections) connection.discard();
    await Promise.all(ofA);
  });
});
