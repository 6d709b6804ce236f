/** Sessions: read through a cache, listed by their indexes. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import { bytesOf, checkoutFrom, searchable } from '../columns.ts';
import type { CheckoutFilter, Page, PageRequest } from '../store.ts';
import { liveOf, paymentFrom, type Row } from './rows.ts';

/** What sessions kept in memory may take, with the JSON that is made from them; a usual one takes 3 KiB. */
const CACHE_BYTES = 96 * 2 ** 20;

const columns = 'id, version, event_count, amount_paid > 0 AS has_payments, data';

export type CheckoutReader = ReturnType<typeof checkoutReader>;

/**
 * What is read stays in memory. Sessions change only on this connection, and its commits put what they wrote here, so
 * a read is never older than the last commit.
 */
export function checkoutReader(database: DatabaseSync) {
  const byId = database.prepare(`SELECT ${columns} FROM checkout WHERE account = ? AND live = ? AND id = ?`);
  const ledger = database.prepare(
    `SELECT rail, reference, attempt, amount, booked_at, late FROM payment
     WHERE account = ? AND live = ? AND checkout = ? ORDER BY booked_at, rowid`,
  );
  const ofAttempt = database.prepare(
    'SELECT checkout FROM payment_attempt WHERE account = ? AND live = ? AND id = ?',
  );
  const attemptOfRail = database.prepare(
    'SELECT checkout FROM payment_attempt WHERE account = ? AND live = ? AND rail = ? AND reference = ?',
  );
  const paymentOfRail = database.prepare(
    'SELECT checkout FROM payment WHERE account = ? AND live = ? AND rail = ? AND reference = ?',
  );
  const cache = new LRUCache<string, Checkout>({ maxSize: CACHE_BYTES, sizeCalculation: bytesOf });

  function fromRow(tenant: Tenant, row: Row): Checkout {
    const payments =
      row.has_payments === 0
        ? []
        : ledger
            .all(tenant.account, liveOf(tenant), row.id as string)
            .map((line) => paymentFrom(line as Row));
    return checkoutFrom(
      {
        id: row.id as string,
        version: row.version as number,
        eventCount: row.event_count as number,
        data: row.data as string,
      },
      tenant,
      payments,
    );
  }

  function read(tenant: Tenant, id: string): Checkout | null {
    // Ids are unique across accounts, and yet a session may only be found by its own.
    const cached = cache.get(id);
    if (cached)
      return cached.tenant.account === tenant.account && cached.tenant.mode === tenant.mode ? cached : null;
    const row = byId.get(tenant.account, liveOf(tenant), id);
    if (row === undefined) return null;
    const checkout = fromRow(tenant, row as Row);
    cache.set(id, checkout);
    return checkout;
  }

  return {
    read,

    remember(checkout: Checkout): void {
      cache.set(checkout.id, checkout);
    },

    forgetAll(): void {
      cache.clear();
    },

    readByAttempt(tenant: Tenant, attemptId: string): Checkout | null {
      const row = ofAttempt.get(tenant.account, liveOf(tenant), attemptId);
      return row === undefined ? null : read(tenant, row.checkout as string);
    },

    /** Which session knows this attempt or payment of a rail. */
    ownerOfReference(tenant: Tenant, rail: string, reference: string): string | null {
      const key = [tenant.account, liveOf(tenant), rail, reference] as const;
      const row = attemptOfRail.get(...key) ?? paymentOfRail.get(...key);
      return row === undefined ? null : (row.checkout as string);
    },

    list(tenant: Tenant, filter: CheckoutFilter, page: PageRequest): Page<Checkout> {
      const { sql, values } = listQuery(tenant, filter, page);
      const rows = database.prepare(sql).all(...values) as Row[];
      const hasMore = rows.length > page.limit;
      const shown = rows
        .slice(0, page.limit)
        .map((row) => cache.get(row.id as string) ?? fromRow(tenant, row));
      return { rows: page.before === undefined ? shown : shown.reverse(), hasMore };
    },
  };
}

/**
 * Which rows are looked at, in the order of the list. What finds few among many leads, and the page is full after as
 * few rows as can be; all that is asked for besides is checked on each. Exported for the tests that hold every filter
 * to an index.
 */
