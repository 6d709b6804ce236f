/** Where sessions are found by the money that goes back, and by the transfers that they wait for. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Checkout } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { type AwaitedRow, awaitedTransfers, refundRows } from '../columns.ts';
import type { Page, PageRequest, RefundFilter } from '../store.ts';
import type { CheckoutReader } from './checkouts.ts';
import { type Condition, pageOf, pageQuery, type Query } from './page.ts';
import { liveOf, type Row } from './rows.ts';

/** Exported for the test that holds it to its index. */
export const awaitingSql = `
  SELECT checkout, attempt FROM awaited
  WHERE account = ? AND live = ? AND currency = ? AND amount = ? ORDER BY attempt DESC LIMIT ?`;

export function refundReader(database: DatabaseSync, checkouts: CheckoutReader) {
  const byId = database.prepare('SELECT checkout FROM refund WHERE account = ? AND live = ? AND id = ?');
  const awaiting = database.prepare(awaitingSql);

  function withCheckout(tenant: Tenant, { id, checkout: of }: Row) {
    const checkout = checkouts.read(tenant, of as string);
    if (checkout === null) throw new Error(`the session of refund ${id} is missing`);
    return { id: id as string, checkout };
  }

  return {
    checkoutOf(tenant: Tenant, id: string): Checkout | null {
      const row = byId.get(tenant.account, liveOf(tenant), id);
      return row === undefined ? null : checkouts.read(tenant, row.checkout as string);
    },

    list(
      tenant: Tenant,
      filter: RefundFilter,
      page: PageRequest,
    ): Page<{ readonly id: string; readonly checkout: Checkout }> {
      const { sql, values } = refundQuery(tenant, filter, page);
      const { rows, hasMore } = pageOf(database.prepare(sql).all(...values), page);
      return { rows: rows.map((row) => withCheckout(tenant, row)), hasMore };
    },

    awaiting: (tenant: Tenant, currency: string, amount: number, limit: number) =>
      awaiting
        .all(tenant.account, liveOf(tenant), currency, amount, limit)
        .map((row) => ({ checkout: row.checkout as string, attempt: row.attempt as string })),
  };
}

/** Exported for the tests that hold every filter to an index. */
export function refundQuery(
  tenant: Tenant,
  { checkout, rail, isPending }: RefundFilter,
  page: PageRequest,
): Query {
  const conditions: Condition[] = [
    checkout === undefined ? null : ['checkout = ?', checkout],
    rail === undefined ? null : ['rail = ?', rail],
    isPending ? ["state = 'pending'"] : null,
  ];
  const select = `SELECT id, checkout FROM refund${indexFor({ checkout, rail, isPending })}`;
  return pageQuery(select, tenant, conditions, page);
}

/** What finds few among many is asked first; SQLite would rather go through all in the order of the list. */
function indexFor({ checkout, rail, isPending }: Partial<Record<keyof RefundFilter, unknown>>): string {
  if (checkout !== undefined) return ' INDEXED BY refund_checkout';
  if (isPending) return ` INDEXED BY ${rail === undefined ? 'refund_pending' : 'refund_pending_rail'}`;
  return rail === undefined ? '' : ' INDEXED BY refund_rail';
}

/** Writes the rows by which a session is found; only those that differ from what they were. */
export function refundWriter(prepare: (sql: string) => StatementSync) {
  const upsertRefund = prepare(
    `INSERT INTO refund (account, live, id, checkout, rail, state) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (account, live, id) DO UPDATE SET state = excluded.state`,
  );
  const insertAwaited = prepare(
    'INSERT INTO awaited (account, live, currency, amount, attempt, checkout) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const deleteAwaited = prepare(
    'DELETE FROM awaited WHERE account = ? AND live = ? AND currency = ? AND amount = ? AND attempt = ?',
  );

  return (before: Checkout | null, after: Checkout): void => {
    const tenantKey = [after.tenant.account, liveOf(after.tenant)] as const;
    if (before?.refunds !== after.refunds) {
      const states = new Map(before?.refunds.map(({ id, status }) => [id, status]));
      for (const { id, checkout, rail, state } of refundRows(after)) {
        if (states.get(id) !== state) upsertRefund.run(...tenantKey, id, checkout, rail, state);
      }
    }
    const awaitedBefore = before === null ? [] : awaitedTransfers(before);
    const awaitedAfter = awaitedTransfers(after);
    for (const row of without(awaitedBefore, awaitedAfter)) {
      deleteAwaited.run(...tenantKey, row.currency, row.amount, row.attempt);
    }
    for (const row of without(awaitedAfter, awaitedBefore)) {
      insertAwaited.run(...tenantKey, row.currency, row.amount, row.attempt, row.checkout);
    }
  };
}

function without(rows: readonly AwaitedRow[], others: readonly AwaitedRow[]): readonly AwaitedRow[] {
  const isIn = (row: AwaitedRow) =>
    others.some(
      ({ currency, amount, attempt }) =>
        currency === row.currency && amount === row.amount && attempt === row.attempt,
    );
  return rows.filter((row) => !isIn(row));
}
