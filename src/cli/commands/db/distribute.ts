import { UnusableDatabase } from '../../../store/errors.ts';
import { onOwnConnection } from '../../../store/postgres/alone.ts';
import type { Sql } from '../../../store/postgres/connection.ts';
import { prepareDatabase } from '../../../store/postgres/prepare.ts';
import { distributeTables } from '../../../store/postgres/shards.ts';
import { nameOf } from '../../../store/postgres/unusable.ts';
import { databaseOption } from '../../database-option.ts';
import { plainCommand } from '../../declare/access.ts';
import { Failure } from '../../failure.ts';
import { startProgress } from '../../progress.ts';

export const command = plainCommand({
  purpose: 'Distribute a PostgreSQL database over the nodes of Citus, by account.',
  details: [
    'The service must not run meanwhile. The command first checks the nodes and their settings, and names what is missing.',
    'After an interruption, run the same command again: it continues. Later versions distribute new tables by themselves.',
  ],
  options: { database: databaseOption },
  examples: [['opentill db distribute', 'The database of the settings']],
  async run({ database }, { output }) {
    if (database.kind !== 'postgres')
      throw new Failure(
        'only PostgreSQL with Citus can be distributed; opentill db move moves a database to PostgreSQL',
      );
    const progress = startProgress();
    let count: number;
    try {
      count = await distribute(database.url, (table) => progress.show(`distributing ${table} …`));
    } finally {
      progress.clear();
    }
    output.line(
      count === 0 ? 'Everything was distributed already.' : `${count} tables are distributed by account.`,
    );
  },
});

/** Settings that matter on each node. */
const NEEDED = [
  { name: 'synchronous_commit', holds: "<> 'off'", must: 'must not be off, or changes are lost in a crash' },
  {
    name: 'max_prepared_transactions',
    holds: "<> '0'",
    must: 'must not be 0, or nodes cannot commit together',
  },
  { name: 'wal_level', holds: "= 'logical'", must: 'must be logical, or shards cannot move under load' },
] as const;

const settings = NEEDED.map(({ name, holds }) => `current_setting('${name}') ${holds}`).join(', ');

type Node = { readonly node: string; readonly success: boolean; readonly result: string };

/** Objections to distributing, each in words for the operator. */
async function objections(sql: Sql): Promise<string[]> {
  const [facts] = await sql<[{ coordinator: boolean; workers: boolean; copies: string; busy: boolean }]>`
    SELECT EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS coordinator,
      EXISTS (SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards) AS workers,
      current_setting('citus.shard_replication_factor') AS copies,
      EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND application_name IN ('opentill', 'opentill heartbeat')) AS busy`;
  const nodes = await sql<Node[]>`
    SELECT nodename || ':' || nodeport AS node, success, result
    FROM run_command_on_all_nodes(${`SELECT concat_ws(' ', ${settings})`}) JOIN pg_dist_node USING (nodeid)
    ORDER BY nodeid`;
  return [
    ...(facts.busy ? ['a service is using it; stop it first'] : []),
    ...(facts.coordinator
      ? []
      : ["the workers do not know the coordinator (SELECT citus_set_coordinator_host('its name'))"]),
    ...(facts.workers ? [] : ["there is no worker (SELECT citus_add_node('its name', 5432))"]),
    ...(facts.copies === '1' ? [] : [`citus.shard_replication_factor is ${facts.copies}, and must be 1`]),
    ...nodes.flatMap(({ node, success, result }) => {
      if (!success) return [`the node ${node} does not answer`];
      const held = result.split(' ');
      return NEEDED.filter((_, index) => held[index] !== 't').map(
        ({ name, must }) => `on ${node} ${name} ${must}`,
      );
    }),
  ];
}

/** Distributes a database that has a schema or nothing at all; throws UnusableDatabase where that is not possible. */
export async function distribute(url: string, onTable: (name: string) => void): Promise<number> {
  const name = nameOf(url);
  const refuse = (reason: string) =>
    new UnusableDatabase(`cannot distribute the database ${name}: ${reason}`);
  await onOwnConnection(url, async (sql) => {
    const [extension] = await sql`SELECT FROM pg_extension WHERE extname = 'citus'`;
    if (extension === undefined)
      throw refuse('Citus is not installed there (CREATE EXTENSION citus, on each node)');
    const found = await objections(sql);
    if (found.length > 0) throw refuse(found.join('; '));
  });
  await prepareDatabase(url);
  return onOwnConnection(url, async (sql) => {
    let count = 0;
    await distributeTables(sql, (table) => {
      count++;
      onTable(table);
    });
    // Rows that were there before are copied to the shards, and the coordinator keeps the old ones, which nobody sees.
    await sql`
      SELECT truncate_local_data_after_distributing_table(logicalrelid) FROM pg_dist_partition
      JOIN pg_class ON pg_class.oid = logicalrelid
      WHERE partmethod = 'h' AND relnamespace = current_schema()::regnamespace AND pg_relation_size(logicalrelid) > 0`;
    return count;
  });
}
