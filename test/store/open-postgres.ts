/** PostgreSQL databases for the suites of the store. */
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import type { Store } from '../../src/store/store.ts';
import { createHooks } from '../support/hooks.ts';
import { emptyDatabase } from '../support/postgres-reuse.ts';
import type { Open } from './build.ts';

/** `fresh` gives a database with the newest schema and no rows for the time of a test. */
export function postgresOpener(fresh: typeof emptyDatabase = emptyDatabase): Open {
  return async () => {
    const hooks = createHooks();
    const url = await fresh(hooks);
    const open: Store[] = [];
    const opened = async (): Promise<Store> => {
      const store = await openPostgresStore(url, { serve: true });
      open.push(store);
      return store;
    };
    const closeAll = async () => {
      for (const store of open.splice(0)) await store.close();
    };
    return {
      store: await opened(),
      async reopen() {
        await closeAll();
        return opened();
      },
      another: opened,
      async close() {
        await closeAll();
        await hooks.run();
      },
    };
  };
}
