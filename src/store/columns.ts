/** Sessions as rows: their own, and those of other tables that follow from them. */
import type { AttemptId } from '../checkout/ids.ts';
import { movementsOf } from '../checkout/movements.ts';
import {
  type Checkout,
  changed,
  checkoutOf,
  defaultPolicy,
  type Json,
  type Payer,
  type Payment,
} from '../checkout/session.ts';
import {
  amountDue,
  amountPaid,
  dueAt,
  isPaidInExcess,
  isPartiallyPaid,
  paymentStatusOf,
  statusOf,
} from '../checkout/statuses.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import { type AnyRow, type AnyTable, keyOf, type Row, type Table } from './tables.ts';
import { type Edit, type How, type Write, writeOf } from './writes.ts';

/** Length of the beginning of a description, by which it can be searched. */
export const SEARCHABLE_DESCRIPTION_LENGTH = 64;
/** Longer values of metadata cannot be filtered by; they would make the index as large as the data. */
export const FILTERABLE_METADATA_LENGTH = 256;

/** The columns of a session that are derived from it, by their names; PostgreSQL has some of them in other tables. */
export function checkoutColumns(checkout: Checkout) {
  return {
    status: statusOf(checkout),
    paymentStatus: paymentStatusOf(checkout),
    invoiceCurrency: checkout.currency,
    amount: checkout.amount,
    amountPaid: amountPaid(checkout),
    partiallyPaid: isPartiallyPaid(checkout),
    paidInExcess: isPaidInExcess(checkout),
    referenceId: checkout.referenceId,
    ...payerColumns(checkout.payer),
    description: searchable(checkout.description) || null,
    dueAt: dueAt(checkout),
  };
}

/** The columns of a session that follow from its payer: text, which erasing a customer makes anew. */
export function payerColumns({ customer, email }: Payer) {
  return { customer: customer || null, email: searchable(email) || null };
}

/** A session's own row: each column of the table, and those that only one database has there. */
export function checkoutRow(checkout: Checkout) {
  const { id, version, eventCount } = checkout;
  const own = { id, version, eventCount, data: dataOf(checkout) };
  return { ...checkoutColumns(checkout), ...own } satisfies Row<'checkout'>;
}

/** JSON of a session: all of it but what has a table or a column of its own. */
export function dataOf(checkout: Checkout): string {
  const { refunds, reversals, fees, policy } = checkout;
  const data: Data = checkoutOf(checkout);
  for (const name of inColumns) data[name] = undefined;
  // Most sessions have none of these, which JSON leaves out; `checkoutFrom` puts them back.
  if (refunds.length === 0) data.refunds = undefined;
  if (reversals.length === 0) data.reversals = undefined;
  if (fees.length === 0) data.fees = undefined;
  if (policy === defaultPolicy) data.policy = undefined;
  return JSON.stringify(data);
}

const inColumns = ['id', 'tenant', 'version', 'eventCount', 'payments'] as const;
type Data = { -readonly [K in keyof Checkout]: Checkout[K] | undefined };

/** A session with its ledger as JSON, or null where there are no payments. */
export type CheckoutRow = Pick<Row<'checkout'>, 'id' | 'version' | 'eventCount' | 'data'> & {
  readonly payments: string | null;
  readonly checksum?: number;
};

/** Columns of a line of the ledger, in its order as JSON. */
export const lineColumns = 'rail, reference, attempt, amount, booked_at, late';
type PaymentLine = readonly [
  rail: string,
  reference: string,
  attempt: AttemptId,
  amount: number,
  bookedAt: TenantTime,
  late: boolean | 0 | 1,
];

/** The lines of a ledger as JSON. */
export function paymentsFrom(ledger: string | null): readonly Payment[] {
  const lines: readonly PaymentLine[] = ledger === null ? [] : JSON.parse(ledger);
  return lines.map(
    ([rail, reference, attempt, amount, bookedAt, late]): Payment => ({
      rail,
      reference,
      attempt,
      amount,
      bookedAt,
      late: Boolean(late),
    }),
  );
}

export function checkoutFromRow(tenant: Tenant, row: CheckoutRow): Checkout {
  return checkoutFrom(row, tenant, paymentsFrom(row.payments));
}

/** One array for all that have none. */
const none: readonly never[] = [];

/** The inverse of `dataOf`: a session from its row and its lines of the ledger. */
export function checkoutFrom(
  { id, version, eventCount, data: stored }: Omit<CheckoutRow, 'payments'>,
  tenant: Tenant,
  payments: readonly Payment[],
): Checkout {
  const data = JSON.parse(stored);
  const { refunds = none, reversals = none, fees = none, policy = defaultPolicy } = data;
  const own = { id, tenant, version, eventCount, payments, refunds, reversals, fees, policy };
  return changed(data, own);
}

/** Text as prefix searches see it. The cut may go through a character; PostgreSQL takes no half of one. */
export function searchable(text: string): string {
  return text.slice(0, SEARCHABLE_DESCRIPTION_LENGTH).toLowerCase().toWellFormed();
}

/** The top-level entries of metadata that lists can filter by. */
export function filterableMetadata(
  metadata: Checkout['metadata'],
): Array<readonly [name: string, value: string]> {
  const entries: Array<readonly [string, string]> = [];
  for (const [name, value] of Object.entries(metadata)) {
    const text = filterableValue(value);
    if (text !== null && name.length <= FILTERABLE_METADATA_LENGTH) entries.push([name, text]);
  }
  return entries;
}

