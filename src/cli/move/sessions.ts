/** A session and everything that follows from it: rows of several tables, which are only ever written together. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Checkout, Payment } from '../../checkout/session.ts';
import type { TenantTime } from '../../checkout/tenant.ts';
import { checkoutFrom, followingOnPostgres } from '../../store/columns.ts';
import type { AnyRow } from '../../store/tables.ts';
import type { Source, SourceRow, SourceTenant } from './source.ts';
import { table } from './tables.ts';
import { insertRows, type Row, removeRows, type Transaction } from './target.ts';

const tenantOf = ({ account, live }: Row) => ({ account, live });

/** Lines of the ledger are copied as they are. */
const following = followingOnPostgres.filter(({ table }) => table !== 'payment');

/** Rows that follow from these sessions, which have these lines of the ledger, by table. */
function followingFrom(
  checkouts: readonly Row[],
  payments: readonly Row[],
): Array<readonly [name: string, rows: Row[]]> {
  const paid = Map.groupBy(payments, ({ account, live, checkout }) => keyOf(account, live, checkout));
  const sessions = checkouts.map((row) => ({
    row,
    session: sessionFrom(row, paid.get(keyOf(row.account, row.live, row.id)) ?? []),
  }));
  return following.map(({ table: name, rowsOf }) => {
    const { columns } = table(name);
    const named = (each: AnyRow) => Object.fromEntries(columns.map(({ name, field }) => [name, each[field]]));
    return [
      name,
      sessions.flatMap(({ row, session }) =>
        rowsOf(session).map((each) => ({ ...named(each), ...tenantOf(row) })),
      ),
    ];
  });
}

/** The databases differ in how they say which mode it is. */
const keyOf = (account: unknown, live: unknown, id: unknown) => `${account} ${Boolean(live)} ${id}`;

/** Nothing that follows from it asks for its account and mode. */
function sessionFrom(row: Row, payments: readonly Row[]): Checkout {
  const { id, version, event_count, data } = row as {
    id: CheckoutId;
    version: number;
    event_count: number;
    data: string;
  };
  const stored = { id, version, eventCount: event_count, data };
  return checkoutFrom(stored, { account: 0, mode: 'test' }, payments.map(paymentFrom));
}

function paymentFrom(row: Row): Payment {
  const { rail, reference, attempt, amount, booked_at, late } = row as Omit<Payment, 'bookedAt' | 'late'> & {
    booked_at: TenantTime;
    late: number | boolean;
  };
  return { rail, reference, attempt, amount, bookedAt: booked_at, late: Boolean(late) };
}

/** The lines of the ledger of these sessions. */
export function paymentsOf(source: Source, checkouts: readonly SourceRow[]): Row[] {
  return checkouts
    .filter(({ amount_paid }) => amount_paid !== 0)
    .flatMap(({ account, live, id }) =>
      source
        .all(
          `SELECT * FROM payment WHERE account = ? AND live = ? AND checkout = ? ORDER BY rowid`,
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
  // SQLite does not count the changes of its rows.
  const counted = checkouts.map((row) => ({ ...row, revision: 1 }));
  await insertRows(tx, 'checkout', counted);
  for (const [name, rows] of followingFrom(checkouts, payments)) {
    // Attempts are only ever added, and a session that is copied anew has left them where they were.
    await insertRows(tx, name, rows, name === 'payment_attempt' ? 'ON CONFLICT DO NOTHING' : '');
  }
  await insertRows(tx, 'payment', payments);
}

/** Removes what was copied of these sessions; what it does not find was not copied yet. */
export async function removeSessions(
  tx: Transaction,
  tenant: SourceTenant,
  ids: readonly string[],
): Promise<void> {
  const removed = await removeRows(
    tx,
    'checkout',
    ['account', 'live', 'id'],
    ids.map((id) => ({ ...tenant, id })),
  );
  const owned = ids.map((id) => ({ ...tenant, checkout: id }));
  const payments = await removeRows(tx, 'payment', ['account', 'live', 'checkout'], owned);
  // No index leads from a session to some of these; but what was copied of it says which there are.
  for (const [name, rows] of followingFrom(removed, payments)) {
    if (name !== 'payment_attempt') await removeRows(tx, name, table(name).key, rows);
  }
}
