/** PostgreSQL behind the store's interface: any number of processes on one database. */
import type { CheckoutId } from '../../checkout/ids.ts';
import { tenantName, tenantNamed } from '../../checkout/tenant.ts';
import { StoreUnavailable } from '../errors.ts';
import { createHealth } from '../health.ts';
import { changesDirectory } from '../resources/directory.ts';
import { endpointList } from '../resources/endpoints.ts';
import { gauges, newestTime } from '../resources/work.ts';
import { resources } from '../shared.ts';
import type { OpenOptions, Store } from '../store.ts';
import { checkoutReader, createCheckoutCache } from './checkouts.ts';
import { committer } from './commit.ts';
import { createConnection } from './connection.ts';
import { createDirectory } from './directory.ts';
import { isContention } from './errors.ts';
import { createFeed } from './feed.ts';
import { createHints, DIRECTORY } from './hints.ts';
import { checkoutLeases } from './lease-checkouts.ts';
import { deliveryLeases } from './lease-deliveries.ts';
import { lists } from './lists.ts';
import { watchNodes } from './nodes.ts';
import { createPool } from './pool.ts';
import { prepareOver } from './prepare.ts';
import { addRequests } from './requests.ts';
import { purgeAnswers } from './retention.ts';
import { runner, stepsOn } from './run.ts';
import { isDistributed } from './shards.ts';
import { createStatistics } from './statistics.ts';
import { tenantFinder } from './tenants.ts';

const HEALTH_ANSWER_WITHIN_MS = 2_000;

type Options = OpenOptions & {
  /** Batches that are committed at the same time. */
  readonly commitsAtOnce?: number;
};

/** `url` is that of the driver: `postgres://user:password@host:port/database`, several hosts with commas. */
export async function openPostgresStore(
  url: string,
  {
    serve = false,
    migrates = true,
    commitsAtOnce = 4,
    onTrouble = () => {},
    onRemoteChange = () => {},
  }: Options = {},
): Promise<Store> {
  const cache = createCheckoutCache();
  /** Another server may be behind the next connection. */
  const forgets = [cache.forgetAll];
  const onBroken = () => {
    for (const forget of forgets) forget();
  };
  const quick = createConnection(url, onBroken);
  await prepareOver(quick, url, { migrates });
  const inShards = await quick.run(isDistributed);
  const pool = createPool(url, {
    commitsAtOnce,
    serve,
    inShards,
    quick,
    onTrouble,
    onBroken,
    troubleOf: (account) => nodes?.troubleOf(account) ?? null,
  });
  const hints = createHints(pool, url);
  const directory = createDirectory(pool, { watch: serve, announce: () => hints.tell([DIRECTORY]) });
  forgets.push(directory.forget);
  await directory.refresh();
  if (serve) await pool.read(null, pool.clock.look);
  const nodes =
    serve && inShards
      ? await watchNodes(url, {
          onSilence: pool.discardAll,
          onTrouble,
        })
      : null;
  const living = () => nodes?.living() ?? null;
  const reachable = () => ({ inShards, among: living() });
  const feed = createFeed(pool, { onTrouble, living, inShards });
  const run = runner(pool);
  const { checkouts, close: closeLists } = lists(pool, cache, { serve });
  const commit = committer({ pool, cache, inShards });
  const statistics = createStatistics(pool, inShards);
  // A node that is away would be waited for.
  if (serve && (nodes?.share() ?? 1) === 1) statistics.start();
  // Trouble of the feed is trouble of requests too, which tell of it.
  const feeding = serve ? feed.start(() => {}) : null;
  const health = createHealth({
    isContention,
    async write() {
      const now = Date.now();
      const written = pool.write(null, (each) => each`UPDATE directory SET checked_at = ${now} WHERE id = 1`);
      await within(HEALTH_ANSWER_WITHIN_MS, written);
    },
  });

  if (serve) {
    hints.listen((hint) => {
      if (hint === DIRECTORY) void directory.refresh().catch(() => {});
      else onRemoteChange(tenantNamed(hint) ?? (hint as CheckoutId));
    });
  }

  const store: Store = {
    batching: { atOnce: commitsAtOnce, apart: true, mixed: false },
    async commit(units) {
      const { checkouts: changed, writes } = await health.change(() => commit(units));
      changed.forEach(cache.remember);
      statistics.changed(writes);
      // A batch is of one tenant.
      const feeds = writes.some(({ events = [] }) => events.length > 0) ? units.slice(0, 1) : [];
      hints.tell([
        ...changed.map(({ checkout }) => checkout.id),
        ...feeds.map(({ needs }) => tenantName(needs.tenant)),
      ]);
      if (writes.some(changesDirectory)) await directory.changed();
    },

    ...resources({
      run,
      inTransaction: (tenant, steps) =>
        pool.transaction(tenant, async (transaction) => {
          const result = await stepsOn(transaction.sql, steps);
          await transaction.commit([]);
          return result;
        }),
      checkouts: { fetch: checkoutReader(pool, cache), ...checkouts },
      feed,
      directory,
      tenants: tenantFinder(run, reachable),
      claims: { ...checkoutLeases(pool), claimDeliveries: deliveryLeases(pool) },
      purgeAnswers: (createdBefore, round) => purgeAnswers(pool, run, createdBefore, reachable(), round),
      addRequests: (entries) => addRequests(pool, entries, inShards),
    }),
    endpoints: { list: (tenant) => run(endpointList(tenant)) },
    gauges: () => run(gauges(living())),
    newestTime: () => run(newestTime(living())),
    async checkHealth() {
      if (nodes?.share() === 0) throw new StoreUnavailable('PostgreSQL: no node with accounts answers');
      await health.check();
    },
    servedShare: () => nodes?.share() ?? 1,
    feedTroubles: feed.troubles,
    leaseTime: pool.clock.now,
    async close() {
      await nodes?.stop();
      directory.close();
      await feeding?.stop();
      await statistics.stop();
      await hints.close();
      await closeLists();
      await pool.close();
    },
  };
  return nodes === null ? store : nodes.guard(store);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable('PostgreSQL: no answer')), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
