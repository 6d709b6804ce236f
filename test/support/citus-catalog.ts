/**
 * The few rows and functions of Citus that the service looks at, on a server without it: a database that says that it is
 * in shards, whose nodes answer or do not as a test likes. An account's number is its hash.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from '../../src/store/postgres/connection.ts';

/** A node has the accounts with these numbers, in a shard of its own. */
export type FakeNode = {
  readonly port: number;
  readonly accounts: readonly [first: number, last: number] | null;
  readonly isActive?: boolean;
  readonly takesShards?: boolean;
};

/** A node's answer to a check of its health. */
export type Answer = 'yes' | 'no' | 'never' | 'error';

/** The tables that make a database one of Citus; without nodes nothing is distributed yet. */
export async function makeCatalog(sql: Sql, nodes: readonly FakeNode[] = []): Promise<void> {
  const statements = [
    // The store looks for this table in pg_catalog alone, so that no other is taken for it.
    'SET allow_system_table_mods = on',
    `CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", beside text)`,
    'RESET allow_system_table_mods',
    `CREATE TABLE pg_dist_node (nodeid integer, groupid integer, nodename text, nodeport integer, isactive boolean,
      shouldhaveshards boolean, noderole text, answer text)`,
    'CREATE TABLE pg_dist_shard (shardid bigint, logicalrelid regclass, shardminvalue text, shardmaxvalue text)',
    'CREATE TABLE pg_dist_placement (shardid bigint, groupid integer)',
    'CREATE FUNCTION worker_hash(bigint) RETURNS integer LANGUAGE sql AS $$ SELECT $1::integer $$',
    'CREATE SEQUENCE asked',
    `CREATE FUNCTION citus_check_connection_to_node(text, integer) RETURNS boolean LANGUAGE sql AS $$
      SELECT nextval('asked');
      SELECT CASE answer WHEN 'never' THEN pg_sleep(3600) IS NULL WHEN 'error' THEN (1 / (nodeid - nodeid)) > 0
        ELSE answer = 'yes' END FROM pg_dist_node WHERE nodeport = $2 $$`,
    `CREATE FUNCTION create_distributed_table(regclass, text, colocate_with text) RETURNS void LANGUAGE sql AS $$
      INSERT INTO pg_dist_partition VALUES ($1, 'h', $3) $$`,
    // Shards are beside the tables that they are of, with a number behind the name. Errors come as texts.
    'CREATE SCHEMA shards',
    `CREATE FUNCTION told(command text, OUT success boolean, OUT result text) LANGUAGE plpgsql AS $$
      BEGIN success := true; EXECUTE command INTO result;
      EXCEPTION WHEN OTHERS THEN success := false; result := SQLERRM; END $$`,
    `CREATE FUNCTION run_command_on_shards(name regclass, command text)
      RETURNS TABLE (shardid bigint, success boolean, result text) LANGUAGE sql AS $$
      SELECT substring(relname from '\\d+$')::bigint, (told(format(command, 'shards.' || relname))).* FROM pg_class
      WHERE relnamespace = 'shards'::regnamespace AND relkind = 'r' AND relname ~ ('^' || name || '_\\d+$') $$`,
    `CREATE FUNCTION run_command_on_all_nodes(command text)
      RETURNS TABLE (nodeid integer, success boolean, result text) LANGUAGE sql AS $$
      SELECT nodeid, answer = 'yes', CASE answer WHEN 'yes' THEN (told(command)).result END FROM pg_dist_node $$`,
  ];
  for (const statement of statements) await sql.unsafe(statement);
  if (nodes.length > 0) await sql`INSERT INTO pg_dist_partition VALUES ('delivery_claim', 'h', 'none')`;
  for (const [index, { port, accounts, isActive = true, takesShards = true }] of nodes.entries()) {
    const id = index + 1;
    await sql`INSERT INTO pg_dist_node VALUES
      (${id}, ${id}, '127.0.0.1', ${port}, ${isActive}, ${takesShards}, 'primary', 'yes')`;
    if (accounts === null) continue;
    const [first, last] = accounts;
    await sql`INSERT INTO pg_dist_shard VALUES (${id}, 'delivery_claim', ${first}::integer, ${last}::integer)`;
    await sql`INSERT INTO pg_dist_placement VALUES (${id}, ${id})`;
  }
}

export async function letAnswer(sql: Sql, port: number, answer: Answer): Promise<void> {
  await sql`UPDATE pg_dist_node SET answer = ${answer} WHERE nodeport = ${port}`;
}

/** Resolves when nodes have been asked so many more times. */
export async function asked(sql: Sql, times: number): Promise<void> {
  const count = async () => (await sql<[{ count: number }]>`SELECT last_value AS count FROM asked`)[0].count;
  const until = Number(await count()) + times;
  while (Number(await count()) < until) await pause(20);
}
