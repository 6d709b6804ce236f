/** Sessions that time concerns: those that end by themselves, and those whose rail is to be asked. */
import type { Tenant } from '../checkout/tenant.ts';
import type { Store, TenantClock } from '../store/store.ts';
import { ownOrigin } from '../writer/command.ts';
import { type RailDuties, syncAttempt, syncRefund } from '../writer/rails.ts';

export type TimerDuties = RailDuties & {
  readonly store: Store;
  /** Real time in milliseconds. */
  readonly realNow: () => number;
  readonly onError: (error: unknown) => void;
};

/** Longer than a batch takes: what is still leased after this belongs to a process that is gone. */
const LEASE_MS = 60_000;

/**
 * Attends to what is due in one place, at most `limit` sessions, each of them whatever becomes of the others; says
 * whether there may be more.
 */
export async function attendToDue(
  duties: TimerDuties,
  { tenant, now }: TenantClock,
  limit: number,
): Promise<boolean> {
  const claim = { now, realNow: duties.realNow(), leaseMs: LEASE_MS, limit };
  const claimed = await duties.store.work.claimCheckouts(tenant, claim);
  if (claimed.length === 0) return false;
  const settled = await Promise.allSettled(claimed.map(({ id }) => attendTo(duties, tenant, id, now)));
  const failed = settled.filter((each) => each.status === 'rejected');
  // What was to be committed together fails with one and the same error, which is said once.
  for (const error of new Set(failed.map(({ reason }): unknown => reason))) duties.onError(error);
  await duties.store.work.releaseCheckouts(
    tenant,
    claimed.map(({ id }) => id),
  );
  // Those that failed are due again at once: without a pause, where nothing can be written, this would go in circles.
  return claimed.length === limit && failed.length < limit;
}

/** Brings one session up to `now`, in the clock of its account and mode. */
export async function attendTo(duties: TimerDuties, tenant: Tenant, id: string, now: number): Promise<void> {
  const { store, execute } = duties;
  const checkout = await store.checkouts.fetch(tenant, id);
  if (checkout === null) return;
  const isDue = ({ syncAt }: { readonly syncAt: number | null }) => syncAt !== null && syncAt <= now;
  // First what the rails know: money that has come in time must not be late because of the order of two questions.
  for (const attempt of checkout.attempts.filter(isDue)) await syncAttempt(duties, checkout, attempt, now);
  for (const refund of checkout.refunds.filter(isDue)) await syncRefund(duties, checkout, refund, now);
  const origin = ownOrigin(tenant, 'time');
  await execute({ subject: 'checkout', origin, id, command: { type: 'tick', now } });
}
