/** What databases keep of a session beside its JSON: the columns that lists filter by and that the worker looks for. */
import type { AttemptId, CheckoutId, RefundId } from '../checkout/ids.ts';
import {
  amountPaid,
  type Checkout,
  defaultPolicy,
  dueAt,
  isPaidInExcess,
  isPartiallyPaid,
  type Json,
  type Payment,
  paymentStatusOf,
  type RefundStatus,
  statusOf,
} from '../checkout/session.ts';
import type { Tenant } from '../checkout/tenant.ts';
import type { Endpoint } from '../webhooks/endpoint.ts';

/** How much of a description can be searched by its beginning. */
export const SEARCHABLE_DESCRIPTION_LENGTH = 64;
/** Longer values of metadata cannot be filtered by; they would make the index as large as the data. */
export const FILTERABLE_METADATA_LENGTH = 256;

/** The columns of the table `checkout` that are derived from a session, by their names. */
export function columnsOf(checkout: Checkout) {
  return {
    status: statusOf(checkout),
    payment_status: paymentStatusOf(checkout),
    invoice_currency: checkout.currency,
    amount: checkout.amount,
    amount_paid: amountPaid(checkout),
    partially_paid: isPartiallyPaid(checkout),
    paid_in_excess: isPaidInExcess(checkout),
    reference_id: checkout.referenceId,
    customer: checkout.payer.customer || null,
    email: searchable(checkout.payer.email) || null,
    description: searchable(checkout.description) || null,
    due_at: dueAt(checkout),
  };
}

/** What is kept of a session as JSON: all but what has a table or a column of its own. */
export function dataOf(checkout: Checkout): string {
  const { id, tenant, version, eventCount, payments, refunds, reversals, policy, ...data } = checkout;
  return JSON.stringify({
    ...data,
    // Most sessions have none of these; `checkoutFrom` puts them back.
    ...(refunds.length > 0 ? { refunds } : {}),
    ...(reversals.length > 0 ? { reversals } : {}),
    ...(policy === defaultPolicy ? {} : { policy }),
  });
}

/** The inverse of `dataOf`: a session from its row and its lines of the ledger. */
export function checkoutFrom(
  row: {
    readonly id: CheckoutId;
    readonly version: number;
    readonly eventCount: number;
    readonly data: string;
  },
  tenant: Tenant,
  payments: readonly Payment[],
): Checkout {
  const { id, version, eventCount } = row;
  const { refunds = [], reversals = [], policy = defaultPolicy, ...data } = JSON.parse(row.data);
  return {
    ...data,
    refunds,
    reversals,
    policy,
    id,
    tenant,
    version,
    eventCount,
    payments,
  };
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

export type RefundRow = {
  readonly id: RefundId;
  readonly checkout: CheckoutId;
  readonly rail: string;
  readonly state: RefundStatus;
};

/** The rows of the table `refund` that a session has: which are found by their ids, and which are still to be made. */
export function refundRows({ id: checkout, refunds }: Checkout): RefundRow[] {
  return refunds.map(({ id, rail, status }) => ({ id, checkout, rail, state: status }));
}

export type AwaitedRow = {
  readonly currency: string;
  readonly amount: number;
  readonly attempt: AttemptId;
  readonly checkout: CheckoutId;
};

/** The rows of the table `awaited` that a session has: its attempts that stand open until a transfer comes. */
export function awaitedTransfers({ id: checkout, currency, attempts }: Checkout): AwaitedRow[] {
  return attempts
    .filter(({ traits, status }) => traits.standing && status === 'requires_action')
    .map(({ id, amount }) => ({ currency, amount, attempt: id, checkout }));
}

/** What is kept of an endpoint as JSON: all but what has a column of its own. */
export function endpointDataOf(endpoint: Endpoint): string {
  const { id, tenant, version, eventCount, ...data } = endpoint;
  return JSON.stringify(data);
}

/** Roughly what a session takes in memory: what can be large is counted, twice since it is in its JSON again. */
export function bytesOf({
  items,
  description,
  metadata,
  attempts,
  payments,
  refunds,
  reversals,
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
        200 * reversals.length)
  );
}
