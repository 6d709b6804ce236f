/** Pages of lists, found with limits so low that few sessions are many: whatever way leads to them, they are the same. */
import assert from 'node:assert/strict';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { CheckoutRow } from '../../src/store/columns.ts';
import type { Page, PageRequest } from '../../src/store/page.ts';
import type { ListLimits } from '../../src/store/resources/checkout-leads.ts';
import { checkoutPage } from '../../src/store/resources/checkout-lists.ts';
import type { Dialect } from '../../src/store/sql.ts';
import type { Steps } from '../../src/store/steps.ts';
import type { CheckoutFilter } from '../../src/store/store.ts';
import { combinationsOf, titleOf } from './filters.ts';

type Run = (list: Steps<Page<CheckoutRow>>) => Promise<Page<CheckoutRow>>;

/**
 * Limits by which everything has many rows, and sessions are gone through one by one for none, some, or all; and such that
 * high amounts alone are few.
 */
const limits: readonly ListLimits[] = [
  { few: 0, near: 0, again: 0, sorted: 0 },
  { few: 0, near: 10, again: 0, sorted: 0 },
  { few: 0, near: 10, again: 1_000, sorted: 1_000_000 },
  { few: 0, near: 1_000_000, again: 0, sorted: 0 },
  { few: 40, near: 0, again: 0, sorted: 0 },
];

/**
 * Every filter, and each with each other, from the beginning, behind a session and before it; or those of these that are to be
 * tried.
 */
export async function comparePages(
  dialect: Dialect,
  tenant: Tenant,
  filters: readonly CheckoutFilter[],
  place: string,
  run: Run,
  isTried = () => true,
): Promise<void> {
  const requests: PageRequest[] = [{ limit: 7 }, { limit: 7, after: place }, { limit: 7, before: place }];
  let found = 0;
  let tried = 0;
  for (const filter of filters.flatMap(combinationsOf)) {
    for (const page of requests.filter(isTried)) {
      tried++;
      const expected = inShort(await run(checkoutPage(dialect, tenant, filter, page)));
      found += expected.ids.length;
      for (const limit of limits) {
        const title = `${titleOf(filter)} ${JSON.stringify([filter, page, limit])}`;
        assert.deepEqual(
          inShort(await run(checkoutPage(dialect, tenant, filter, page, limit))),
          expected,
          title,
        );
      }
    }
  }
  assert.ok(found > 2 * tried, `${found} sessions found by ${tried} lists`);
}

const inShort = ({ rows, hasMore }: Page<CheckoutRow>) => ({ ids: rows.map(({ id }) => id), hasMore });
