/** Filters of lists of sessions: an entry for each that is a condition on a column. */
import type { CustomerId } from '../../checkout/ids.ts';
import type { PaymentStatus, Status } from '../../checkout/statuses.ts';
import { either, join, raw, type Sql, sql } from '../sql.ts';
import { type AskedOf, conditionsOf, isSet } from './read.ts';

type Entry = { readonly condition: (value: never) => Sql } & (
  | { readonly index: string }
  | { readonly by: 'class' | 'overview' }
);

/** PostgreSQL has what amounts and beginnings are asked of in rows of their own, which are narrow. */
const amount = either({ sqlite: raw('amount'), postgres: raw('overview.amount') });

/**
 * One that may find few has an `index`, and leads where it does. Of the others those with few values belong to the class,
 * and are in its index; and those of what changes with the items are looked at in the overview, in the order of the list.
 */
export const checkoutFilters = {
  status: { condition: (status: Status) => sql`status = ${status}`, by: 'class' },
  paymentStatus: { condition: (status: PaymentStatus) => sql`payment_status = ${status}`, by: 'class' },
  currency: { condition: (currency: string) => sql`invoice_currency = ${currency}`, by: 'class' },
  referenceId: { condition: (id: string) => sql`reference_id = ${id}`, index: 'checkout_reference' },
  customer: { condition: (id: CustomerId) => sql`customer = ${id}`, index: 'checkout_customer' },
  amountFrom: { condition: (from: number) => sql`${amount} >= ${from}`, by: 'overview' },
  amountTo: { condition: (to: number) => sql`${amount} <= ${to}`, by: 'overview' },
  partiallyPaid: { condition: (is: boolean) => isSet('partially_paid', is), by: 'class' },
  paidInExcess: { condition: (is: boolean) => isSet('paid_in_excess', is), by: 'class' },
} as const satisfies Readonly<Record<string, Entry>>;

type Columns = AskedOf<typeof checkoutFilters>;

export type CheckoutFilter = Columns & {
  readonly createdFrom?: number;
  readonly createdBefore?: number;
  readonly metadata?: ReadonlyArray<readonly [name: string, value: string]>;
  /** A prefix of the id, e-mail address or description in any case, or of the reference as it is written. */
  readonly search?: string;
};

type Name = keyof typeof checkoutFilters;
const entries = Object.entries(checkoutFilters) as ReadonlyArray<readonly [Name, Entry]>;
const namesBy = (by: 'class' | 'overview'): Name[] =>
  entries.flatMap(([name, entry]) => ('by' in entry && entry.by === by ? [name] : []));

const ofClass = namesBy('class');
const ofOverview = namesBy('overview');
const indexed = entries.flatMap(([name, entry]) => ('index' in entry ? [[name, entry.index] as const] : []));

const asksFor = (filter: CheckoutFilter, names: readonly Name[]): boolean =>
  names.some((name) => filter[name] !== undefined);

export const isClassified = (filter: CheckoutFilter): boolean => asksFor(filter, ofClass);
export const isRanged = (filter: CheckoutFilter): boolean => asksFor(filter, ofOverview);

/** The filter but for what the class has. */
export const besideClass = (filter: CheckoutFilter): CheckoutFilter => without(filter, ofClass);

/** The filter but for what is looked at in the overview, and the condition of that. */
export const besideRange = (filter: CheckoutFilter): CheckoutFilter => without(filter, ofOverview);
export const rangeIn = (filter: CheckoutFilter): Sql =>
  join(conditionsOf(checkoutFilters, only(filter, ofOverview)), ' AND ');

/** A filter that has an index of its own: the index, the condition, and the rest of the filter. */
export const indexedIn = (filter: CheckoutFilter) =>
  indexed
    .filter(([name]) => filter[name] !== undefined)
    .map(([name, index]) => ({
      index,
      conditions: conditionsOf(checkoutFilters, only(filter, [name])),
      rest: without(filter, [name]),
    }));

function only(filter: CheckoutFilter, names: readonly Name[]): Columns {
  return Object.fromEntries(names.map((name) => [name, filter[name]]));
}

function without(filter: CheckoutFilter, names: readonly Name[]): CheckoutFilter {
  const rest = { ...filter };
  for (const name of names) delete rest[name];
  return rest;
}
