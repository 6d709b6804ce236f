/** Sessions that time concerns: those that end by themselves, and those whose rail is to be asked. */
import type { Scope } from '../checkout/session.ts';
import type { Origin } from '../orders/order.ts';
import { type RailDuties, syncAttempt, syncRefund } from '../rails.ts';
import type { Place, Store } from '../store/store.ts';

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
  { scope, now }: Place,
  limit: number,
): Promise<boolean> {
  const claim = { now, realNow: duties.realNow(), leaseMs: LEASE_MS, limit };
  const claimed = await duties.store.claimCheckouts(scope, claim);
  if (claimed.length === 0) return false;
  const settled = await Promise.allSettled(claimed.map(({ id }) => attendTo(duties, scope, id, now)));
  const failed = settled.filter((each) => each.status === 'rejected');
  // What was to be committed together fails with one and the same error, which is said once.
  for (const error of new Set(failed.map(({ reason }): unknown => reason))) duties.onError(error);
  await duties.store.releaseCheckouts(
    scope,
    claimed.map(({ id }) => id),
  );
  // Those that failed are due again at once: without a pause, where nothing can be written, this would go in circles.
  return claimed.length === limit && failed.length < limit;
}

/** Brings one session up to `now`, in the clock of its account and mode. */
export async function attendTo(duties: TimerDuties, scope: Scope, id: string, now: number): Promise<void> {
  const { store, transact } = duties;
  const checkout = await store.checkout(scope, id);
  if (checkout === null) return;
  const isDue = ({ syncAt }: { readonly syncAt: number | null }) => syncAt !== null && syncAt <= now;
  // First what the rails know: money that has come in time must not be late because of the order of two questions.
  for (const attempt of checkout.attempts.filter(isDue)) await syncAttempt(duties, checkout, attempt, now);
  for (const refund of checkout.refunds.filter(isDue)) await syncRefund(duties, checkout, refund, now);
  const origin: Origin = { scope, actor: 'time', requestId: '', idempotency: null };
  await transact({ subject: 'checkout', origin, id, command: { type: 'tick', now } });
}
