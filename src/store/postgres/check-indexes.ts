/** Indexes as amcheck sees them: each is in order, and has every row of its table. */
import { type CheckListener, createTally } from '../check/check.ts';
import type { Sql } from './connection.ts';
import { isCorruption } from './errors.ts';
import { isDistributed } from './shards.ts';

const RULE = 'indexes are whole and agree with their tables';

type Tally = ReturnType<typeof createTally>;

/**
 * Not in a snapshot: an index that is damaged would end the transaction, and what it should hold is no matter of one
 * moment.
 */
export async function checkIndexes(sql: Sql, listener: CheckListener): Promise<void> {
  const inShards = await isDistributed(sql);
  const amcheck = await findAmcheck(sql, inShards);
  if ('missing' in amcheck) {
    listener.outcome({ rule: RULE, count: 0, examples: [], untold: amcheck.missing, skipped: true });
    return;
  }
  const tally = createTally(RULE);
  await checkOwn(sql, amcheck.call, inShards, tally, listener);
  const untold = inShards ? await checkShards(sql, amcheck.call, tally, listener) : null;
  listener.outcome({ ...tally.outcome(), ...(untold === null ? {} : { untold }) });
}

/** The function that checks an index, or why there is none. */
async function findAmcheck(
  sql: Sql,
  inShards: boolean,
): Promise<{ readonly call: string } | { readonly missing: string }> {
  const [found] = await sql<Array<{ call: string; usable: boolean }>>`
    SELECT quote_ident(nspname) || '.bt_index_check' AS call,
      has_function_privilege(quote_ident(nspname) || '.bt_index_check(regclass, boolean)', 'EXECUTE') AS usable
    FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'amcheck'`;
  if (found === undefined) return { missing: 'the extension amcheck is not installed' };
  if (!found.usable) return { missing: 'this user may not use amcheck' };
  if (!inShards) return found;
  const usable = `SELECT coalesce(has_function_privilege(
    to_regprocedure('${found.call}(regclass, boolean)'), 'EXECUTE'), false)::text`;
  const nodes =
    await sql`SELECT FROM run_command_on_all_nodes(${usable}) WHERE result IS DISTINCT FROM 'true'`;
  return nodes.length === 0 ? found : { missing: 'amcheck cannot be used on each node' };
}

/** Indexes of this server. Those of tables in shards are empty here. */
async function checkOwn(
  sql: Sql,
  call: string,
  inShards: boolean,
  tally: Tally,
  listener: CheckListener,
): Promise<void> {
  const whole = inShards
    ? sql`NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = indrelid AND partmethod = 'h')`
    : sql`true`;
  const indexes = await sql<Array<{ oid: number; name: string }>>`
    SELECT pg_class.oid, relname AS name
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
    WHERE relnamespace = current_schema()::regnamespace AND amname = 'btree' AND indisvalid AND ${whole}
    ORDER BY relname`;
  for (const [done, { oid, name }] of indexes.entries()) {
    listener.progress('checking indexes', done, indexes.length);
    await sql.unsafe(`SELECT ${call}(${oid}::regclass, true)`).catch((error) => {
      if (!isCorruption(error)) throw error;
      tally.add(name);
    });
  }
}

/** Indexes of all shards, of each up to the first that is damaged; gives why some could not be looked at, or null. */
async function checkShards(
  sql: Sql,
  call: string,
  tally: Tally,
  listener: CheckListener,
): Promise<string | null> {
  const tables = await sql<Array<{ name: string }>>`
    SELECT relname AS name FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
    WHERE partmethod = 'h' AND relnamespace = current_schema()::regnamespace ORDER BY relname`;
  const checked = `SELECT count(${call}(indexrelid, true))
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
    WHERE indrelid = '%s'::regclass AND amname = 'btree' AND indisvalid`;
  let silent = false;
  for (const [done, { name }] of tables.entries()) {
    listener.progress('checking indexes of shards', done, tables.length);
    const failed = await sql<Array<{ shard: number; text: string }>>`
      SELECT shardid AS shard, result AS text FROM run_command_on_shards(${name}, ${checked}) WHERE NOT success`;
    if (failed.length === 0) continue;
    // An error comes as a text: whatever the node of the shard says otherwise, it is there, and the index is to blame.
    const there = await sql<Array<{ shard: number }>>`
      SELECT shardid AS shard FROM run_command_on_shards(${name}, 'SELECT 1') WHERE success`;
    for (const { shard, text } of failed) {
      if (there.some((other) => other.shard === shard))
        tally.add(/index "([^"]+)"/.exec(text)?.[1] ?? `${name}_${shard}`);
      else silent = true;
    }
  }
  return silent ? 'a node does not answer' : null;
}
