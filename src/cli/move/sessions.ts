/** A session and everything that follows from it: rows of several tables, which are only ever written together. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Checkout } from '../../checkout/session.ts';
import { awaitedTransfers, checkoutFrom, filterableMetadata, refundRows } from '../../store/columns.ts';
import type { Source, SourceRow, TenantClock } from './source.ts';
import { table } from './tables.ts';
import { insertRows, type Row, removeRows, type Transaction } from './target.ts';

const tenant = ({ account, live }: Row) => ({ account, live });

/** Rows that a session implies: its timer, metadata, attempts, refunds and awaited transfers. */
function followingFrom(row: Row) {
  const session = sessionFrom(row);
  const each = (rows: readonly object[]): Row[] => rows.map((one) => ({ ...one, ...tenant(row) }));
  const { id: checkout, attempts, metadata } = session;
  return {
    attempts: each(attempts.map(({ id, rail, reference }) => ({ id, rail, reference, checkout }))),
    refunds: each(refundRows(session)),
    awaited: each(awaitedTransfers(session)),
    metadata: each(filterableMetadata(metadata).map(([name, value]) => ({ name, value, checkout }))),
  };
}

/** The session without its ledger, account and mode, on which none of these rows depend. */
function sessionFrom(row: Row): Checkout {
  const { id, version, event_count, data } = row as {
    id: CheckoutId;
    version: number;
    event_count: number;
    data: string;
  };
  return checkoutFrom({ id, version, eventCount: event_count, data }, { account: 0, mode: 'test' }, []);
}

/** Ledger lines of these sessions. */
export function paymentsOf(source: Source, checkouts: readonly SourceRow[]): Row[] {
  return checkouts
    .filter(({ amount_paid }) => amount_paid !== 0)
    .flatMap(({ account, live, id }) =>
      source
        .all(
          `SELECT * FROM payment WHERE account = ? AND live = ? AND checkout = ? ORDER BY booked_at, rowid`,
          account as number,
          live as number,
          id as string,
        )
        .map((row, index) => ({ ...row, line: index + 1 })),
    );
}

export async function insertSessions(
  tx: Transaction,
  checkouts: readonly SourceRow[],
  payments: readonly Row[],
): Promise<void> {
  const timers = checkouts.filter(({ due_at }) => due_at !== null);
  const following = checkouts.map(followingFrom);
  await insertRows(tx, 'checkout', checkouts);
  await insertRows(tx, 'checkout_overview', checkouts);
  await insertRows(
    tx,
    'checkout_metadata',
    following.flatMap(({ metadata }) => metadata),
  );
  await insertRows(
    tx,
    'timer',
    timers.map((row) => ({ ...tenant(row), checkout: row.id, due_at: row.due_at })),
  );
  // Ledger lines are only ever added; copying a session again has left them in place.
  await insertRows(
    tx,
    'payment_attempt',
    following.flatMap(({ attempts }) => attempts),
    'ON CONFLICT DO NOTHING',
  );
  await insertRows(
    tx,
    'refund',
    following.flatMap(({ refunds }) => refunds),
  );
  await insertRows(
    tx,
    'awaited',
    following.flatMap(({ awaited }) => awaited),
  );
  await insertRows(tx, 'payment', payments);
}

/** Removes the copied rows of these sessions; sessions that were not copied yet are skipped. */
export async function removeSessions(
  tx: Transaction,
  place: TenantClock,
  ids: readonly string[],
): Promise<void> {
  const removed = await removeRows(
    tx,
    'checkout',
    ['account', 'live', 'id'],
    ids.map((id) => ({ ...place, id })),
  );
  const named = ids.map((id) => ({ ...place, id, checkout: id }));
  await removeRows(tx, 'checkout_overview', ['account', 'live', 'id'], named);
  for (const name of ['timer', 'payment', 'refund']) {
    await removeRows(tx, name, ['account', 'live', 'checkout'], named);
  }
  // No index leads from a session to these rows; the copied session says which there are.
  const following = removed.map(followingFrom);
  for (const [name, rows] of [
    ['checkout_metadata', following.flatMap(({ metadata }) => metadata)],
    ['awaited', following.flatMap(({ awaited }) => awaited)],
  ] as const) {
    await removeRows(tx, name, table(name).key, rows);
  }
}