export function listQuery(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
): { sql: string; values: SQLInputValue[] } {
  const tenantKey: SQLInputValue[] = [tenant.account, liveOf(tenant)];
  const [led, ...further] = filter.metadata ?? [];
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (condition: string, ...bound: SQLInputValue[]) => {
    conditions.push(condition);
    values.push(...bound);
  };

  // The key of the metadata has its sessions in order: bounds and order are its, the session is fetched by its id.
  const key = led ? 'found.checkout' : 'id';
  if (led)
    add('found.account = ? AND found.live = ? AND found.name = ? AND found.value = ?', ...tenantKey, ...led);
  add('checkout.account = ? AND checkout.live = ?', ...tenantKey);
  if (filter.status !== undefined) add('status = ?', filter.status);
  if (filter.paymentStatus !== undefined) add('payment_status = ?', filter.paymentStatus);
  if (filter.currency !== undefined) add('invoice_currency = ?', filter.currency);
  if (filter.referenceId !== undefined) add('reference_id = ?', filter.referenceId);
  if (filter.customer !== undefined) add('customer = ?', filter.customer);
  if (filter.amountFrom !== undefined) add('amount >= ?', filter.amountFrom);
  if (filter.amountTo !== undefined) add('amount <= ?', filter.amountTo);
  if (filter.partiallyPaid !== undefined) add(`partially_paid = ${Number(filter.partiallyPaid)}`);
  if (filter.paidInExcess !== undefined) add(`paid_in_excess = ${Number(filter.paidInExcess)}`);
  for (const [name, value] of further) {
    add(
      `EXISTS (SELECT 1 FROM checkout_metadata AS further WHERE further.account = ? AND further.live = ?
               AND further.name = ? AND further.value = ? AND further.checkout = found.checkout)`,
      ...tenantKey,
      name,
      value,
    );
  }
  const bounds = boundsOf(filter, page);
  for (const [comparison, id] of bounds) add(`${key} ${comparison} ?`, id);

  const direction = page.before === undefined ? 'DESC' : 'ASC';
  const limit = page.limit + 1;
  if (filter.search !== undefined) {
    // Nothing else is asked of what is found, so that no more than a page of each kind is needed.
    const alone = conditions.length === 1 + bounds.length;
    const branches = searchBranches(filter.search).map(({ table, column, prefix }) => {
      values.push(...tenantKey, prefix, `${prefix}\u{10ffff}`, ...bounds.map(([, id]) => id));
      const within = bounds.map(([comparison]) => ` AND id ${comparison} ?`).join('');
      const branch = `SELECT id FROM ${table}
        WHERE account = ? AND live = ? AND ${column} >= ? AND ${column} < ?${within}`;
      if (!alone) return branch;
      values.push(limit);
      return `SELECT id FROM (${branch} ORDER BY id ${direction} LIMIT ?)`;
    });
    conditions.push(`${key} IN (${branches.join(' UNION ALL ')})`);
  }
  values.push(limit);
  return {
    sql: `SELECT ${columns} FROM ${sourceOf(filter)} WHERE ${conditions.join(' AND ')}
          ORDER BY ${key} ${direction} LIMIT ?`,
    values,
  };
}

/** The table that leads, where SQLite would not see by itself which it is. */
function sourceOf(filter: CheckoutFilter): string {
  if (filter.metadata?.length) {
    // A cross join, because SQLite keeps to the order of its tables.
    return 'checkout_metadata AS found CROSS JOIN checkout ON checkout.id = found.checkout';
  }
  // Each of these finds few, by an index of its own.
  const { search, referenceId, customer, status, paymentStatus, currency, amountFrom, amountTo } = filter;
  if (search !== undefined || referenceId !== undefined || customer !== undefined) return 'checkout';
  if (filter.partiallyPaid) return 'checkout INDEXED BY checkout_partially_paid';
  if (filter.paidInExcess) return 'checkout INDEXED BY checkout_paid_in_excess';
  // With nothing that says which rows to look at, the amounts are at hand in the order of the list.
  const ranged = amountFrom !== undefined || amountTo !== undefined;
  const narrowed = status !== undefined || paymentStatus !== undefined || currency !== undefined;
  return ranged && !narrowed ? 'checkout INDEXED BY checkout_overview' : 'checkout';
}

type Bound = readonly [comparison: '<' | '>' | '>=', id: string];

/**
 * Ids begin with the time at which they were made, so the order of ids serves ranges of time as well as pages. At most
 * one bound to each side: of two, SQLite would seek by one and check every row with the other.
 */
function boundsOf({ createdFrom, createdBefore }: CheckoutFilter, { after, before }: PageRequest): Bound[] {
  const from = createdFrom === undefined ? '' : firstIdAt('chk', createdFrom);
  const ends = createdBefore === undefined ? [] : [firstIdAt('chk', createdBefore)];
  if (after !== undefined) ends.push(after);
  const [end] = ends.sort();
  const bounds: Bound[] = [];
  if (before !== undefined && before >= from) bounds.push(['>', before]);
  else if (createdFrom !== undefined) bounds.push(['>=', from]);
  if (end !== undefined) bounds.push(['<', end]);
  return bounds;
}

type Branch = { readonly table: string; readonly column: string; readonly prefix: string };

/** Where a search looks. With a cursor SQLite would rather go through all older sessions, so the index is named. */
function searchBranches(search: string): readonly Branch[] {
  const prefix = searchable(search);
  return [
    { table: 'checkout', column: 'id', prefix },
    { table: 'checkout INDEXED BY checkout_reference', column: 'reference_id', prefix: search },
    { table: 'checkout INDEXED BY checkout_email', column: 'email', prefix },
    { table: 'checkout INDEXED BY checkout_overview', column: 'description', prefix },
  ];
}
