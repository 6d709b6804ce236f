/** Every filter of a list by itself and with each other one, and all together: what indexes are held to. */

import type { PageRequest } from '../../src/store/page.ts';
import type { CheckoutFilter } from '../../src/store/store.ts';

export const filters = {
  none: {},
  status: { status: 'active' },
  payment_status: { paymentStatus: 'paid' },
  invoice_currency: { currency: 'EUR' },
  reference_id: { referenceId: 'order-1' },
  customer: { customer: 'cus_1' },
  'created_at[gte]': { createdFrom: 1 },
  'created_at[lt]': { createdBefore: 1 },
  'amount[gte]': { amountFrom: 1 },
  'amount[lte]': { amountTo: 1 },
  partially_paid: { partiallyPaid: true },
  paid_in_excess: { paidInExcess: true },
  metadata: { metadata: [['a', 'b']] },
  q: { search: 'order' },
} as const satisfies Record<string, CheckoutFilter>;

export type FilterName = keyof typeof filters;

const names = Object.keys(filters) as FilterName[];
const pairs = names.flatMap((a, index) => names.slice(index + 1).map((b) => [a, b]));

export const combinations: ReadonlyArray<readonly FilterName[]> = [
  ...names.map((name) => [name]),
  ...pairs,
  names,
];

export const combined = (combination: readonly FilterName[]): CheckoutFilter =>
  Object.assign({}, ...combination.map((name) => filters[name]));

export const pages: readonly PageRequest[] = [
  { limit: 20 },
  { limit: 20, after: 'chk_5' },
  { limit: 20, before: 'chk_5' },
];
