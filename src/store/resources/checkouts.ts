/** Sessions: found by what belongs to them, and listed by their indexes. */
import type { AttemptId, CheckoutId, CustomerId, RefundId } from '../../checkout/ids.ts';
import type { PaymentStatus, Status } from '../../checkout/session.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import { checksumIn } from '../checksum.ts';
import { type CheckoutChange, type CheckoutRow, searchable } from '../columns.ts';
import { byKey, load } from '../loads.ts';
import type { Page, PageRequest } from '../page.ts';
import { either, join, nothing, raw, type Sql, sql } from '../sql.ts';
import type { Row } from '../tables.ts';
import { amongRails, type RailReference, railKey } from './rail-reference.ts';
import {
  type AskedOf,
  all,
  type Bound,
  boundsOf,
  conditionsOf,
  indexedBy,
  inTime,
  isSet,
  one,
  owned,
  pageOf,
  type Read,
  single,
} from './read.ts';

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

const line = raw('rail, reference, attempt, amount, booked_at, late');

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
  return single(
    sql`SELECT json_group_array(json_array(${line})) AS payments
        FROM (SELECT ${line} ${paymentsOf(tenant, sql`${checkout}`)} ORDER BY rowid)`,
    ({ payments }: { readonly payments: string }) => payments,
  );
}

/** The columns of a `CheckoutRow`. */
const columns = (tenant: Tenant): Sql => sql`
  checkout.id, checkout.version, checkout.event_count AS "eventCount", checkout.data, ${ledgerOf(tenant)} AS payments${checksumIn('checkout')}`;

export function fetchCheckout(tenant: Tenant, id: CheckoutId): Read<CheckoutRow | null> {
  return one(
    sql`SELECT ${columns(tenant)} FROM checkout WHERE ${owned(tenant)} AND id = ${id}`,
    (row: CheckoutRow) => row,
  );
}

/** PostgreSQL has what amounts and beginnings are asked of in rows of their own, which are narrow. */
const amount = either({ sqlite: raw('amount'), postgres: raw('overview.amount') });

export const checkoutFilters = {
  status: (status: Status) => sql`status = ${status}`,
  paymentStatus: (status: PaymentStatus) => sql`payment_status = ${status}`,
  currency: (currency: string) => sql`invoice_currency = ${currency}`,
  referenceId: (id: string) => sql`reference_id = ${id}`,
  customer: (id: CustomerId) => sql`customer = ${id}`,
  amountFrom: (from: number) => sql`${amount} >= ${from}`,
  amountTo: (to: number) => sql`${amount} <= ${to}`,
  partiallyPaid: (is: boolean) => isSet('partially_paid', is),
  paidInExcess: (is: boolean) => isSet('paid_in_excess', is),
};

export type CheckoutFilter = AskedOf<typeof checkoutFilters> & {
  readonly createdFrom?: number;
  readonly createdBefore?: number;
  readonly metadata?: ReadonlyArray<readonly [name: string, value: string]>;
  /** A prefix of the id, e-mail address or description in any case, or of the reference as it is written. */
  readonly search?: string;
};

const FEW = 'checkout.rowid & 1023';

/**
 * Which rows are looked at, in the order of the list. What finds few among many leads, and the page is full after as
 * few rows as can be; all that is asked for besides is checked on each.
 */
