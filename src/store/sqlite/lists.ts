/** Lists: read in threads by who serves, and at once by a command that has nobody to answer meanwhile. */
import type { Checkout } from '../../checkout/session.ts';
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import { serialized } from '../lists.ts';
import type { Page } from '../page.ts';
import { checkoutPage } from '../resources/checkout-lists.ts';
import type { Read, Run } from '../resources/read.ts';
import type { Checkouts, Serialized } from '../store.ts';
import type { Access } from './access.ts';
import { soundCheckout } from './checkouts.ts';
import type { ReadTask } from './reader-thread.ts';
import type { Readers } from './readers.ts';
import { onSqlite, type Runner } from './run.ts';

type Lists = Pick<Checkouts, 'list' | 'listSerialized'> & { readonly run: Run };

const slow: ReadonlySet<Read<unknown>['by']> = new Set(['list', 'count']);

export function listsInThreads(runner: Runner, readers: Readers, { reading, readingLater }: Access): Lists {
  const inThread = readingLater((tenant: Tenant | undefined, task: ReadTask) =>
    readers.read(tenant === undefined ? '' : tenantName(tenant), task),
  );

  async function readInThread<T>({ sql, from, tenant }: Read<T>): Promise<T> {
    return from((await inThread(tenant, onSqlite(sql))) as readonly object[]);
  }

  return {
    run: (read) => (slow.has(read.by) ? readInThread(read) : reading(() => runner.read(read))()),
    async list(tenant, filter, page) {
      return (await inThread(tenant, { tenant, filter, page, checkoutUrl: null })) as Page<Checkout>;
    },
    async listSerialized(tenant, filter, page, { checkoutUrl }) {
      return (await inThread(tenant, { tenant, filter, page, checkoutUrl })) as Page<Serialized>;
    },
  };
}

export function listsAtOnce(runner: Runner, { reading }: Access): Lists {
  const list: Checkouts['list'] = reading((tenant, filter, page) => {
    const { rows, hasMore } = runner.steps(checkoutPage(tenant, filter, page));
    return { rows: rows.map((row) => soundCheckout(runner, tenant, row)), hasMore };
  });
  return { run: (read) => reading(() => runner.read(read))(), list, listSerialized: serialized(list) };
}
