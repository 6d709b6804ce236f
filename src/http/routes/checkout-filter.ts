import { paymentStatusesOf } from '../../checkout/session.ts';
import type { CheckoutFilter } from '../../store/store.ts';
import { fieldsError } from '../errors.ts';
import { type ListQuery, MAX_METADATA_FILTERS } from '../schemas/checkout.ts';
import { parseTimestamp } from '../schemas/fields.ts';

/** The filter of the store from the query of a list, which its schema has checked. */
export function filterOf(query: ListQuery): CheckoutFilter {
  const metadata = Object.entries(query).flatMap(([name, value]) => {
    const key = /^metadata\[(.+)\]$/s.exec(name)?.[1];
    return key === undefined ? [] : [[key, String(value)] as const];
  });
  // Each filter is a condition of its own, and databases limit their number.
  const tooMany = metadata[MAX_METADATA_FILTERS]?.[0];
  if (tooMany !== undefined) {
    const detail = `exceeds the limit of ${MAX_METADATA_FILTERS} metadata filters`;
    throw fieldsError([{ pointer: `/metadata[${tooMany}]`, detail }], 'bad_query');
  }
  return withoutUndefined({
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
    metadata: metadata.length > 0 ? metadata : undefined,
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

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : (parseTimestamp(text) ?? undefined);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>;
}