function filterableValue(value: Json): string | null {
  if (typeof value === 'object') return null;
  const text = String(value);
  return text.length <= FILTERABLE_METADATA_LENGTH ? text : null;
}

/** A session before and after a change; it was not there before it was made. */
export type CheckoutChange = { readonly before: Checkout | null; readonly after: Checkout };

/** A table whose rows follow from sessions, so that these are found by other keys than their own. */
export type Following<T extends AnyTable = Table> = Write<CheckoutChange, T> & {
  readonly rowsOf: (checkout: Checkout) => readonly AnyRow[];
};

/** `source` are the parts of a session that the rows are made from: nothing is to be done while they are the same. */
function following<T extends AnyTable>(
  table: T,
  source: ReadonlyArray<keyof Checkout>,
  rowsOf: (checkout: Checkout) => ReadonlyArray<Row<T> & AnyRow>,
  how: How<T> = {},
): Following<T> {
  const key = keyOf(table);
  function editsOf({ before, after }: CheckoutChange): readonly Edit[] {
    if (before === null) return rowsOf(after).map((put) => ({ put }));
    if (source.every((part) => before[part] === after[part])) return [];
    const known = new Map<string, AnyRow>(rowsOf(before).map((row) => [key(row), row]));
    const edits: Edit[] = [];
    for (const put of rowsOf(after)) {
      const old = known.get(key(put));
      if (old === undefined || write.sets.some((field) => old[field] !== put[field])) edits.push({ put });
      known.delete(key(put));
    }
    for (const gone of known.values()) edits.push({ gone });
    return edits;
  }
  const write = writeOf(table, editsOf, how);
  return { ...write, rowsOf };
}

/** The tables that both databases have. */
export const followingTables: readonly Following[] = [
  following('checkout_metadata', ['metadata'], ({ id: checkout, metadata }) =>
    filterableMetadata(metadata).map(([name, value]) => ({ name, value, checkout })),
  ),
  following(
    'payment_attempt',
    ['attempts'],
    ({ id: checkout, attempts }) =>
      attempts.map(({ id, rail, reference }) => ({ id, rail, reference, checkout })),
    { by: 'reference' },
  ),
  following(
    'payment',
    ['payments'],
    ({ id: checkout, currency, payments }) =>
      payments.map(({ rail, reference, attempt, amount, bookedAt, late }, index) => ({
        rail,
        reference,
        checkout,
        line: index + 1,
        attempt,
        amount,
        currency,
        bookedAt,
        late,
      })),
    { by: 'reference' },
  ),
  following(
    'refund',
    ['refunds'],
    ({ id: checkout, refunds }) =>
      refunds.map(({ id, rail, status, paymentFile = null }) => ({
        id,
        checkout,
        rail,
        state: status,
        paymentFile,
      })),
    { sets: ['state', 'paymentFile'] },
  ),
  following('movement', ['payments', 'refunds', 'reversals', 'fees', 'lifecycle'], movementsOf, {
    sets: ['amount', 'timeToPayMs', 'fee', 'feeCurrency'],
  }),
  // Attempts that stand open until a transfer comes.
  following('awaited', ['attempts', 'currency'], ({ id: checkout, currency, attempts }) =>
    attempts
      .filter(({ traits, status }) => traits.standing && status === 'requires_action')
      .map(({ id, amount }) => ({ currency, amount, attempt: id, checkout })),
  ),
];

/** Those of PostgreSQL: it has what changes often, or is asked often, in narrow rows beside that of the session. */
export const followingOnPostgres: ReadonlyArray<Following<AnyTable>> = [
  following(
    'checkout_overview',
    ['amount', 'description', 'payments', 'lifecycle'],
    (checkout) => [
      {
        id: checkout.id,
        amount: checkout.amount,
        description: searchable(checkout.description) || null,
        currency: checkout.currency,
        amountOpen: statusOf(checkout) === 'active' ? amountDue(checkout) : 0,
        amountExcess: Math.max(0, amountPaid(checkout) - checkout.amount),
      },
    ],
    { sets: 'all' },
  ),
  following(
    'timer',
    ['lifecycle', 'expiresAt', 'attempts', 'refunds'],
    (checkout) => {
      const at = dueAt(checkout);
      return at === null ? [] : [{ checkout: checkout.id, dueAt: at, leasedUntil: null }];
    },
    // A holder of a session need not be waited for once the session is due at another time.
    { sets: 'all' },
  ),
  ...followingTables,
];

/** Bytes of a session in memory, roughly: what can be large is counted, twice since it is in its JSON again. */
export function bytesOf({
  items,
  description,
  metadata,
  attempts,
  payments,
  refunds,
  reversals,
  fees,
}: Checkout): number {
  let characters = description.length + JSON.stringify(metadata).length;
  for (const refund of refunds) characters += JSON.stringify(refund.metadata).length;
  for (const item of items) characters += item.name.length + (item.description?.length ?? 0) + 100;
  return (
    2500 +
    2 *
      (2 * characters +
        800 * attempts.length +
        200 * payments.length +
        700 * refunds.length +
        200 * reversals.length +
        150 * fees.length)
  );
}