export function checkoutList(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
): Read<Page<CheckoutRow>> {
  const { createdFrom, createdBefore, metadata = [], search, ...asked } = filter;
  const [led, ...further] = metadata;
  const ranged = filter.amountFrom !== undefined || filter.amountTo !== undefined;
  // The key of the metadata has its sessions in order: bounds and order are its, the session is fetched by its id.
  const key = led
    ? raw('found.checkout')
    : either({ sqlite: raw('checkout.id'), postgres: raw(ranged ? 'overview.id' : 'checkout.id') });
  const bounds = boundsOf(filter, page);
  const conditions = [
    ...(led ? [sql`${owned(tenant, 'found')} AND found.name = ${led[0]} AND found.value = ${led[1]}`] : []),
    inTime(FEW),
    owned(tenant, 'checkout'),
    ...conditionsOf(checkoutFilters, asked),
    ...further.map(
      ([name, value]) => sql`EXISTS (
        SELECT 1 FROM checkout_metadata AS further WHERE ${owned(tenant, 'further')}
          AND further.name = ${name} AND further.value = ${value} AND further.checkout = ${key})`,
    ),
  ];
  if (search !== undefined) {
    // Where nothing else is asked of what is found, no more than a page of each kind is needed.
    const most = conditions.length === 2 ? page : null;
    conditions.push(sql`${key} IN (${searched(tenant, search, bounds, most)})`);
  }
  return pageOf(
    {
      select: sql`SELECT ${columns(tenant)} FROM ${sourceOf(tenant, filter, ranged)}`,
      conditions,
      key,
      bounds,
      row: (row: CheckoutRow) => row,
      rare: true,
      searches: tenant,
    },
    page,
  );
}

/** The tables, and for SQLite what leads where it would not see that by itself. */
function sourceOf(tenant: Tenant, filter: CheckoutFilter, ranged: boolean): Sql {
  const { search, referenceId, customer, status, paymentStatus, currency } = filter;
  const overview = ranged
    ? either({
        postgres: sql` JOIN checkout_overview AS overview
          ON ${owned(tenant, 'overview')} AND overview.id = checkout.id`,
      })
    : nothing;
  if (filter.metadata?.length) {
    // SQLite keeps to the order of tables in a cross join.
    const join = either({ sqlite: raw('CROSS JOIN'), postgres: raw('JOIN') });
    return sql`checkout_metadata AS found ${join} checkout ON checkout.id = found.checkout${overview}`;
  }
  // Each of these finds few, by an index of its own.
  if (search !== undefined || referenceId !== undefined || customer !== undefined)
    return sql`checkout${overview}`;
  if (filter.partiallyPaid) return sql`checkout${indexedBy('checkout_partially_paid')}${overview}`;
  if (filter.paidInExcess) return sql`checkout${indexedBy('checkout_paid_in_excess')}${overview}`;
  // With nothing that says which rows to look at, the amounts are at hand in the order of the list.
  const narrowed = status !== undefined || paymentStatus !== undefined || currency !== undefined;
  return sql`checkout${indexedBy(ranged && !narrowed ? 'checkout_overview' : null)}${overview}`;
}

/** The ids of what begins with this; with `most` SQLite stops at a page of each kind. */
function searched(tenant: Tenant, search: string, bounds: readonly Bound[], most: PageRequest | null): Sql {
  const prefix = searchable(search);
  // With a cursor SQLite would rather go through all older sessions, so the index is named.
  const description = either({
    sqlite: sql`checkout${indexedBy('checkout_overview')}`,
    postgres: raw('checkout_overview'),
  });
  const branches = [
    branch(raw('checkout'), 'id', prefix),
    branch(sql`checkout${indexedBy('checkout_reference')}`, 'reference_id', search),
    branch(sql`checkout${indexedBy('checkout_email')}`, 'email', prefix),
    branch(description, 'description', prefix),
  ];
  return join(branches, ' UNION ALL ');

  function branch(table: Sql, column: string, prefix: string): Sql {
    const few = 'rowid & 1023';
    const within = bounds.map(([comparison, id]) => sql` AND id ${raw(comparison)} ${id}`);
    const all = sql`SELECT id FROM ${table} WHERE ${inTime(few)} AND ${owned(tenant)}
      AND ${raw(column)} >= ${prefix} AND ${raw(column)} < ${`${prefix}\u{10ffff}`}${join(within, '')}`;
    if (most === null) return all;
    const order = raw(most.before === undefined ? 'DESC' : 'ASC');
    const page = sql`SELECT id FROM (${all} ORDER BY id ${order} LIMIT ${most.limit + 1})`;
    return either({ sqlite: page, postgres: all });
  }
}
