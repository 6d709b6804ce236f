/** Helpers of the suites of lists and of batches that fail. */
import assert from 'node:assert/strict';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Page, PageRequest } from '../../src/store/page.ts';
import type { Unit } from '../../src/store/store.ts';
import { inOrder } from './deliveries.ts';

export const ALL = { limit: 100 };

/** Every page in both directions, with cursors at every row, is the stretch of `expected` that it has to be. */
export async function assertPaged(
  list: (page: PageRequest) => Promise<Page<{ readonly id: string }>>,
  expected: readonly string[],
): Promise<void> {
  const page = async (request: PageRequest) => {
    const { rows, hasMore } = await list(request);
    return [inOrder(rows), hasMore];
  };
  for (const limit of [1, 2, expected.length || 3, expected.length + 1]) {
    assert.deepEqual(await page({ limit }), [expected.slice(0, limit), expected.length > limit]);
    for (const [index, id] of expected.entries()) {
      const behind = expected.slice(index + 1);
      assert.deepEqual(await page({ limit, after: id }), [behind.slice(0, limit), behind.length > limit]);
      const first = Math.max(0, index - limit);
      assert.deepEqual(await page({ limit, before: id }), [expected.slice(first, index), first > 0]);
    }
  }
}

export const bug: Error = new Error('a bug');

/** A unit that fails its batch. */
export function failing(tenant: Tenant): Unit {
  return {
    needs: { tenant },
    decide() {
      throw bug;
    },
  };
}
