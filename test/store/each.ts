import { type TestContext, test } from 'node:test';
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

/** The store, and then the same database after a restart. */
export async function* alsoReopened({
  store,
  reopen,
}: Pick<Given, 'store' | 'reopen'>): AsyncGenerator<Store> {
  yield store;
  yield await reopen();
}
