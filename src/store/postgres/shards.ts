/**
 * Tables in shards, by account: what a tenant has lies on one node. Accounts and keys are asked for before the account is
 * known, and change together with the version of the directory; so all of that is on the coordinator.
 */
import type { Sql } from './connection.ts';

/** Table with a row for each tenant; shards of all other tables lie beside its shards. */
export const TENANTS = 'delivery_claim';

/** True if the tables of this database are in shards. */
export async function isDistributed(sql: Sql): Promise<boolean> {
  const [catalog] = await sql`SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS there`;
  if (!catalog?.there) return false;
  const rows = await sql`SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(${TENANTS})`;
  return rows.length > 0;
}

export type Node = { readonly id: number; readonly host: string; readonly port: number };

/** The nodes on which shards of tenants lie. */
export const nodesWithShards = async (sql: Sql): Promise<readonly Node[]> => sql<Node[]>`
  SELECT nodeid AS id, nodename AS host, nodeport AS port FROM pg_dist_node
  WHERE isactive AND noderole = 'primary' AND groupid IN (
    SELECT groupid FROM pg_dist_placement JOIN pg_dist_shard USING (shardid)
    WHERE logicalrelid = ${TENANTS}::regclass)`;

/** Cuts the tables of tenants that are whole still into shards. */
export async function distributeTables(sql: Sql, onTable: (name: string) => void = () => {}): Promise<void> {
  const whole = await sql<Array<{ name: string }>>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'api_key'
      AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'account' AND attnum > 0)
      AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)
    ORDER BY relname <> ${TENANTS}, relname`;
  for (const { name } of whole) {
    onTable(name);
    const beside = name === TENANTS ? 'none' : TENANTS;
    await sql`SELECT create_distributed_table(${name}, 'account', colocate_with => ${beside})`;
  }
}
