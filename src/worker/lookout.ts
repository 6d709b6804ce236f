/** Tenants with due work: one look finds them for all kinds of it, and whoever makes some names them. */
import { type Tenant, tenantName } from '../checkout/tenant.ts';
import { keysOf } from '../lib/keys.ts';
import type { RealTime } from '../lib/time.ts';
import type { Store, WorkKind } from '../store/store.ts';

type Dependencies = {
  readonly store: { readonly work: Pick<Store['work'], 'listTenants'> };
  readonly realNow: () => RealTime;
};

/** `onFound` is told of each kind of which a look has found some. */
export function createLookout({ store, realNow }: Dependencies, onFound: (kind: WorkKind) => void) {
  const waiting: Readonly<Record<WorkKind, Map<string, Tenant>>> = {
    checkouts: new Map(),
    deliveries: new Map(),
    providerEvents: new Map(),
    bankEntries: new Map(),
  };
  let turn = 0;
  let nextAt = 0;

  function add(kind: WorkKind, tenant: Tenant): void {
    waiting[kind].set(tenantName(tenant), tenant);
  }

  return {
    add,

    /** Tenants with work of a kind; from then on it is for the caller to see to them. */
    take(kind: WorkKind): readonly Tenant[] {
      const tenants = [...waiting[kind].values()];
      waiting[kind].clear();
      return tenants;
    },

    /**
     * Looks for due work, each time beginning with another tenant, so that none is always last. Looking takes at most a
     * tenth of the time, however many accounts there are: too early it does nothing.
     */
    async look(): Promise<void> {
      const startedAt = performance.now();
      if (startedAt < nextAt) return;
      const due = await store.work.listTenants(realNow());
      const endedAt = performance.now();
      nextAt = endedAt + 10 * (endedAt - startedAt);
      turn++;
      for (const kind of keysOf(waiting)) {
        const tenants = due[kind];
        if (tenants.length === 0) continue;
        const first = turn % tenants.length;
        for (const tenant of [...tenants.slice(first), ...tenants.slice(0, first)]) add(kind, tenant);
        onFound(kind);
      }
    },
  };
}
