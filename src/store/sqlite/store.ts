/** The embedded database behind the store's interface: synchronous inside, one process, one connection. */

import type { DatabaseSync } from 'node:sqlite';
import { feedEnd } from '../resources/events.ts';
import { type Reachable, tenantsWithOld, tenantsWithOldRequests } from '../resources/tenants.ts';
import { BATCH } from '../retention.ts';
import { resources } from '../shared.ts';
import { sql } from '../sql.ts';
import type { OpenOptions, Store } from '../store.ts';
import { createAccess, type Server } from './access.ts';
import { checkoutReader } from './checkouts.ts';
import { startCheckpoints } from './checkpoint.ts';
import { committer } from './commit.ts';
import { makeFile, openDatabase } from './connection.ts';
import { directory } from './directory.ts';
import { dueTimes } from './due-times.ts';
import { endpointReader } from './endpoints.ts';
import { checkoutLeases } from './lease-checkouts.ts';
import { deliveryLeases } from './lease-deliveries.ts';
import { listsAtOnce, listsInThreads } from './lists.ts';
import { type LogSyncOptions, startLogSync } from './log-sync.ts';
import { enterToWrite, idOf, type Ownership, own } from './ownership.ts';
import { createReaders, type ReaderLimits } from './readers.ts';
import { requestWriter } from './requests.ts';
import { runner } from './run.ts';
import { inTransaction, readTogether } from './transaction.ts';
import { unusable } from './unusable.ts';
import { watchFiles } from './watch.ts';

const EVERYBODY: Reachable = { inShards: false, among: null };

/** Options of the store. `syncFile` is for tests, which want a disk that is slow or fails. */
type SqliteOptions = OpenOptions & LogSyncOptions & { readonly readers?: Partial<ReaderLimits> };

/** Opens the store on the file that `path` names. */
export function openSqliteStore(path: string, options: SqliteOptions = {}): Store {
  const { serve = false, migrates = true } = options;
  makeFile(path);
  if (!serve) {
    const leave = enterToWrite(path);
    return opened(path, leave, () => storeOn(openDatabase(path, { migrates }), null, leave));
  }
  const owned = own(path);
  return opened(path, owned.release, () => {
    const database = openDatabase(path, { migrates, serves: true });
    refuseWithoutAccounts(database);
    return storeOn(database, serving(database, path, owned, options), owned.release);
  });
}

/** Opens the store, or leaves: a damaged page may be met only now, behind the opening of the file. */
function opened(path: string, leave: () => void, open: () => Store): Store {
  try {
    return open();
  } catch (error) {
    leave();
    throw error instanceof Error && 'errcode' in error ? unusable(path, error) : error;
  }
}

/** Throws if the accounts cannot be read: nobody could be served. */
function refuseWithoutAccounts(database: DatabaseSync): void {
  try {
    directory(database, runner(database)).accounts();
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Starts what a server runs beside its work, for as long as it has the database open. */
function serving(database: DatabaseSync, path: string, owned: Ownership, options: SqliteOptions): Server {
  const { onTrouble = () => {}, copyLogAtBytes: copyAtBytes } = options;
  const onLong = (bytes: number) => {
    const size = Math.round(bytes / 2 ** 20);
    onTrouble(
      `the log of the database has ${size} MiB; a program that reads for so long keeps it from being reused`,
    );
  };
  const logSync = startLogSync(database, options);
  const checkpoints = startCheckpoints(database, path, { onLong, copyAtBytes });
  const watch = watchFiles(database, path, owned, onTrouble, checkpoints.letGo);
  const readers = createReaders(path, idOf(path), options.readers);
  return { logSync, watch, readers, checkpoints };
}

function storeOn(database: DatabaseSync, server: Server | null, leave: () => void): Store {
  const access = createAccess(database, server);
  const { reading, writing, checkHealth } = access;
  const ofAccounts = () => 'accounts' as const;
  const run = runner(database);
  const lists = server ? listsInThreads(run, server.readers, access) : listsAtOnce(run, access);
  const checkouts = checkoutReader(run);
  const endpoints = endpointReader(run);
  const accounts = directory(database, run);
  const sessions = checkoutLeases(run);
  const deliveries = deliveryLeases(run, endpoints);
  const due = dueTimes(run, accounts);
  const commit = committer(database, run, {
    checkouts,
    endpoints,
    dueTimes: due,
    accountsChanged: accounts.refresh,
    committed(writes) {
      sessions.end(writes);
      deliveries.end(writes);
    },
  });

  return {
    commit: access.changing(commit),
    // One connection has one transaction at a time, and it makes no difference whose data that is about. While one batch
    // is brought to the disk the next is written, and sees what is on its way.
    batching: { atOnce: server === null ? 1 : 2, apart: false, mixed: true },

    ...resources({
      run: lists.run,
      inTransaction: (_tenant, steps) => writing(() => inTransaction(database, () => run.steps(steps)))(),
      checkouts: { fetch: reading(checkouts.read, (_tenant, id) => id), ...lists.checkouts },
      feed: { ...lists.feed, extend: async () => {}, end: reading((tenant) => run.read(feedEnd(tenant))) },
      directory: {
        accounts: reading(accounts.accounts, ofAccounts),
        insert: writing(accounts.insert),
        change: writing(accounts.change),
        version: access.looking(accounts.version),
        isUnchanged: accounts.isUnchanged,
      },
      tenants: {
        withDue: reading(due.look, ofAccounts),
        withOld: reading((what, createdBefore) => run.read(tenantsWithOld(what, createdBefore, EVERYBODY))),
        withOldRequests: reading((createdBefore) =>
          run.read(tenantsWithOldRequests(createdBefore, EVERYBODY)),
        ),
        // There is one writer: nobody decides without having seen what another has written.
        withStranded: async () => [],
      },
      claims: {
        claimCheckouts: reading(sessions.claim),
        releaseCheckouts: reading(sessions.release),
        claimDeliveries: reading((tenant, claim) =>
          readTogether(database, () => deliveries.claim(tenant, claim)),
        ),
      },
      // The oldest are the first; looking further would read the whole table each time that there is little to forget.
      purgeAnswers: writing((createdBefore) =>
        run.change(sql`DELETE FROM idempotency WHERE created_at < ${createdBefore}
          AND rowid IN (SELECT rowid FROM idempotency ORDER BY rowid LIMIT ${BATCH})`),
      ),
      addRequests: access.writingAside(requestWriter(database)),
    }),
    endpoints: { list: reading(endpoints.list) },

    checkHealth,
    servedShare: () => 1,
    feedTroubles: () => ({ repairs: 0, stuck: 0 }),
    leaseTime: (own) => own,
    async close() {
      server?.watch.stop();
      await server?.readers.close();
      await server?.checkpoints.stop();
      database.close();
      server?.checkpoints.release();
      server?.logSync.stop();
      leave();
    },
  };
}
