/** The query of the list of sessions, and the filter of the store that it stands for. */
import type { CustomerId } from '../../checkout/ids.ts';
import type { Problem } from '../../checkout/refusals.ts';
import { paymentStatusesOf } from '../../checkout/statuses.ts';
import { type Static, Type } from '../../lib/json-schema.ts';
import { withoutUndefined } from '../../lib/keys.ts';
import type { CheckoutFilter } from '../../store/store.ts';
import { pageQuery } from '../schemas/checkout.ts';
import { amount, closed, currency, text, timeOf, timestamp } from '../schemas/fields.ts';

const MAX_METADATA_FILTERS = 10;

export const listQuery = Type.Object(
  {
    ...pageQuery('chk'),
    status: Type.Optional(closed(['active', 'completed', 'expired'], 'Only sessions with this status.')),
    payment_status: Type.Optional(
      closed(['unpaid', 'paid', 'expired'], 'Only sessions with this payment status.'),
    ),
    invoice_currency: Type.Optional(currency),
    reference_id: Type.Optional(text(128, 'Only sessions with this reference.')),
    customer: Type.Optional(Type.Unsafe<CustomerId>(text(64, 'Only sessions of this customer.'))),
    'created_at[gte]': Type.Optional(timestamp('Only sessions created at this time or later.')),
    'created_at[lt]': Type.Optional(timestamp('Only sessions created before this time.')),
    'amount[gte]': Type.Optional(amount('Only sessions with at least this amount.')),
    'amount[lte]': Type.Optional(amount('Only sessions with at most this amount.')),
    partially_paid: Type.Optional(
      Type.Boolean({ description: 'Only sessions that are (or are not) partially paid.' }),
    ),
    paid_in_excess: Type.Optional(
      Type.Boolean({ description: 'Only sessions that are (or are not) paid in excess.' }),
    ),
    q: Type.Optional(text(64, 'Prefix of the id, reference, e-mail address or description.')),
  },
  {
    additionalProperties: false,
    patternProperties: {
      '^metadata\\[.{1,256}\\]$': text(
        256,
        `Only sessions with these values of top-level metadata keys, at most ${MAX_METADATA_FILTERS}: \`metadata[order_id]=A-1001\`.`,
      ),
    },
  },
);
type ListQuery = Static<typeof listQuery> & Record<string, unknown>;

/** Problems beyond what the schema says: each filter is a condition of its own, and databases limit their number. */
export function filterProblems(query: object): Problem[] {
  const tooMany = Object.keys(query).filter((name) => name.startsWith('metadata['))[MAX_METADATA_FILTERS];
  if (tooMany === undefined) return [];
  return [
    { pointer: `/${tooMany}`, detail: `exceeds the limit of ${MAX_METADATA_FILTERS} metadata filters` },
  ];
}

/** The filter of the store from the query of a list, which its schema has checked. */
export function filterOf(query: ListQuery): CheckoutFilter {
  const metadata = Object.entries(query).flatMap(([name, value]) => {
    const key = /^metadata\[(.+)\]$/s.exec(name)?.[1];
    return key === undefined ? [] : [[key, String(value)] as const];
  });
  return withoutUndefined<EachOf<CheckoutFilter>>({
    status: query.status,
    paymentStatus: query.payment_status,
    currency: query.invoice_currency?.toUpperCase(),
    referenceId: query.reference_id,
    customer: query.customer,
    createdFrom: timeOf(query['created_at[gte]']),
    createdBefore: timeOf(query['created_at[lt]']),
    amountFrom: query['amount[gte]'],
    amountTo: query['amount[lte]'],
    partiallyPaid: query.partially_paid,
    paidInExcess: query.paid_in_excess,
    metadata,
    search: query.q,
  });
}

/** True if no session can match: to look through all of them for nothing would take long. */
export function contradicts(filter: CheckoutFilter): boolean {
  const { status, paymentStatus, partiallyPaid, paidInExcess } = filter;
  const { amountFrom = 0, amountTo = amountFrom, createdFrom, createdBefore } = filter;
  return (
    (status !== undefined &&
      paymentStatus !== undefined &&
      !paymentStatusesOf[status].includes(paymentStatus)) ||
    (paidInExcess === true && (partiallyPaid === true || (paymentStatus ?? 'paid') !== 'paid')) ||
    amountFrom > amountTo ||
    (createdFrom !== undefined && createdBefore !== undefined && createdFrom >= createdBefore)
  );
}

/** Each of them, so that the compiler asks for what the query says of a filter. */
type EachOf<T> = { readonly [K in keyof T]-?: T[K] | undefined };
