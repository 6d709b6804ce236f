import { after, type TestContext, test } from 'node:test';
import type { Tenant } from '../../src/checkout/tenant.ts';
import type { Store } from '../../src/store/store.ts';
import { type Open, type Opened, tenants } from './build.ts';

export type Given = Opened & {
  readonly store: Store;
  readonly mine: Tenant;
  readonly live: Tenant;
  readonly theirs: Tenant;
};

/** Declares tests that each get a database of their own, with two accounts in it. */
export function onFreshStores(open: Open) {
  return (name: string, body: (given: Given, t: TestContext) => Promise<void>): void => {
    test(name, async (t) => {
      const opened = await open();
      try {
        await body({ ...opened, ...(await tenants(opened.store)) }, t);
      } finally {
        await opened.close();
      }
    });
  };
}

/** What the suites of a database share. */
const shared = new WeakMap<Open, { opened: Opened | null }>();

/**
 * Declares tests that look at nothing but what belongs to their accounts: these are new for each, in one database of all such
 * suites. On PostgreSQL to open a store, and to empty its database, takes longer than most tests.
 */
export function onSharedStore(open: Open) {
  const all = shared.get(open) ?? { opened: null };
  if (!shared.has(open)) {
    shared.set(open, all);
    after(async () => {
      shared.delete(open);
      await all.opened?.close();
    });
  }
  return (name: string, body: (given: Given, t: TestContext) => Promise<void>): void => {
    test(name, async (t) => {
      all.opened ??= await open();
      const { reopen, ...opened } = all.opened;
      const reopened = async () => {
        const store = await reopen();
        all.opened = { ...opened, reopen, store };
        return store;
      };
      await body({ ...opened, reopen: reopened, ...(await tenants(opened.store)) }, t);
    });
  };
}

/** The store, and then the same database after a restart. */
export async function* alsoReopened({
  store,
  reopen,
}: Pick<Given, 'store' | 'reopen'>): AsyncGenerator<Store> {
  yield store;
  yield await reopen();
}
