/** A watched folder on a fresh database, for tests. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createSerializer } from '../../src/checkout/serializer.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { watchStatements } from '../../src/worker/statement-folder.ts';
import { createWriter, type Execute } from '../../src/writer/writer.ts';
import { T, tenants } from '../store/build.ts';
import { freshDirectory } from '../support/process.ts';
import { receiveEuros } from '../support/statements.ts';

export const line = { amount: '25.00', text: 'Order 1001', reference: '2026020300000001' };
export const page = { limit: 100 };

/** A folder of one account, watched with a clock that the test moves. */
export async function setUp(t: TestContext, change: (store: Store) => Partial<Store> = () => ({})) {
  const database = openSqliteStore(join(freshDirectory(t), 'test.db'));
  t.after(() => database.close());
  const { mine, live } = await tenants(database);
  await receiveEuros(database, mine);
  const store: Store = { ...database, ...change(database) };
  let time = T;
  const realNow = () => time;
  const execute: Execute = createWriter({
    store,
    serializer: createSerializer('https://pay.example.com'),
    realNow,
  });
  const directory = freshDirectory(t);
  const logged: string[] = [];
  const log = {
    info: (_about: object, text: string) => logged.push(text),
    warn: (about: object, text: string) => logged.push(`! ${text}${'why' in about ? `: ${about.why}` : ''}`),
  };
  const start = () => watchStatements({ store, execute, directory, now: async () => time, realNow, log });
  const folder = start();
  const path = (...names: string[]) => join(directory, `${mine.account}-test`, ...names);
  mkdirSync(path());

  /** Looks twice, with time enough in between for what is there to have come to rest. */
  async function look(): Promise<void> {
    await folder.look();
    time += 10_000;
    await folder.look();
  }
  return {
    store,
    mine,
    live,
    directory,
    path,
    logged,
    folder,
    look,
    start,
    wait: (ms: number) => {
      time += ms;
    },
    put: (name: string, content: string) => writeFileSync(path(name), content),
    /** Files in the folder and below it, without the folders themselves. */
    files: () =>
      readdirSync(path(), { recursive: true, withFileTypes: true })
        .filter((each) => !each.isDirectory())
        .map((each) => join(each.parentPath, each.name).slice(path().length + 1))
        .sort(),
    entries: async (tenant = mine) => {
      const { rows } = await store.bankEntries.list(tenant, {}, page);
      return rows.map(({ remittance }) => remittance).sort();
    },
    statements: async () => (await store.bankFiles.list(mine, 'statement', page)).rows,
  };
}
