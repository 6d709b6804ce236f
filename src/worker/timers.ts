/** Sessions that time concerns: those that end by themselves, and those whose rail is to be asked. */
import { type Attempt, type Checkout, knowledgeOf, type Scope } from '../checkout/session.ts';
import type { Rail, RailAnswer } from '../methods/method.ts';
import type { Store } from '../store/store.ts';
import type { Origin, Transact } from '../transact.ts';

export type TimerDuties = {
  readonly store: Store;
  readonly transact: Transact;
  readonly rails: readonly Rail[];
};

/** How long to wait before a rail that did not answer is asked again. */
const ASK_AGAIN_MS = 30_000;

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
