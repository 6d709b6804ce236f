/** `opentill db distribute` on a coordinator and workers; scripts/citus.sh starts them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { migrations } from '../../src/store/postgres/migrate.ts';
import { prepareDatabase } from '../../src/store/postgres/prepare.ts';
import { done, refused } from '../cli/db/commands.ts';
import { fillByService } from '../cli/db/healthy.ts';
import { checkBooks, openTables } from '../cluster/cluster.ts';
import { joinNodes, workers } from '../support/citus.ts';
import { addressOf, freshDatabase, sharedPostgres } from '../support/postgres.ts';

const ON_COORDINATOR = ['account', 'api_key', 'directory', 'schema_version'];

/** An empty database on all nodes, the coordinator's address first. */
async function nodes(t: TestContext): Promise<readonly [string, ...string[]]> {
  const url = await freshDatabase(t);
  const name = new URL(url).pathname.slice(1);
  return [url, ...workers().map((worker) => addressOf(worker, name))];
}

async function wholeTables(t: TestContext, url: string): Promise<string[]> {
  const rows = await openTables(t, url)<Array<{ name: string }>>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e') ORDER BY relname`;
  return rows.map(({ name }) => name);
}

test('obstacles are named, and nothing is done', async (t) => {
  const [url, ...others] = await nodes(t);
  await joinNodes([url]);
  await refused(t, /there is no worker/, 'distribute', '--database', url);
  assert.ok(others.length > 0);
  await openTables(t, url).unsafe(
    'SELECT citus_set_node_property(nodename, nodeport, $1, true) FROM pg_dist_node',
    ['shouldhaveshards'],
  );
  const server = openTables(t, (await sharedPostgres()).url);
  const name = new URL(url).pathname.slice(1);
  await server.unsafe(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  await refused(t, /synchronous_commit must not be off/, 'distribute', '--database', url);
  assert.deepEqual(await wholeTables(t, url), []);
});

test('an empty database gets its schema in shards, and a second time nothing', async (t) => {
  const addresses = await nodes(t);
  const [url] = addresses;
  await joinNodes(addresses);
  assert.match(await done(t, 'distribute', '--database', url), /^\d+ tables are distributed by account/);
  assert.deepEqual(await wholeTables(t, url), ON_COORDINATOR);
  assert.match(await done(t, 'distribute', '--database', url), /distributed already/);
});

test('rows of a service move into the shards, and none stay behind', async (t) => {
  const addresses = await nodes(t);
  const [url] = addresses;
  await fillByService(t, url);
  const sql = openTables(t, url);
  const counts = async () =>
    sql`SELECT (SELECT count(*) FROM checkout) AS checkouts, (SELECT count(*) FROM event) AS events,
      (SELECT count(*) FROM audit) AS audits`;
  const before = await counts();
  await joinNodes(addresses);
  await done(t, 'distribute', '--database', url);
  assert.deepEqual(await counts(), before);
  await checkBooks(url);
  const left = await sql`
    SELECT logicalrelid FROM pg_dist_partition WHERE pg_relation_size(logicalrelid) > 0 AND partmethod = 'h'`;
  assert.deepEqual([...left], []);
});

test('a migration puts a new table beside the others, and changes those in their shards', async (t) => {
  const addresses = await nodes(t);
  const [url] = addresses;
  await joinNodes(addresses);
  await done(t, 'distribute', '--database', url);
  const further = `CREATE TABLE note (account bigint NOT NULL, live boolean NOT NULL, text text NOT NULL,
      PRIMARY KEY (account, live, text));
    ALTER TABLE customer ADD COLUMN note text;
    CREATE INDEX customer_note ON customer (account, live, note);
  `;
  await prepareDatabase(url, { known: [...migrations, further] });
  assert.deepEqual(await wholeTables(t, url), ON_COORDINATOR);
  const sql = openTables(t, url);
  await sql`INSERT INTO note VALUES (1, true, 'one')`;
  await sql`INSERT INTO customer (account, live, id, data, note) VALUES (1, true, 'cus_1', '{}', 'one')`;
  const [row] = await sql`SELECT count(*) FROM note JOIN customer USING (account, live) WHERE note = text`;
  assert.equal(row?.count, 1);
});
