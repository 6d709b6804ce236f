/**
 * Sessions as they were last seen, so that they need not be sent and read again. Nothing is ever served from here
 * unasked: each read sends the revision that it knows, and gets what is gone or has another one.
 */
import type { Checkout } from '../../checkout/session.ts';
import { sameTenant, type Tenant } from '../../checkout/tenant.ts';
import { createLru } from '../../lib/lru.ts';
import { createSeenLately } from '../../lib/seen-lately.ts';
import { bytesOf, type CheckoutRow, checkoutFromRow } from '../columns.ts';
import { PAGE_LENGTH } from '../page.ts';
import { ledgerOf } from '../resources/checkouts.ts';
import { all, asItIs, type Ended, endedBy, owned, type Read } from '../resources/read.ts';
import { raw, sql as statement, textArray } from '../sql.ts';
import type { Sql } from './connection.ts';
import type { Pool } from './pool.ts';
import { runOn } from './run.ts';

const CACHE_BYTES = 64 * 2 ** 20;

export type CheckoutCache = ReturnType<typeof createCheckoutCache>;

/** A session, and how often its row was changed by then. */
export type Revision = { readonly checkout: Checkout; readonly revision: number };

type ChangedRow = CheckoutRow & Pick<Revision, 'revision'>;
/** A session of which no data was sent; without a revision there is none. */
type RestRow = Pick<CheckoutRow, 'id'> & { readonly revision: number | null; readonly data: null };
type ReadRow = (ChangedRow | RestRow) & Ended;

/** So many sessions may be long and be read at once. */
const FEW = 8;

/** Revision of a session that was never seen: real ones begin with 1. */
const UNSEEN = 0;

/**
 * Sessions among these that are gone, or whose revision is another than was seen: most reads find none. Of many that
 * are long some are left out. Where nearly all were seen, data comes of the others alone: to add up lengths takes
 * a tenth of the statement's time.
 */
function readChanged(tenant: Tenant, ids: readonly string[], revisions: readonly number[]): Read<ReadRow[]> {
  const seen = { ids: textArray(ids), revisions: `{${revisions.join()}}` };
  const unseen = revisions.filter((revision) => revision === UNSEEN).length;
  const ofWhich = ids.length > FEW && unseen <= FEW ? `seen.revision = ${UNSEEN}` : 'true';
  const isWhole = raw(ofWhich);
  const rows = statement`SELECT seen.id, checkout.version, checkout.revision, event_count AS "eventCount",
        CASE WHEN ${isWhole} THEN data END AS data, CASE WHEN ${isWhole} THEN ${ledgerOf(tenant)} END AS payments
      FROM unnest(${seen.ids}::text[], ${seen.revisions}::integer[]) AS seen (id, revision)
        LEFT JOIN checkout ON ${owned(tenant, 'checkout')} AND checkout.id = seen.id
      WHERE checkout.revision IS DISTINCT FROM seen.revision`;
  const length = statement`coalesce(octet_length(data), 0) + coalesce(octet_length(payments), 0)`;
  const isEnded = unseen > FEW;
  const sql = isEnded ? endedBy({ length, most: PAGE_LENGTH, order: statement`id COLLATE "C"` }, rows) : rows;
  return { ...all(sql, asItIs<ReadRow>), form: `changed sessions: ${ofWhich}, ${isEnded}` };
}

export function createCheckoutCache() {
  const cache = createLru<string, Revision>({
    most: CACHE_BYTES,
    sizeOf: ({ checkout }) => bytesOf(checkout),
  });

  const seenLately = createSeenLately();

  const known = (tenant: Tenant, id: string): Revision | undefined => {
    const seen = cache.get(id);
    return seen && sameTenant(seen.checkout.tenant, tenant) ? seen : undefined;
  };

  function current(tenant: Tenant, row: ChangedRow): Revision {
    const read = { checkout: checkoutFromRow(tenant, row), revision: row.revision };
    // A newer revision takes the place of what is in memory.
    if (known(tenant, row.id) !== undefined || seenLately(row.id)) cache.set(row.id, read);
    return read;
  }

  return {
    /** Those that exist, by their ids. Of many that are long it takes several answers of the server. */
    async read(
      sql: Sql,
      tenant: Tenant,
      ids: readonly string[],
      onAnswer = () => {},
    ): Promise<Map<string, Revision>> {
      const found = new Map<string, Revision>();
      let changed: ReadonlySet<string> = new Set();
      for (let left = ids; left.length > 0; ) {
        const seen = new Map(left.map((id) => [id, changed.has(id) ? undefined : known(tenant, id)]));
        const revisions = left.map((id) => seen.get(id)?.revision ?? UNSEEN);
        const rows = await runOn(sql, readChanged(tenant, left, revisions));
        onAnswer();
        // Sessions without a row are as they were seen.
        for (const [id, revision] of seen) if (revision !== undefined) found.set(id, revision);
        const without = new Set<string>();
        for (const row of rows) {
          found.delete(row.id);
          if (row.data !== null) found.set(row.id, current(tenant, row));
          else if (row.revision !== null) without.add(row.id);
        }
        const last = rows.at(-1);
        left = left.filter((id) => without.has(id) || (last?.follows && id > last.id));
        changed = without;
      }
      return found;
    },

    remember(changed: Revision): void {
      cache.set(changed.checkout.id, changed);
    },

    /** For a session that a list has read whole: the one in memory if it is the same version, which looks the same. */
    same(tenant: Tenant, row: CheckoutRow): Checkout {
      const seen = known(tenant, row.id)?.checkout;
      return seen?.version === row.version ? seen : checkoutFromRow(tenant, row);
    },

    /**
     * To be called when a connection has broken: behind it there may be another server now, which has not all that the
     * one before it had, and counts its revisions from there.
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
 * more than a row. Until one is answered, what is asked for waits for the next, so that many who ask are few
 * statements. Each is sent after the last of its callers has asked, so nobody gets what was older than the question.
 */
export function checkoutReader(pool: Pick<Pool, 'read'>, cache: Pick<CheckoutCache, 'read'>) {
  type Lookup = {
    readonly ids: Set<string>;
    readonly found: Promise<ReadonlyMap<string, Revision>>;
    /** Resolves with its first answer, or its failure. */
    readonly answered: Promise<void>;
    /** True as long as others may join. */
    isOpen: boolean;
  };
  /** The last of each tenant that is not over. */
  const lookups = new Map<number, Lookup>();

  function begin(tenant: Tenant, key: number): Lookup {
    const ids = new Set<string>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const turnIsOver = new Promise<void>((resolve) => setImmediate(resolve));
    const found = Promise.all([turnIsOver, lookups.get(key)?.answered]).then(() => {
      lookup.isOpen = false;
      return pool.read(tenant, (sql) => cache.read(sql, tenant, [...ids], answer));
    });
    const lookup: Lookup = { ids, found, answered, isOpen: true };
    lookups.set(key, lookup);
    const end = () => {
      answer();
      if (lookups.get(key) === lookup) lookups.delete(key);
    };
    found.then(end, end);
    return lookup;
  }

  return async (tenant: Tenant, id: string): Promise<Checkout | null> => {
    const key = 2 * tenant.account + Number(tenant.mode === 'live');
    const last = lookups.get(key);
    const { ids, found } = last?.isOpen && last.ids.size < MAX_AT_ONCE ? last : begin(tenant, key);
    ids.add(id);
    return (await found).get(id)?.checkout ?? null;
  };
}
