/** The resources of the store that every database reads in the same way, made of the parts that each has in its own. */
import { tenantNow, tenantTime } from '../accounts/account.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant } from '../checkout/tenant.ts';
import type { FeedEvent } from '../events/event.ts';
import type { RealTime } from '../lib/time.ts';
import { type DirectoryParts, directoryOf } from './directory.ts';
import { CursorExpired } from './errors.ts';
import { type AskedResources, askedResources } from './resources/all.ts';
import { owners } from './resources/checkouts.ts';
import { clockOffsetAt } from './resources/clocks.ts';
import { feedFrom, feedStart } from './resources/events.ts';
import type { Read, Run } from './resources/read.ts';
import { refundList } from './resources/refunds.ts';
import { gauges, newestTime, strandedDeliveries } from './resources/work.ts';
import { purgeDeliveries, purgeEvents } from './retention.ts';
import type { Steps } from './steps.ts';
import type { Checkouts, Events, FeedPage, Retention, Store, TenantClock, Work } from './store.ts';

/**
 * A look at the feed for some types only is bounded: rare ones may lie far apart, and while a database with a single
 * connection searches for them everybody else waits.
 */
const MAX_POSITIONS = 2_000;

export type Parts = {
  readonly run: Run;
  /** Runs all of it in one transaction. */
  readonly inTransaction: <T>(tenant: Tenant, steps: Steps<T>) => Promise<T>;
  readonly checkouts: {
    fetch(tenant: Tenant, id: CheckoutId): Promise<Checkout | null>;
  } & Pick<Checkouts, 'list' | 'listSerialized'>;
  readonly feed: Feed;
  readonly directory: DirectoryParts;
  readonly tenants: {
    readonly withDue: Work['listTenants'];
    /** Finds them for `listTenants` of retention, which has their clocks as well. */
    withOld(...how: Parameters<Retention['listTenants']>): Promise<readonly Tenant[]>;
    withStranded(since: RealTime): Promise<readonly Tenant[]>;
  };
  readonly claims: Omit<Work, 'listTenants' | 'listStranded' | keyof AskedResources['work']>;
  readonly purgeAnswers: Retention['purgeAnswers'];
};

type Feed = {
  /** Gives everything a position that was committed before the call. */
  extend(tenant: Tenant): Promise<void>;
  /** The last position, when that is done. */
  end(tenant: Tenant): Promise<number>;
};

export function resources(parts: Parts) {
  const { run, inTransaction, checkouts, feed, directory, tenants, claims, purgeAnswers } = parts;
  const asked = askedResources(run);
  const fetchOwner = async (tenant: Tenant, owner: Read<CheckoutId | null>) => {
    const id = await run(owner);
    return id === null ? null : checkouts.fetch(tenant, id);
  };

  async function clocksOf(found: readonly Tenant[], realNow: RealTime): Promise<TenantClock[]> {
    const accounts = await directory.accounts();
    return found.map((tenant) => ({
      tenant,
      now: tenantNow(accounts.get(tenant.account), tenant.mode, realNow),
    }));
  }

  return {
    ...asked,
    checkouts: {
      ...asked.checkouts,
      ...checkouts,
      fetchByAttempt: (tenant, attempt) => fetchOwner(tenant, owners.ofAttempt(tenant, attempt)),
      fetchByRefund: (tenant, refund) => fetchOwner(tenant, owners.ofRefund(tenant, refund)),
    },
    refunds: {
      async list(tenant, filter, page) {
        const { rows, hasMore } = await run(refundList(tenant, filter, page));
        const whole = await Promise.all(
          rows.map(async ({ id, checkout }) => {
            const found = await checkouts.fetch(tenant, checkout);
            if (found === null) throw new Error(`the session of refund ${id} is missing`);
            return { id, checkout: found };
          }),
        );
        return { rows: whole, hasMore };
      },
    },
    events: { ...asked.events, ...feedOf(run, feed), end: feed.end },
    work: {
      ...asked.work,
      ...claims,
      listTenants: tenants.withDue,
      async listStranded(since, realNow) {
        const clocks = await clocksOf(await tenants.withStranded(since), realNow);
        return Promise.all(
          clocks.map(async (clock) => ({
            ...clock,
            deliveries: await run(strandedDeliveries(clock.tenant, since)),
          })),
        );
      },
    },
    retention: {
      async listTenants(what, at) {
        const found = await tenants.withOld(what, at);
        return Promise.all(
          found.map(async (tenant) => {
            const offsetMs = tenant.mode === 'live' ? 0 : await run(clockOffsetAt(tenant, at));
            return { tenant, now: tenantTime(at, offsetMs) };
          }),
        );
      },
      purgeAnswers,
      purgeDeliveries: (tenant, createdBefore) =>
        inTransaction(tenant, purgeDeliveries(tenant, createdBefore)),
      purgeEvents: (tenant, createdBefore) => inTransaction(tenant, purgeEvents(tenant, createdBefore)),
    },
    ...directoryOf(directory, asked.apiKeys),
    gauges: () => run(gauges(null)),
    newestTime: () => run(newestTime(null)),
  } satisfies Partial<Store>;
}

function feedOf(run: Run, feed: Feed): Pick<Events, 'list'> {
  async function whole(tenant: Tenant, after: number, limit: number): Promise<FeedPage> {
    await feed.extend(tenant);
    const found = await run(feedFrom(tenant, after, limit, null));
    const lookedTo = found.at(-1)?.position ?? after;
    return pageOf(found, limit, lookedTo, lookedTo);
  }

  async function ofTypes(tenant: Tenant, types: readonly string[], after: number, limit: number) {
    const begin = after || (await run(feedStart(tenant)));
    // The end comes first: what the feed has up to there is seen by the read behind it.
    const end = await feed.end(tenant);
    const lookedTo = Math.max(begin, Math.min(begin + MAX_POSITIONS, end));
    const found = await run(feedFrom(tenant, begin, limit, { types, lookedTo }));
    return pageOf(found, limit, lookedTo, end);
  }

  return {
    async list(tenant, { types }, after, limit) {
      const page =
        types === undefined ? await whole(tenant, after, limit) : await ofTypes(tenant, types, after, limit);
      // Looked at last: what was removed meanwhile may be missing in the page.
      if (after > 0 && after < (await run(feedStart(tenant)))) throw new CursorExpired();
      return page;
    },
  };
}

/** `found` has one more than `limit` where there are so many up to `lookedTo`. */
function pageOf(found: readonly FeedEvent[], limit: number, lookedTo: number, end: number): FeedPage {
  const rows = found.slice(0, limit);
  if (found.length > limit) return { rows, hasMore: true, position: rows.at(-1)?.position ?? lookedTo };
  return { rows, hasMore: lookedTo < end, position: lookedTo };
}
