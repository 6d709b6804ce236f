/** SQLite databases for the suites of the store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import type { Open } from './build.ts';

export const openSqlite: Open = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-store-'));
  const path = join(directory, 'test.db');
  const open: Store[] = [];
  const opened = (serve: boolean): Store => {
    const store = openSqliteStore(path, { serve });
    open.push(store);
    return store;
  };
  const closeAll = async () => {
    for (const store of open.splice(0)) await store.close();
  };
  return {
    store: opened(true),
    async reopen() {
      await closeAll();
      return opened(true);
    },
    another: async () => opened(false),
    async close() {
      await closeAll();
      rmSync(directory, { recursive: true });
    },
  };
};
