/** Reads of pages of sessions: of those with some ids, and from row to row in the order of the list. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { CheckoutRow } from '../columns.ts';
import type { Page, PageRequest } from '../page.ts';
import { either, raw, type Sql, sql } from '../sql.ts';
import type { Steps } from '../steps.ts';
import { type CheckoutFilter, checkoutFilters, isClassified, isRanged } from './checkout-filters.ts';
import { begins } from './checkout-search.ts';
import { checkoutColumns } from './checkouts.ts';
import { type Bound, conditionsOf, indexedBy, inTime, owned, pageOf, RARELY } from './read.ts';

export const looksAtOverview = (filter: CheckoutFilter) => isRanged(filter) || filter.search !== undefined;

/** Rows in the order of the list: what to read them from, the column with their ids, and the condition that they fulfil. */
export type InOrder = { readonly from: Sql; readonly key: Sql; readonly condition: Sql };

/** The page of those with these ids that fulfil the filter. */
export function* among(tenant: Tenant, filter: CheckoutFilter, page: PageRequest, ids: Sql) {
  const isIn = either({
    sqlite: sql`checkout.id IN (${ids})`,
    postgres: sql`checkout.id = ANY (ARRAY(${ids}))`,
  });
  const from = looksAtOverview(filter) ? sql`checkout${overview(tenant)}` : raw('checkout');
  return yield* read(tenant, filter, page, { from, key: raw('checkout.id'), bounds: [], also: [isIn] });
}

/** The page from row to row in the order of the list, of an index that has it or of all. */
export function* walk(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
  bounds: readonly Bound[],
  inOrder?: InOrder,
) {
  if (inOrder !== undefined) {
    const { from, key, condition } = inOrder;
    return yield* read(tenant, filter, page, { from, key, bounds, also: [condition] });
  }
  const isPlain = !looksAtOverview(filter) && !isClassified(filter);
  const from = sql`checkout${indexedBy(isPlain ? null : 'checkout_overview')}`;
  return yield* read(tenant, filter, page, { from, key: raw('checkout.id'), bounds, also: [] });
}

type How = {
  readonly from: Sql;
  readonly key: Sql;
  readonly bounds: readonly Bound[];
  readonly also: readonly Sql[];
};

function* read(
  tenant: Tenant,
  filter: CheckoutFilter,
  page: PageRequest,
  { from, key, bounds, also }: How,
): Steps<Page<CheckoutRow>> {
  const { createdFrom: _, createdBefore: __, metadata = [], search, ...asked } = filter;
  const { sql: statement, from: pageFrom } = pageOf(
    {
      select: sql`SELECT ${checkoutColumns(tenant)} FROM ${from}`,
      conditions: [
        inTime(`checkout.${RARELY}`),
        owned(tenant, 'checkout'),
        ...also,
        ...conditionsOf(checkoutFilters, asked),
        ...(search === undefined ? [] : [begins(search)]),
        ...metadata.map(
          ([name, value]) => sql`EXISTS (
            SELECT 1 FROM checkout_metadata AS further WHERE ${owned(tenant, 'further')}
              AND further.name = ${name} AND further.value = ${value} AND further.checkout = ${key})`,
        ),
      ],
      key,
      bounds,
      length: sql`octet_length(data) + coalesce(octet_length(payments), 0)`,
      row: (row: CheckoutRow) => row,
    },
    page,
  );
  // The list of all, from whatever place on and in whatever direction.
  const isUsual = search === undefined && [...also, ...metadata, ...Object.keys(asked)].length === 0;
  return pageFrom(yield { ...statement, isUsual });
}

/** PostgreSQL has what changes with the items in rows of their own, which are narrow. */
const overview = (tenant: Tenant): Sql =>
  either({
    postgres: sql` JOIN checkout_overview AS overview ON ${owned(tenant, 'overview')} AND overview.id = checkout.id`,
  });
