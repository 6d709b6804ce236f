/**
 * Sessions as they were last seen, so that they need not be sent and read again. Nothing is ever served from here
 * unasked: each read asks for the session's version, and gets its data with it if that is another one.
 */
import type { Checkout } from '../../checkout/session.ts';
import { sameTenant, type Tenant } from '../../checkout/tenant.ts';
import { createLru } from '../../lib/lru.ts';
import { bytesOf, type CheckoutRow, checkoutFromRow } from '../columns.ts';
import { ledgerOf } from '../resources/checkouts.ts';
import { all, owned, type Read } from '../resources/read.ts';
import { sql as statement, textArray } from '../sql.ts';
import type { Sql } from './connection.ts';
import type { Pool } from './pool.ts';
import { runOn } from './run.ts';

const CACHE_BYTES = 64 * 2 ** 20;

export type CheckoutCache = ReturnType<typeof createCheckoutCache>;

/** Without data it is the version that was known. */
type ReadRow = Omit<CheckoutRow, 'data'> & { readonly data: string | null };

/** Versions of these sessions, and the rest of those whose version is another than was seen. */
function readChanged(tenant: Tenant, ids: readonly string[], versions: readonly number[]): Read<ReadRow[]> {
  const seen = { ids: textArray(ids), versions: `{${versions.join()}}` };
  return all(
    statement`SELECT id, checkout.version, event_count AS "eventCount",
        CASE WHEN checkout.version <> seen.version THEN data END AS data,
        CASE WHEN checkout.version <> seen.version THEN ${ledgerOf(tenant)} END AS payments
      FROM unnest(${seen.ids}::text[], ${seen.versions}::integer[]) AS seen (id, version) JOIN checkout USING (id)
      WHERE ${owned(tenant, 'checkout')} AND checkout.id = ANY (${seen.ids}::text[])`,
    (row: ReadRow) => row,
  );
}

export function createCheckoutCache() {
  const cache = createLru<string, Checkout>({ most: CACHE_BYTES, sizeOf: bytesOf });

  const known = (tenant: Tenant, id: string): Checkout | undefined => {
    const checkout = cache.get(id);
    return checkout && sameTenant(checkout.tenant, tenant) ? checkout : undefined;
  };

  function current(tenant: Tenant, row: ReadRow, seen: Checkout | undefined): Checkout {
    if (row.data === null) return seen as Checkout;
    const checkout = checkoutFromRow(tenant, { ...row, data: row.data });
    cache.set(row.id, checkout);
    return checkout;
  }

  return {
    /** Those that exist, by their ids. */
    async read(sql: Sql, tenant: Tenant, ids: readonly string[]): Promise<Map<string, Checkout>> {
      const seen = new Map(ids.map((id) => [id, known(tenant, id)]));
      const versions = ids.map((id) => seen.get(id)?.version ?? 0);
      const rows = await runOn(sql, readChanged(tenant, ids, versions));
      return new Map(rows.map((row) => [row.id, current(tenant, row, seen.get(row.id))]));
    },

    remember(checkout: Checkout): void {
      cache.set(checkout.id, checkout);
    },

    /** For a session that a list has read whole: the one in memory if it is the same version. */
    same(tenant: Tenant, row: CheckoutRow): Checkout {
      const seen = known(tenant, row.id);
      return seen?.version === row.version ? seen : checkoutFromRow(tenant, row);
    },

    /**
     * To be called when a connection has broken: behind it there may be another server now, which has not all that the
     * one before it had, and counts its versions from there.
     */
    forgetAll(): void {
      cache.clear();
    },
  };
}

/** Sessions that are read with one statement. */
const MAX_AT_ONCE = 256;

/**
 * Reads with one statement what is asked for in one turn of the event loop, for each tenant: a statement costs
 * more than a row. It is sent after the last of them has asked, so nobody gets what was older than the question.
 */
export function checkoutReader(pool: Pool, cache: CheckoutCache) {
  type Lookup = { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, Checkout>> };
  const lookups = new Map<number, Lookup>();

  function begin(tenant: Tenant, key: number): Lookup {
    const ids = new Set<string>();
    const turnIsOver = new Promise((resolve) => setImmediate(resolve));
    const found = turnIsOver.then(() => {
      if (lookups.get(key)?.ids === ids) lookups.delete(key);
      return pool.read(tenant, (sql) => cache.read(sql, tenant, [...ids]));
    });
    const lookup = { ids, found };
    lookups.set(key, lookup);
    return lookup;
  }

  return async (tenant: Tenant, id: string): Promise<Checkout | null> => {
    const key = 2 * tenant.account + Number(tenant.mode === 'live');
    const open = lookups.get(key);
    const { ids, found } = open && open.ids.size < MAX_AT_ONCE ? open : begin(tenant, key);
    ids.add(id);
    return (await found).get(id) ?? null;
  };
}
