/** The embedded database behind the store's interface: synchronous inside, one process, one connection. */

import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../errors.ts';
import { feedEnd } from '../resources/events.ts';
import { BATCH } from '../retention.ts';
import { resources } from '../shared.ts';
import { sql } from '../sql.ts';
import type { Store } from '../store.ts';
import { checkoutReader } from './checkouts.ts';
import { startCheckpoints } from './checkpoint.ts';
import { committer } from './commit.ts';
import { directory } from './directory.ts';
import { endpointReader } from './endpoints.ts';
import { makeFile, openDatabase } from './open.ts';
import { enterToWrite, own } from './ownership.ts';
import { runner } from './run.ts';
import { inTransaction } from './transaction.ts';
import { workQueue } from './work.ts';

/** How long the outcome of a trial write answers for the next health checks. */
const HEALTH_CHECK_EVERY_MS = 500;

/** SQLITE_BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN: the primary result codes that are not our mistake. */
const environmentErrors = new Set([5, 6, 8, 10, 11, 13, 14]);

/**
 * `path` names the file. `serve` takes the sole right to serve it: the command line opens it without, beside a server
 * that runs, and without `migrates`.
 */
export function openSqliteStore(path: string, { serve = false, migrates = true } = {}): Store {
  makeFile(path);
  const leave = serve ? own(path).release : enterToWrite(path);
  try {
    return storeOn(openDatabase(path, { migrates }), { path, serve, leave });
  } catch (error) {
    leave();
    throw error;
  }
}

type Serving = { readonly path: string; readonly serve: boolean; readonly leave: () => void };

function storeOn(database: DatabaseSync, { path, serve, leave }: Serving): Store {
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
  const checkpoints = serve ? startCheckpoints(database, path) : null;
  let healthyUntil = 0;

  function checkHealth(): void {
    if (performance.now() < healthyUntil) return;
    // Writing the number that is there already still goes through the log and its fsync.
    const version = database.prepare('PRAGMA user_version').get()?.user_version;
    inTransaction(database, () => database.exec(`PRAGMA user_version = ${version}`));
    healthyUntil = performance.now() + HEALTH_CHECK_EVERY_MS;
  }

  return {
    commit: answering((units) => {
      healthyUntil = 0;
      commit(units);
      checkpoints?.changed(units.length);
      healthyUntil = performance.now() + HEALTH_CHECK_EVERY_MS;
    }),
    // One connection has one transaction at a time, and it makes no difference whose data that is about.
    batching: { atOnce: 1, mixed: true },

    ...resources({
      run: (read) => answering(() => run.read(read))(),
      inTransaction: (steps) => answering(() => inTransaction(database, () => run.steps(steps)))(),
      checkouts: { fetch: answering(checkouts.read), same: checkouts.same },
      feed: { extend: async () => {}, end: answering((tenant) => run.read(feedEnd(tenant))) },
      directory: {
        accounts: answering(accounts.accounts),
        insert: answering(accounts.insert),
        change: answering(accounts.change),
        version: accounts.version,
      },
      work: {
        // All of them: they are in memory, and an index tells at once where nothing is due.
        listTenants: answering((_kind, realNow) => accounts.clocks(realNow)),
        claimCheckouts: answering(work.claimCheckouts),
        releaseCheckouts: answering(work.releaseCheckouts),
        claimDeliveries: answering(work.claimDeliveries),
      },
      retention: {
        listTenants: answering((_what, createdBeforeMs) =>
          accounts.clocks(createdBeforeMs).map(({ tenant }) => tenant),
        ),
        // The oldest are the first; looking further would read the whole table each time that there is little to forget.
        purgeAnswers: answering((createdBeforeMs) =>
          run.change(sql`DELETE FROM idempotency WHERE created_at < ${createdBeforeMs}
            AND rowid IN (SELECT rowid FROM idempotency ORDER BY rowid LIMIT ${BATCH})`),
        ),
      },
    }),
    endpoints: { list: answering(endpoints.list) },
    // The one process that serves the database is the only one that changes sessions.
    remote: { onCheckoutChange: () => {}, onEvents: () => {} },

    checkHealth: answering(checkHealth),
    async close() {
      await checkpoints?.stop();
      database.close();
      leave();
    },
  };
}

/** A synchronous operation as the asynchronous one of the interface, with the database's troubles told apart from bugs. */
function answering<A extends unknown[], R>(operation: (...args: A) => R): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return operation(...args);
    } catch (error) {
      const { errcode } = error as { errcode?: number };
      if (errcode === undefined || !environmentErrors.has(errcode & 0xff)) throw error;
      throw new StoreUnavailable(`SQLite: ${(error as Error).message}`, { cause: error });
    }
  };
}
