/** A session and everything that follows from it: rows of several tables, which are only ever written together. */
import { filterableMetadata } from '../store/columns.ts';
import type { Place, Source, SourceRow } from './source.ts';
import { insertRows, type Row, removeRows, type Transaction } from './target.ts';

type Data = {
  readonly metadata: Parameters<typeof filterableMetadata>[0];
  readonly attempts: ReadonlyArray<{
    readonly id: string;
    readonly rail: string;
    readonly reference: string;
  }>;
};

const tenant = ({ account, live }: Row) => ({ account, live });
const dataOf = (row: Row): Data => JSON.parse(String(row.data));

/** The lines of the ledger of these sessions. */
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
  const attempts = checkouts.flatMap((row) =>
    dataOf(row).attempts.map((attempt) => ({ ...attempt, ...tenant(row), checkout: row.id })),
  );
  await insertRows(tx, 'checkout', checkouts);
  await insertRows(tx, 'checkout_overview', checkouts);
  await insertRows(tx, 'checkout_metadata', checkouts.flatMap(metadataOf));
  await insertRows(
    tx,
    'timer',
    timers.map((row) => ({ ...tenant(row), checkout: row.id, due_at: row.due_at })),
  );
  // They are only ever added, and a session that is copied anew has left them where they were.
  await insertRows(tx, 'payment_attempt', attempts, 'ON CONFLICT DO NOTHING');
  await insertRows(tx, 'payment', payments);
}

/** Removes what was copied of these sessions; what it does not find was not copied yet. */
export async function removeSessions(tx: Transaction, place: Place, ids: readonly string[]): Promise<void> {
  const removed = await removeRows(
    tx,
    'checkout',
    ['account', 'live', 'id'],
    ids.map((id) => ({ ...place, id })),
  );
  const following = ids.map((id) => ({ ...place, id, checkout: id }));
  await removeRows(tx, 'checkout_overview', ['account', 'live', 'id'], following);
  await removeRows(tx, 'timer', ['account', 'live', 'checkout'], following);
  await removeRows(tx, 'payment', ['account', 'live', 'checkout'], following);
  await removeRows(
    tx,
    'checkout_metadata',
    ['account', 'live', 'name', 'value', 'checkout'],
    removed.flatMap(metadataOf),
  );
}

function metadataOf(row: Row): Row[] {
  return filterableMetadata(dataOf(row).metadata).map(([name, value]) => ({
    ...tenant(row),
    name,
    value,
    checkout: row.id,
  }));
}
