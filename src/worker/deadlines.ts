/** Session deadlines: sessions that end by themselves, and sessions whose rail has to be asked. */

import type { CheckoutId } from '../checkout/ids.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { RealTime } from '../lib/time.ts';
import type { Store, TenantClock } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import { type RailDependencies, syncAttempt, syncRefund } from '../writer/rails.ts';

export type TimerDependencies = RailDependencies & {
  readonly store: Store;
  /** Real time in milliseconds. */
  readonly realNow: () => RealTime;
  readonly onError: (error: unknown) => void;
};

/** Longer than a batch takes: a lease that is older belongs to a process that is gone. */
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
  const claim = { now, realNow: dependencies.realNow(), leaseMs: LEASE_MS, limit };
  const claimed = await dependencies.store.work.claimCheckouts(tenant, claim);
  if (claimed.length === 0) return false;
  const settled = await Promise.allSettled(claimed.map(({ id }) => attendTo(dependencies, tenant, id, now)));
  const failed = settled.filter((each) => each.status === 'rejected');
  // Commands of one commit fail with the same error, which is reported once.
  for (const error of new Set(failed.map(({ reason }): unknown => reason))) dependencies.onError(error);
  await dependencies.store.work.releaseCheckouts(
    tenant,
    claimed.map(({ id }) => id),
  );
  // Failed sessions are due again at once. Without a pause, an unwritable disk would make this loop spin.
  return claimed.length === limit && failed.length < limit;
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
