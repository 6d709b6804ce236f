/** Lists of sessions, read where a slow one holds up nobody else. */
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import { createOneATurn } from '../../lib/one-a-turn.ts';
import { createThreadPool } from '../../lib/thread-pool.ts';
import type { CheckoutRow } from '../columns.ts';
import { StoreClosed, StoreUnavailable } from '../errors.ts';
import { listTurns, serializerOf, TURN_MS, tooManyLists } from '../lists.ts';
import { type Page, type PageRequest, serializedPage } from '../page.ts';
import type { CheckoutFilter } from '../resources/checkout-filters.ts';
import { checkoutPage } from '../resources/checkout-lists.ts';
import type { Checkouts } from '../store.ts';
import type { CheckoutCache } from './checkouts.ts';
import type { JsonAnswer, JsonTask } from './json-thread.ts';
import type { Pool } from './pool.ts';
import { searchFor } from './run.ts';

/** Characters of rows of which the thread that answers makes JSON within half a millisecond, and hands them over within a tenth. */
const SHORT_LENGTH = 16 * 2 ** 10;

const limits = {
  threads: 2,
  ...listTurns,
  startMs: 10_000,
  /** The longest page takes a hundredth of it. */
  jobMs: 4_000,
  idleMs: 60_000,
  memory: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 },
};

const errors = {
  tooMany: tooManyLists,
  tooLong: () => new StoreUnavailable('a list took too long to write'),
  failed: (why: string) => new StoreUnavailable(`a thread that writes lists has failed: ${why}`),
};

type Lists = {
  readonly checkouts: Pick<Checkouts, 'list' | 'listSerialized'>;
  close(): Promise<void>;
};

/** `serve` is set if others wait to be answered while a long page is serialized. */
export function lists(pool: Pool, { same }: CheckoutCache, { serve }: { readonly serve: boolean }): Lists {
  const threads = createThreadPool<JsonTask, JsonAnswer>(new URL('./json-thread.ts', import.meta.url), {
    limits,
    errors,
  });
  /** Turns of short pages, in front of which the next list is sent. */
  const ownTurn = createOneATurn(TURN_MS);
  const search = <U>(
    tenant: Tenant,
    filter: CheckoutFilter,
    page: PageRequest,
    use: (found: Page<CheckoutRow>) => U | Promise<U>,
  ) => searchFor(pool, tenant, checkoutPage('postgres', tenant, filter, page), use);

  return {
    checkouts: {
      async list(tenant, filter, page) {
        const { rows, hasMore } = await search(tenant, filter, page, (found) => found);
        return { rows: rows.map((row) => same(tenant, row)), hasMore };
      },
      async listSerialized(tenant, filter, page, form) {
        const { checkoutUrl, hundredths } = form;
        const found = await search<Page<CheckoutRow> | JsonAnswer>(tenant, filter, page, (rows) =>
          serve && !isShort(rows)
            ? threads.run(tenantName(tenant), {
                tenant,
                found: rows,
                page,
                form: { checkoutUrl, hundredths },
              })
            : rows,
        );
        if ('failed' in found) throw new Error(found.failed);
        if ('json' in found) return found;
        await ownTurn();
        const serialize = serializerOf(form);
        return serializedPage(found, page, (row) => serialize(same(tenant, row)));
      },
    },
    close: () => threads.close(() => new StoreClosed()),
  };
}

function isShort({ rows }: Page<CheckoutRow>): boolean {
  let length = 0;
  for (const row of rows) length += row.data.length + (row.payments?.length ?? 0);
  return length <= SHORT_LENGTH;
}
