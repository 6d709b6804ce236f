/** PostgreSQL behind the store's interface: any number of processes on one database. */
import type { Tenant } from '../../checkout/tenant.ts';
import { CursorExpired, type Store, StoreUnavailable } from '../store.ts';
import { bankFileReader } from './bank-files.ts';
import { createCheckoutCache } from './cache.ts';
import { checkoutReader } from './checkouts.ts';
import { committer } from './commit.ts';
import { customerReader } from './customers.ts';
import { deliveryReader } from './deliveries.ts';
import { createDirectory } from './directory.ts';
import { endpointReader } from './endpoints.ts';
import { eventReader } from './events.ts';
import { createFeed } from './feed.ts';
import { createNotices } from './notices.ts';
import { prepareDatabase } from './open.ts';
import { createPool } from './pool.ts';
import { railNoticeReader } from './rail-notices.ts';
import { refundReader } from './refunds.ts';
import { retention } from './retention.ts';
import { createStatistics } from './statistics.ts';
import { workQueue } from './work.ts';

/** How long the outcome of a trial write answers for the next health checks. */
const HEALTH_CHECK_EVERY_MS = 500;
const HEALTH_ANSWER_WITHIN_MS = 2_000;
/** Connections for lists and the like; each carries as many as there are. */
const SEARCHERS = 2;
/** Beside those that commit, for the transactions of the feed and of claims. */
const FURTHER_WRITERS = 2;

type Options = {
  /** Takes part in the work and hears of the others; the command line does without. */
  readonly serve?: boolean;
  /** Whether to make what an empty database lacks. */
  readonly create?: boolean;
  /** Batches that are committed at the same time. */
  readonly commitsAtOnce?: number;
};

/** `url` is that of the driver: `postgres://user:password@host:port/database`, several hosts with commas. */
export async function openPostgresStore(
  url: string,
  { serve = false, create = true, commitsAtOnce = 4 }: Options = {},
): Promise<Store> {
  await prepareDatabase(url, { create });
  const cache = createCheckoutCache();
  const pool = createPool(url, {
    searchers: SEARCHERS,
    writers: commitsAtOnce + FURTHER_WRITERS,
    serve,
    onBroken() {
      cache.forgetAll();
      directory.forget();
    },
  });
  const notices = createNotices(pool, url);
  const directory = createDirectory(pool, { watch: serve, announce: notices.directoryChanged });
  await directory.refresh();
  const feed = createFeed(pool);
  const checkouts = checkoutReader(pool, cache);
  const customers = customerReader(pool);
  const refunds = refundReader(pool, checkouts.read);
  const railNotices = railNoticeReader(pool);
  const bankFiles = bankFileReader(pool);
  const events = eventReader(pool, feed);
  const endpoints = endpointReader(pool);
  const deliveries = deliveryReader(pool);
  const work = workQueue(pool, directory.accounts);
  const commit = committer(pool, cache);
  const kept = retention(pool);
  const statistics = createStatistics(pool);
  await statistics.start();
  // What goes wrong there goes wrong for requests too, and is said by those.
  const feeding = serve ? feed.start(() => {}) : null;
  let remoteChange: (checkoutId: string) => void = () => {};
  let remoteEvents: (tenant: Tenant) => void = () => {};
  let healthyUntil = 0;

  if (serve) {
    notices.listen((hint) => {
      if (hint.directory) void directory.refresh().catch(() => {});
      for (const id of hint.checkouts) remoteChange(id);
      for (const tenant of hint.feeds) remoteEvents(tenant);
    });
  }

  return {
    batching: { atOnce: commitsAtOnce, mixed: false },
    async commit(units) {
      healthyUntil = 0;
      const { checkouts: changed, writes } = await commit(units);
      healthyUntil = performance.now() + HEALTH_CHECK_EVERY_MS;
      for (const checkout of changed) cache.remember(checkout);
      statistics.changed(units.length);
      notices.checkoutsChanged(changed.map(({ id }) => id));
      // A batch is of one account and mode.
      const tenant = units[0]?.needs.tenant;
      if (tenant && writes.some(({ events = [] }) => events.length > 0)) notices.feedChanged(tenant);
      if (writes.some(({ testClockAdvanceMs }) => testClockAdvanceMs)) await directory.changed();
    },

    checkouts: {
      fetch: checkouts.read,
      fetchByAttempt: checkouts.readByAttempt,
      fetchByRefund: checkouts.readByRefund,
      idByReference: checkouts.ownerOfReference,
      list: checkouts.list,
      listAwaiting: checkouts.awaiting,
    },
    customers: { fetch: customers.read, list: customers.list },
    refunds,
    notices: {
      fetch: railNotices.read,
      fetchByReference: railNotices.readByReference,
      list: railNotices.list,
      listDue: railNotices.due,
    },
    bankFiles: { fetch: bankFiles.read, fetchByHash: bankFiles.readByHash, list: bankFiles.list },
    events: {
      fetch: events.read,
      async list(tenant, { types }, after, limit) {
        const page =
          types === undefined
            ? await events.list(tenant, after, limit)
            : await events.listOfTypes(tenant, types, after || (await kept.feedStart(tenant)), limit);
        // Looked at last: what was removed meanwhile may be missing in the page.
        if (after > 0 && after < (await kept.feedStart(tenant))) throw new CursorExpired();
        return page;
      },
      end: feed.end,
      timeline: events.timeline,
    },
    endpoints,
    receivers: { listFailing: endpoints.failing },
    deliveries: { fetch: deliveries.read, list: deliveries.list, listAttempts: deliveries.attempts },

    accounts: {
      fetch: directory.account,
      list: directory.accounts,
      create: directory.createAccount,
      createFirst: directory.createFirstAccount,
      rename: directory.rename,
      configure: directory.configure,
      replaceWebhookSecret: directory.replaceWebhookSecret,
      version: directory.version,
    },
    apiKeys: {
      fetch: directory.key,
      fetchBySecretHash: directory.keyBySecretHash,
      list: directory.keys,
      add: directory.addKey,
      revoke: directory.revokeKey,
    },

    work: { ...work, listTenants: work.dueTenants, listDueCheckouts: work.dueCheckouts },
    retention: {
      listTenants: kept.tenantsWithOld,
      purgeAnswers: work.purgeAnswers,
      purgeDeliveries: kept.purgeDeliveries,
      purgeEvents: kept.purgeEvents,
    },
    remote: {
      onCheckoutChange(listener) {
        remoteChange = listener;
      },
      onEvents(listener) {
        remoteEvents = listener;
      },
    },

    async checkHealth() {
      if (performance.now() < healthyUntil) return;
      const written = pool.write((sql) => sql`UPDATE directory SET checked_at = ${Date.now()} WHERE id = 1`);
      await within(HEALTH_ANSWER_WITHIN_MS, written);
      healthyUntil = performance.now() + HEALTH_CHECK_EVERY_MS;
    },
    gauges: work.gauges,

    async close() {
      directory.close();
      await feeding?.stop();
      await notices.close();
      await pool.close();
    },
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable('PostgreSQL: no answer')), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
