/** Session deadlines: sessions that end by themselves, and sessions whose rail has to be asked. */

import type { CheckoutId } from '../checkout/ids.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { RealTime } from '../lib/time.ts';
import { DamagedRow } from '../store/errors.ts';
import type { Store, TenantClock } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import { type RailDependencies, syncAttempt, syncRefund } from '../writer/rails.ts';

export type TimerDependencies = RailDependencies & {
  readonly store: Store;
  /** Real time in milliseconds, by the clock of leases. */
  readonly leaseNow: () => RealTime;
  readonly onError: (error: unknown) => void;
};

/**
 * Longer than a batch takes: a lease that is older belongs to a process that is gone, or is that of a damaged session,
 * which is looked at so often.
 */
const LEASE_MS = 60_000;

/**
 * Processes the due sessions of one tenant, at most `limit`, each independently of the others; returns true if there
 * may be more.
 */
export async function attendToDue(
  dependencies: TimerDependencies,
  { tenant, now }: TenantClock,
  limit: number,
): Promise<boolean> {
  const clock = { now, realNow: dependencies.leaseNow(), elapsedMs: performance.now() };
  const claim = { ...clock, leaseMs: LEASE_MS, limit };
  const claimed = await dependencies.store.work.claimCheckouts(tenant, claim);
  if (claimed.length === 0) return false;
  const errors = new Set<unknown>();
  const damaged: CheckoutId[] = [];
  let failed = 0;
  async function attend(id: CheckoutId): Promise<void> {
    try {
      await attendTo(dependencies, tenant, id, now);
    } catch (error) {
      if (error instanceof DamagedRow) {
        damaged.push(id);
        dependencies.onError(new Error(`the session ${id} is due, and damaged`, { cause: error }));
        return;
      }
      failed++;
      errors.add(error);
    }
  }
  await Promise.all(claimed.map(({ id }) => attend(id)));
  // Commands of one commit fail with the same error, which is reported once.
  for (const error of errors) dependencies.onError(error);
  // Damaged ones keep their lease: due again at once, they would be in the way of the others at each look.
  const released = claimed.map(({ id }) => id).filter((id) => !damaged.includes(id));
  await dependencies.store.work.releaseCheckouts(tenant, released);
  // Failed sessions are due again at once. Without a pause, an unwritable disk would make this loop spin.
  return claimed.length === limit && failed < limit;
}

/** Brings one session up to `now`, in the clock of its account and mode. */
export async function attendTo(
  dependencies: TimerDependencies,
  tenant: Tenant,
  id: CheckoutId,
  now: TenantTime,
): Promise<void> {
  const { store, execute } = dependencies;
  const checkout = await store.checkouts.fetch(tenant, id);
  if (checkout === null) return;
  const isDue = ({ syncAt }: { readonly syncAt: TenantTime | null }) => syncAt !== null && syncAt <= now;
  // The rails are asked first: money that came in time must not count as late because of the order of two steps.
  for (const attempt of checkout.attempts.filter(isDue))
    await syncAttempt(dependencies, checkout, attempt, now);
  for (const refund of checkout.refunds.filter(isDue)) await syncRefund(dependencies, checkout, refund, now);
  const origin = ownOrigin(tenant, 'time');
  await execute({ subject: 'checkout', origin, id, command: { type: 'tick', now } });
}
