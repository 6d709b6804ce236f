/** Leases of sessions that are due. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Claim } from '../../webhooks/delivery.ts';
import { type DueCheckout, dueCheckouts } from '../resources/work.ts';
import type { Writes } from '../store.ts';
import { endExpired, type Lease } from './leases.ts';
import type { Runner } from './run.ts';

export function checkoutLeases({ read }: Runner) {
  const leases = new Map<string, Lease>();

  return {
    claim(tenant: Tenant, { now, elapsedMs, leaseMs, limit }: Claim): DueCheckout[] {
      endExpired(leases, elapsedMs);
      const taken = read(dueCheckouts(tenant, now, limit, [...leases.keys()]));
      for (const { id } of taken) leases.set(id, { endsAtMs: elapsedMs + leaseMs });
      return taken;
    },

    release(_tenant: Tenant, ids: readonly CheckoutId[]): void {
      for (const id of ids) leases.delete(id);
    },

    /** Ends the lease of a session that was committed. */
    end({ checkout }: Writes): void {
      if (checkout) leases.delete(checkout.after.id);
    },
  };
}
