/** Sessions: read through a cache, listed by their indexes. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Checkout, Scope } from '../../checkout/session.ts';
import { firstIdAt } from '../../id.ts';
import { checkoutFrom, searchable } from '../columns.ts';
import type { CheckoutFilter, Page, PageRequest } from '../store.ts';
import { liveOf, paymentFrom, type Row } from './rows.ts';

/** Sessions kept in memory; about 3 KiB each with the JSON that is made from them. */
export const CACHED_CHECKOUTS = 25_000;

const columns = 'id, version, event_count, amount_paid, data';

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
  const cache = new LRUCache<string, Checkout>({ max: CACHED_CHECKOUTS });

  function fromRow(scope: Scope, row: Row): Checkout {
    const payments =
      row.amount_paid === 0
        ? []
        : ledger.all(scope.account, liveOf(scope), row.id as string).map((line) => paymentFrom(line as Row));
    return checkoutFrom(
      {
        id: row.id as string,
        version: row.version as number,
        eventCount: row.event_count as number,
        data: row.data as string,
      },
      scope,
      payments,
    );
  }

  function read(scope: Scope, id: string): Checkout | null {
    // Ids are unique across accounts, and yet a session may only be found by its own.
    const cached = cache.get(id);
    if (cached)
      return cached.scope.account === scope.account && cached.scope.mode === scope.mode ? cached : null;
    const row = byId.get(scope.account, liveOf(scope), id);
    if (row === undefined) return null;
    const checkout = fromRow(scope, row as Row);
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

    readByAttempt(scope: Scope, attemptId: string): Checkout | null {
      const row = ofAttempt.get(scope.account, liveOf(scope), attemptId);
      return row === undefined ? null : read(scope, row.checkout as string);
    },

    list(scope: Scope, filter: CheckoutFilter, page: PageRequest): Page<Checkout> {
      const { sql, values } = listQuery(scope, filter, page);
      const rows = database.prepare(sql).all(...values) as Row[];
      const hasMore = rows.length > page.limit;
      const shown = rows
        .slice(0, page.limit)
        .map((row) => cache.get(row.id as string) ?? fromRow(scope, row));
      return { rows: page.before === undefined ? shown : shown.reverse(), hasMore };
    },
  };
}

/** Exported for the test that holds every filter to an index. */
export function listQuery(
  scope: Scope,
  filter: CheckoutFilter,
  page: PageRequest,
): { sql: string; values: SQLInputValue[] } {
  const tenant: SQLInputValue[] = [scope.account, liveOf(scope)];
  const conditions = ['account = ? AND live = ?'];
  const values: SQLInputValue[] = [...tenant];
  const add = (condition: string, ...bound: SQLInputValue[]) => {
    conditions.push(condition);
    values.push(...bound);
  };

  if (filter.status !== undefined) add('status = ?', filter.status);
  if (filter.paymentStatus !== undefined) add('payment_status = ?', filter.paymentStatus);
  if (filter.currency !== undefined) add('invoice_currency = ?', filter.currency);
  if (filter.referenceId !== undefined) add('reference_id = ?', filter.referenceId);
  if (filter.customer !== undefined) add('customer = ?', filter.customer);
  // Nothing so far has an index of its own that says which rows to look at; the amounts are at hand in theirs.
  const alone = conditions.length === 1 && filter.metadata === undefined && filter.search === undefined;
  const ranged = filter.amountFrom !== undefined || filter.amountTo !== undefined;
  const source = ranged && alone ? 'checkout INDEXED BY checkout_amount' : 'checkout';
  if (filter.amountFrom !== undefined) add('amount >= ?', filter.amountFrom);
  if (filter.amountTo !== undefined) add('amount <= ?', filter.amountTo);
  if (filter.partiallyPaid !== undefined) add(`partially_paid = ${Number(filter.partiallyPaid)}`);
  if (filter.paidInExcess !== undefined) add(`paid_in_excess = ${Number(filter.paidInExcess)}`);
  // Ids begin with the time at which they were made, so the order of ids serves ranges of time.
  if (filter.createdFrom !== undefined) add('id >= ?', firstIdAt('chk', filter.createdFrom));
  if (filter.createdBefore !== undefined) add('id < ?', firstIdAt('chk', filter.createdBefore));
  for (const [name, value] of filter.metadata ?? []) {
    add(
      `id IN (SELECT checkout FROM checkout_metadata
              WHERE account = ? AND live = ? AND name = ? AND value = ?)`,
      ...tenant,
      name,
      value,
    );
  }
  if (filter.search !== undefined) {
    const from = searchable(filter.search);
    const matches = ['id', 'reference_id', 'email', 'description'].map((column) => {
      const prefix = column === 'reference_id' ? (filter.search ?? '') : from;
      values.push(...tenant, prefix, `${prefix}\u{10ffff}`);
      return `SELECT id FROM checkout WHERE account = ? AND live = ? AND ${column} >= ? AND ${column} < ?`;
    });
    conditions.push(`id IN (${matches.join(' UNION ALL ')})`);
  }
  if (page.after !== undefined) add('id < ?', page.after);
  if (page.before !== undefined) add('id > ?', page.before);

  const direction = page.before === undefined ? 'DESC' : 'ASC';
  values.push(page.limit + 1);
  return {
    sql: `SELECT ${columns} FROM ${source} WHERE ${conditions.join(' AND ')} ORDER BY id ${direction} LIMIT ?`,
    values,
  };
}
