/** The embedded database behind the store's interface: synchronous inside, one process, one connection. */

import type { DatabaseSync } from 'node:sqlite';
import { feedEnd } from '../resources/events.ts';
import { BATCH } from '../retention.ts';
import { resources } from '../shared.ts';
import { sql } from '../sql.ts';
import type { Store } from '../store.ts';
import { createAccess } from './access.ts';
import { checkoutReader } from './checkouts.ts';
import { committer } from './commit.ts';
import { directory } from './directory.ts';
import { endpointReader } from './endpoints.ts';
import { makeFile, openDatabase } from './open.ts';
import { enterToWrite, own } from './ownership.ts';
import { runner } from './run.ts';
import { type Serving, startServing } from './serving.ts';
import { inTransaction } from './transaction.ts';
import { workQueue } from './work.ts';

type Options = {
  /** Takes the sole right to serve the database; the command line does without, beside a server that runs. */
  readonly serve?: boolean;
  /** Brings the schema up to date, or makes it. */
  readonly migrates?: boolean;
  /** Gets a line for the operator when a server must not, or can hardly, use the database any more. */
  readonly onTrouble?: (text: string) => void;
};

/** `path` names the file. */
export function openSqliteStore(
  path: string,
  { serve = false, migrates = true, onTrouble = () => {} }: Options = {},
): Store {
  makeFile(path);
  if (!serve) {
    const leave = enterToWrite(path);
    return opened(leave, () => storeOn(openDatabase(path, { migrates }), null, leave));
  }
  const owned = own(path);
  return opened(owned.release, () => {
    const database = openDatabase(path, { migrates });
    return storeOn(database, startServing(database, path, owned, onTrouble), owned.release);
  });
}

function opened(leave: () => void, open: () => Store): Store {
  try {
    return open();
  } catch (error) {
    leave();
    throw error;
  }
}

function storeOn(database: DatabaseSync, server: Serving | null, leave: () => void): Store {
  const checkpoints = server?.checkpoints;
  const { reading, writing, changing, checkHealth } = createAccess(database, server?.watch ?? null, () =>
    checkpoints?.written(),
  );
  const run = runner(database);
  const checkouts = checkoutReader(run);
  const endpoints = endpointReader(run);
  const accounts = directory(database, run);
  const work = workQueue(run, endpoints);
  const commit = committer(database, run, {
    checkouts,
    endpoints,
    accountsChanged: accounts.refresh,
    committed: work.endLeases,
  });
  const commitNow = changing(commit);

  return {
    async commit(units) {
      const room = checkpoints?.room();
      if (room) await room;
      await commitNow(units);
    },
    // One connection has one transaction at a time, and it makes no difference whose data that is about.
    batching: { atOnce: 1, mixed: true },

    ...resources({
      run: (read) => reading(() => run.read(read))(),
      inTransaction: (steps) => writing(() => inTransaction(database, () => run.steps(steps)))(),
      checkouts: { fetch: reading(checkouts.read), same: checkouts.same },
      feed: { extend: async () => {}, end: reading((tenant) => run.read(feedEnd(tenant))) },
      directory: {
        accounts: reading(accounts.accounts),
        insert: writing(accounts.insert),
        change: writing(accounts.change),
        version: accounts.version,
      },
      work: {
        // All of them: they are in memory, and an index tells at once where nothing is due.
        listTenants: reading((_kind, realNow) => accounts.clocks(realNow)),
        claimCheckouts: reading(work.claimCheckouts),
        releaseCheckouts: reading(work.releaseCheckouts),
        claimDeliveries: reading(work.claimDeliveries),
      },
      retention: {
        listTenants: reading((_what, createdBefore) =>
          accounts.clocks(createdBefore).map(({ tenant }) => tenant),
        ),
        // The oldest are the first; looking further would read the whole table each time that there is little to forget.
        purgeAnswers: writing((createdBefore) =>
          run.change(sql`DELETE FROM idempotency WHERE created_at < ${createdBefore}
            AND rowid IN (SELECT rowid FROM idempotency ORDER BY rowid LIMIT ${BATCH})`),
        ),
      },
    }),
    endpoints: { list: reading(endpoints.list) },
    // The one process that serves the database is the only one that changes sessions.
    remote: { onCheckoutChange: () => {}, onEvents: () => {} },

    checkHealth,
    async close() {
      await server?.stop();
      database.close();
      leave();
    },
  };
}
