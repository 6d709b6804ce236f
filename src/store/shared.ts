/** The resources of the store that every database reads in the same way, made of the parts that each has in its own. */
import { tenantNow, tenantTime } from '../accounts/account.ts';
import type { CheckoutId } from '../checkout/ids.ts';
import type { Checkout } from '../checkout/session.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import { createOneATurn } from '../lib/one-a-turn.ts';
import type { RealTime } from '../lib/time.ts';
import { installation } from '../users/user.ts';
import { type DirectoryParts, directoryOf } from './directory.ts';
import { type Feed, feedReads } from './feed.ts';
import { TURN_MS } from './lists.ts';
import { inSteps } from './page.ts';
import { type AskedResources, askedResources } from './resources/all.ts';
import { owners } from './resources/checkouts.ts';
import { clockOffsetAt } from './resources/clocks.ts';
import type { Read, Run } from './resources/read.ts';
import { refundList } from './resources/refunds.ts';
import { countRemovable } from './resources/removable.ts';
import { oldestKept, trimRequests } from './resources/requests.ts';
import { keepSecret } from './resources/secrets.ts';
import { gauges, newestTime, strandedDeliveries } from './resources/work.ts';
import { purgeDeliveries, purgeEvents } from './retention.ts';
import type { Steps } from './steps.ts';
import type { Checkouts, RequestLog, Retention, Store, TenantClock, Work } from './store.ts';

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
    readonly withOldRequests: RequestLog['listTenants'];
    withStranded(since: RealTime): Promise<readonly Tenant[]>;
  };
  readonly claims: Omit<Work, 'listTenants' | 'listStranded' | keyof AskedResources['work']>;
  readonly purgeAnswers: Retention['purgeAnswers'];
  readonly addRequests: RequestLog['add'];
};

export function resources(parts: Parts) {
  const { run, inTransaction, checkouts, feed, directory, tenants, claims, purgeAnswers, addRequests } =
    parts;
  const asked = askedResources(run);
  const fetchTurn = createOneATurn(TURN_MS);
  const fetchOwner = async (tenant: Tenant, owner: Read<CheckoutId | null>) => {
    const id = await run(owner);
    return id === null ? null : checkouts.fetch(tenant, id);
  };

  /** Time that the clock of the tenant showed at this one. */
  async function clockThen(tenant: Tenant, at: RealTime): Promise<TenantTime> {
    return tenantTime(at, tenant.mode === 'live' ? 0 : await run(clockOffsetAt(tenant, at)));
  }

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
            await fetchTurn();
            const found = await checkouts.fetch(tenant, checkout);
            if (found === null) throw new Error(`the session of refund ${id} is missing`);
            return { id, checkout: found };
          }),
        );
        return { rows: whole, hasMore };
      },
    },
    customers: { ...asked.customers, list: inSteps(asked.customers.list) },
    bankEntries: { ...asked.bankEntries, list: inSteps(asked.bankEntries.list) },
    providerEvents: { ...asked.providerEvents, list: inSteps(asked.providerEvents.list) },
    bankFiles: { ...asked.bankFiles, list: inSteps(asked.bankFiles.list) },
    dashboardUsers: { ...asked.dashboardUsers, list: inSteps(asked.dashboardUsers.list) },
    secrets: {
      ...asked.secrets,
      keep: async (name, candidate) =>
        (await asked.secrets.fetch(name)) ?? inTransaction(installation, keepSecret(name, candidate)),
    },
    events: { ...asked.events, ...feedReads(run, feed), end: feed.end },
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
        return Promise.all(found.map(async (tenant) => ({ tenant, now: await clockThen(tenant, at) })));
      },
      async count(tenant, { deliveries, events }) {
        const ages = {
          deliveries: await clockThen(tenant, deliveries),
          events: events === null ? null : await clockThen(tenant, events),
        };
        return run(countRemovable(tenant, ages));
      },
      purgeAnswers,
      purgeDeliveries: (tenant, createdBefore) =>
        inTransaction(tenant, purgeDeliveries(tenant, createdBefore)),
      purgeEvents: (tenant, createdBefore) => inTransaction(tenant, purgeEvents(tenant, createdBefore)),
    },
    requestLog: {
      ...asked.requestLog,
      add: addRequests,
      listTenants: tenants.withOldRequests,
      async trim(tenant, createdBefore) {
        const kept = await run(oldestKept(tenant));
        return inTransaction(tenant, trimRequests(tenant, createdBefore, kept));
      },
      purge: (tenant, createdBefore) => inTransaction(tenant, trimRequests(tenant, createdBefore, null)),
    },
    ...directoryOf(directory, asked.apiKeys),
    gauges: () => run(gauges(null)),
    newestTime: () => run(newestTime(null)),
  } satisfies Partial<Store>;
}
