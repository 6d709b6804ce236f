/** Tenants that have rows of a kind: one question for all of them, for with thousands most have none. */
import type { Mode, Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import type { RealTime } from '../../lib/time.ts';
import { either, join, nothing, raw, type Sql, sql } from '../sql.ts';
import { all, type Read, tenantOf } from './read.ts';

/** Tenants that can be asked about: whether they lie in shards, and the accounts that answer, or null for all. */
export type Reachable = { readonly inShards: boolean; readonly among: readonly number[] | null };

/**
 * The accounts with data of a mode, as `number`, and how far their test clocks are ahead. In shards it is a table that lies
 * beside what is asked about, for `account` is on another machine; that costs one more look for each account.
 */
export function accountsWith(mode: Mode, { inShards, among }: Reachable): Sql {
  const live = raw(`${mode === 'live'}`);
  if (!inShards) return sql`account`;
  return either({
    sqlite: sql`account`,
    postgres: sql`(
      SELECT account AS number, coalesce((
        SELECT max(offset_ms) FROM clock_move
        WHERE ${isAmong('account', among)}clock_move.account = delivery_claim.account AND NOT clock_move.live
      ), 0) AS test_clock_offset_ms FROM delivery_claim WHERE ${isAmong('account', among)}delivery_claim.live = ${live}
    ) AS tenant`,
  });
}

/**
 * The beginning of a condition: an account among these; nothing where all are meant. Each table of a statement needs its
 * own: one that is only joined with another is asked for in all shards.
 */
export function isAmong(column: string, among: readonly number[] | null): Sql {
  if (among === null) return nothing;
  return raw(among.length === 0 ? 'false AND ' : `${column} IN (${among.join()}) AND `);
}

/** Tenants with a row in each of these tables for which the condition holds; it may use the columns of `accountsWith`. */
export function tenantsByTable<T extends string>(
  tables: readonly T[],
  holds: (live: boolean) => Sql,
  reachable: Reachable,
): Read<Array<{ readonly table: T; readonly tenant: Tenant }>> {
  const withSome = (table: T, mode: Mode) => {
    const live = raw(`${mode === 'live'}`);
    return sql`
      SELECT number AS account, ${live} AS live, ${raw(`'${table}'`)} AS source
      FROM ${accountsWith(mode, reachable)} WHERE EXISTS (
        SELECT 1 FROM ${raw(table)} WHERE ${isAmong('account', reachable.among)}account = number AND live = ${live} AND ${holds(mode === 'live')})`;
  };
  const each = tables.flatMap((table) => [withSome(table, 'live'), withSome(table, 'test')]);
  type Found = { readonly account: number; readonly live: boolean; readonly source: T };
  return all(
    // In one piece, which goes to each shard once: several would be put together at the coordinator.
    sql`SELECT account, live, source FROM (${join(each, ' UNION ALL ')}) AS tenant`,
    ({ account, live, source }: Found) => ({ table: source, tenant: tenantOf(account, live) }),
    'look',
  );
}

/** The same for a single table. */
export function tenantsWith(
  table: string,
  holds: (live: boolean) => Sql,
  reachable: Reachable,
): Read<Tenant[]> {
  const { from, ...read } = tenantsByTable([table], holds, reachable);
  return { ...read, from: (rows) => from(rows).map(({ tenant }) => tenant) };
}

/** The latest time that an id can have. */
const LATEST = 2 ** 50 - 1;

/** Tenants with events or deliveries created before a time. Where a clock was moved, what is old may be ahead. */
export function tenantsWithOld(
  what: 'deliveries' | 'events',
  createdBefore: RealTime,
  reachable: Reachable,
): Read<Tenant[]> {
  const [table, prefix] = what === 'events' ? (['event', 'evt'] as const) : (['delivery', 'whd'] as const);
  const old = firstIdAt(prefix, createdBefore);
  const any = firstIdAt(prefix, LATEST);
  // A bound of the index in any case: with an OR all rows of a tenant without old ones would be looked at.
  const bound = sql`CASE WHEN test_clock_offset_ms > 0 THEN ${any} ELSE ${old} END`;
  return tenantsWith(table, (live) => (live ? sql`id < ${old}` : sql`id < ${bound}`), reachable);
}

/** Tenants with entries of the log of requests from before a time, which are real times in both modes. */
export const tenantsWithOldRequests = (createdBefore: RealTime, reachable: Reachable): Read<Tenant[]> =>
  tenantsWith('request_log', () => sql`id < ${firstIdAt('rql', createdBefore)}`, reachable);
