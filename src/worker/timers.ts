/** Sessions that time concerns: those that end by themselves, and those whose rail is to be asked. */
import { type Attempt, type Checkout, knowledgeOf, type Scope } from '../checkout/session.ts';
import type { Rail, RailAnswer } from '../methods/method.ts';
import type { Origin } from '../orders/order.ts';
import type { Place, Store } from '../store/store.ts';
import type { Transact } from '../transact.ts';

export type TimerDuties = {
  readonly store: Store;
  readonly transact: Transact;
  readonly rails: readonly Rail[];
  /** Real time in milliseconds. */
  readonly realNow: () => number;
  readonly onError: (error: unknown) => void;
};

/** Longer than a batch takes: what is still leased after this belongs to a process that is gone. */
const LEASE_MS = 60_000;

/** How long to wait before a rail that did not answer is asked again. */
const ASK_AGAIN_MS = 30_000;

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
  const origin: Origin = { scope, actor: 'time', requestId: '', idempotency: null };
  const checkout = await store.checkout(scope, id);
  if (checkout === null) return;
  // First what the rails know: money that has come in time must not be late because of the order of two questions.
  for (const attempt of checkout.attempts) {
    if (attempt.syncAt === null || attempt.syncAt > now) continue;
    const answer = await ask(duties.rails, checkout, attempt, now);
    await transact({
      subject: 'checkout',
      origin: { ...origin, actor: 'rail' },
      id,
      command: {
        type: 'report',
        now,
        rail: attempt.rail,
        reference: attempt.reference,
        unknownAttempt: attempt,
        ...answer,
      },
    });
  }
  await transact({ subject: 'checkout', origin, id, command: { type: 'tick', now } });
}

/**
 * Asks the rail outside of any transaction. No answer is not a failure: the attempt is unknown then, and asked again.
 * What tells less than is known already moves nothing but the time of the next question.
 */
async function ask(
  rails: readonly Rail[],
  checkout: Checkout,
  attempt: Attempt,
  now: number,
): Promise<RailAnswer> {
  const nothing: RailAnswer = { status: 'unknown', reason: '', syncAt: null, payment: null };
  const rail = rails.find(({ name }) => name === attempt.rail);
  const answer = (await rail?.sync(checkout, attempt, now).catch(() => nothing)) ?? nothing;
  const open = knowledgeOf(answer.status) < knowledgeOf('failed');
  const syncAt = answer.syncAt ?? (open ? now + ASK_AGAIN_MS : null);
  if (knowledgeOf(answer.status) >= knowledgeOf(attempt.status) || attempt.status === 'cancelled') {
    return { ...answer, syncAt };
  }
  return { ...answer, status: attempt.status, syncAt };
}
