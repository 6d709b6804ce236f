/** Lists: read in threads by who serves, and at once by a command that has nobody to answer meanwhile. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Checkout } from '../../checkout/session.ts';
import { type Tenant, tenantName } from '../../checkout/tenant.ts';
import type { Feed } from '../feed.ts';
import { serialized } from '../lists.ts';
import { unpack } from '../packed.ts';
import type { Page, SerializedPage } from '../page.ts';
import { checkoutPage } from '../resources/checkout-lists.ts';
import type { Read, Run } from '../resources/read.ts';
import type { Checkouts } from '../store.ts';
import type { Access } from './access.ts';
import { soundCheckout } from './checkouts.ts';
import type { PackedEvents, ReadTask } from './reader-thread.ts';
import type { Readers } from './readers.ts';
import { onSqlite, type Runner } from './run.ts';

type Lists = {
  readonly run: Run;
  readonly checkouts: Pick<Checkouts, 'list' | 'listSerialized'>;
  readonly feed: Pick<Feed, 'serialize'>;
};

const slow: ReadonlySet<Read<unknown>['by']> = new Set(['list', 'count']);

export function listsInThreads(runner: Runner, readers: Readers, { reading, readingLater }: Access): Lists {
  const inThread = readingLater((tenant: Tenant | undefined, task: ReadTask) =>
    readers.read(tenant === undefined ? '' : tenantName(tenant), task),
  );

  async function readInThread<T>({ sql, from, tenant, outlined = false }: Read<T>): Promise<T> {
    return from((await inThread(tenant, { ...onSqlite(sql), outlined })) as readonly object[]);
  }

  return {
    run: (read) => (slow.has(read.by) ? readInThread(read) : reading(() => runner.read(read))()),
    checkouts: {
      async list(tenant, filter, page) {
        return (await inThread(tenant, { tenant, filter, page, form: null })) as Page<Checkout>;
      },
      async listSerialized(tenant, filter, page, { checkoutUrl, hundredths }) {
        const form = { checkoutUrl, hundredths };
        return (await inThread(tenant, { tenant, filter, page, form })) as SerializedPage<CheckoutId>;
      },
    },
    feed: {
      async serialize(tenant, { sql }, form) {
        const { events, packed } = (await inThread(tenant, { ...onSqlite(sql), form })) as PackedEvents;
        const texts = unpack(packed);
        return events.map((event, index) => ({ ...event, json: texts[index] as Uint8Array }));
      },
    },
  };
}

export function listsAtOnce(runner: Runner, { reading }: Access): Lists {
  const list: Checkouts['list'] = reading((tenant, filter, page) => {
    const { rows, hasMore } = runner.steps(checkoutPage('sqlite', tenant, filter, page));
    return { rows: rows.map((row) => soundCheckout(runner, tenant, row)), hasMore };
  });
  return {
    run: (read) => reading(() => runner.read(read))(),
    checkouts: { list, listSerialized: serialized(list) },
    feed: {},
  };
}
