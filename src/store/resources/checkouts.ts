/** Sessions: found by what belongs to them, and listed by their indexes. */
import type { AttemptId, CheckoutId, RefundId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { checksumIn } from '../checksum.ts';
import { type CheckoutChange, type CheckoutRow, lineColumns } from '../columns.ts';
import { byKey, load } from '../loads.ts';
import { either, raw, type Sql, sql } from '../sql.ts';
import type { Row } from '../tables.ts';
import { amongRails, type RailReference, railKey } from './rail-reference.ts';
import { all, one, owned, type Read, single } from './read.ts';

type Owner = { readonly checkout: CheckoutId };
const ownerOf = ({ checkout }: Owner): CheckoutId => checkout;

/** The ids of sessions that something else is known of. */
export const owners = {
  ofAttempt: (tenant: Tenant, attempt: AttemptId): Read<CheckoutId | null> =>
    one(sql`SELECT checkout FROM payment_attempt WHERE ${owned(tenant)} AND id = ${attempt}`, ownerOf),

  ofRefund: (tenant: Tenant, refund: RefundId): Read<CheckoutId | null> =>
    one(sql`SELECT checkout FROM refund WHERE ${owned(tenant)} AND id = ${refund}`, ownerOf),
};

type OwnerOfReference = RailReference & Owner;

/** Ids of the sessions that own attempts or payments of rails. */
export const loadOwners = load({
  keyOf: railKey,
  read: (tenant, references: readonly RailReference[]) => {
    const ownersIn = (table: string) =>
      sql`SELECT rail, reference, checkout FROM ${amongRails(table, references)} WHERE ${owned(tenant)}`;
    return byKey(
      sql`${ownersIn('payment')} UNION ALL ${ownersIn('payment_attempt')}`,
      (row: OwnerOfReference) => [railKey(row), row.checkout],
    );
  },
  apply(known, { checkout }: { readonly checkout?: CheckoutChange }) {
    if (!checkout) return;
    const { id, attempts, payments } = checkout.after;
    for (const each of [...attempts, ...payments]) known.set(railKey(each), id);
  },
});

type Awaited = Pick<Row<'awaited'>, 'checkout' | 'attempt'>;

export const checkouts = {
  /** The session that knows this attempt or payment of a rail. */
  idByReference: (tenant: Tenant, rail: string, reference: string): Read<CheckoutId | null> =>
    one(
      sql`SELECT checkout FROM payment_attempt
          WHERE ${owned(tenant)} AND rail = ${rail} AND reference = ${reference}
          UNION ALL
          SELECT checkout FROM payment
          WHERE ${owned(tenant)} AND rail = ${rail} AND reference = ${reference}`,
      ownerOf,
    ),

  /** Sessions in which an attempt waits for a transfer of this amount, the newest first, at most `limit`. */
  listAwaiting: (tenant: Tenant, currency: string, amount: number, limit: number): Read<Awaited[]> =>
    all(
      sql`SELECT checkout, attempt FROM awaited
          WHERE ${owned(tenant)} AND currency = ${currency} AND amount = ${amount}
          ORDER BY attempt DESC LIMIT ${limit}`,
      ({ checkout, attempt }: Awaited) => ({ checkout, attempt }),
    ),
};

const line = raw(lineColumns);

const paymentsOf = (tenant: Tenant, checkout: Sql): Sql =>
  sql`FROM payment WHERE ${owned(tenant, 'payment')} AND payment.checkout = ${checkout}`;

/**
 * The payments of the row of the table `checkout` as JSON, or null where there are none. On SQLite most sessions of a list
 * are in memory: there it only says whether there are any, for `fetchLedger`.
 */
export function ledgerOf(tenant: Tenant): Sql {
  const payments = either({
    sqlite: raw(`'${NOT_READ}'`),
    postgres: sql`(SELECT json_agg(json_build_array(${line}) ORDER BY line)::text
                   ${paymentsOf(tenant, raw('checkout.id'))})`,
  });
  return sql`CASE WHEN checkout.amount_paid > 0 THEN ${payments} END`;
}

export const NOT_READ = '';

/**
 * For SQLite. In the order of booking, which is not that of the times where the clock was set back; ordered where an index
 * has that order: json_group_array would sort for itself.
 */
export function fetchLedger(tenant: Tenant, checkout: CheckoutId): Read<string> {
  const ledger = single(
    sql`SELECT json_group_array(json_array(${line})) AS payments
        FROM (SELECT ${line} ${paymentsOf(tenant, sql`${checkout}`)} ORDER BY rowid)`,
    ({ payments }: { readonly payments: string }) => payments,
  );
  return { ...ledger, form: 'ledger of a session' };
}

/** The columns of a `CheckoutRow`. */
export const checkoutColumns = (tenant: Tenant): Sql => sql`
  checkout.id, checkout.version, checkout.event_count AS "eventCount", checkout.data, ${ledgerOf(tenant)} AS payments${checksumIn('checkout')}`;

/** A session's row, with the position of its newest event, which is where the next one goes on. */
type CheckoutRowWithEvent = CheckoutRow & { readonly lastEvent: number };

/** For SQLite. */
export function fetchCheckout(tenant: Tenant, id: CheckoutId): Read<CheckoutRowWithEvent | null> {
  const session = one(
    sql`SELECT ${checkoutColumns(tenant)}, last_event AS "lastEvent" FROM checkout WHERE ${owned(tenant)} AND id = ${id}`,
    (row: CheckoutRowWithEvent) => row,
  );
  return { ...session, form: 'session' };
}
