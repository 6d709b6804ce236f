/** The embedded database behind the store's interface: synchronous inside, one process, one connection. */
import { CursorExpired, type Store, StoreUnavailable } from '../store.ts';
import { bankFileReader } from './bank-files.ts';
import { checkoutReader } from './checkouts.ts';
import { startCheckpoints } from './checkpoint.ts';
import { committer } from './commit.ts';
import { customerReader } from './customers.ts';
import { deliveryReader } from './deliveries.ts';
import { directory } from './directory.ts';
import { endpointReader } from './endpoints.ts';
import { eventReader } from './events.ts';
import { feedEndReader } from './feed-end.ts';
import { noticeReader } from './notices.ts';
import { lockForServing, openDatabase } from './open.ts';
import { refundReader } from './refunds.ts';
import { retention } from './retention.ts';
import { inTransaction } from './transaction.ts';
import { workQueue } from './work.ts';

/** How long the outcome of a trial write answers for the next health checks. */
const HEALTH_CHECK_EVERY_MS = 500;

/** SQLITE_BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN: the primary result codes that are not our mistake. */
const environmentErrors = new Set([5, 6, 8, 10, 11, 13, 14]);

/**
 * `path` names the file. `serve` takes the sole right to serve it: the command line opens it without, beside a server
 * that runs.
 */
export function openSqliteStore(path: string, { serve = false } = {}): Store {
  const database = openDatabase(path);
  const unlock = serve ? lockForServing(path) : () => {};
  const accounts = directory(database);
  const checkouts = checkoutReader(database);
  const customers = customerReader(database);
  const events = eventReader(database);
  const feedEnd = feedEndReader(database);
  const endpoints = endpointReader(database);
  const deliveries = deliveryReader(database);
  const refunds = refundReader(database, checkouts);
  const notices = noticeReader(database);
  const bankFiles = bankFileReader(database);
  const work = workQueue(database, events, endpoints);
  const kept = retention(database);
  const readers = { checkouts, customers, endpoints, notices, bankFiles };
  const commit = committer(database, readers, {
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

    checkouts: {
      fetch: answering(checkouts.read),
      fetchByAttempt: answering(checkouts.readByAttempt),
      fetchByRefund: answering(refunds.checkoutOf),
      idByReference: answering(checkouts.ownerOfReference),
      list: answering(checkouts.list),
      listAwaiting: answering(refunds.awaiting),
    },
    customers: { fetch: answering(customers.read), list: answering(customers.list) },
    refunds: { list: answering(refunds.list) },
    notices: {
      fetch: answering(notices.read),
      fetchByReference: answering(notices.readByReference),
      list: answering(notices.list),
      listDue: answering(notices.due),
    },
    bankFiles: {
      fetch: answering(bankFiles.read),
      fetchByHash: answering(bankFiles.readByHash),
      list: answering(bankFiles.list),
    },
    events: {
      fetch: answering(events.read),
      list: answering((tenant, filter, after, limit) => {
        const start = kept.feedStart(tenant);
        if (after > 0 && after < start) throw new CursorExpired();
        if (filter.types === undefined) return events.list(tenant, after, limit);
        const stretch = { begin: Math.max(after, start), end: feedEnd(tenant) };
        return events.listOfTypes(tenant, filter.types, stretch, limit);
      }),
      end: answering(feedEnd),
      timeline: answering(events.timeline),
    },
    endpoints: { list: answering(endpoints.list) },
    receivers: { listFailing: answering(endpoints.failing) },
    deliveries: {
      fetch: answering(deliveries.read),
      list: answering(deliveries.list),
      listAttempts: answering(deliveries.attempts),
    },

    accounts: {
      fetch: answering(accounts.account),
      list: answering(accounts.accounts),
      create: answering(accounts.createAccount),
      createFirst: answering(accounts.createFirstAccount),
      rename: answering(accounts.rename),
      configure: answering(accounts.configure),
      replaceWebhookSecret: answering(accounts.replaceWebhookSecret),
      version: accounts.version,
    },
    apiKeys: {
      fetch: answering(accounts.key),
      fetchBySecretHash: answering(accounts.keyBySecretHash),
      list: answering(accounts.keys),
      add: answering(accounts.addKey),
      revoke: answering(accounts.revokeKey),
    },

    work: {
      // All of them: they are in memory, and an index tells at once where nothing is due.
      listTenants: answering((_kind, realNow) => accounts.places(realNow)),
      listDueCheckouts: answering(work.dueCheckouts),
      claimCheckouts: answering(work.claimCheckouts),
      releaseCheckouts: answering((_tenant, ids) => work.releaseCheckouts(ids)),
      claimDeliveries: answering(work.claimDeliveries),
      countDueDeliveries: answering(work.countDueDeliveries),
    },
    retention: {
      listTenants: answering((_what, createdBeforeMs) =>
        accounts.places(createdBeforeMs).map(({ tenant }) => tenant),
      ),
      purgeAnswers: answering(work.purgeAnswers),
      purgeDeliveries: answering(kept.purgeDeliveries),
      purgeEvents: answering(kept.purgeEvents),
    },
    // The one process that serves the database is the only one that changes sessions.
    remote: { onCheckoutChange: () => {}, onEvents: () => {} },

    checkHealth: answering(checkHealth),
    gauges: answering(work.gauges),
    async close() {
      await checkpoints?.stop();
      database.close();
      unlock();
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
