/** Forgetting what is not kept for ever. Ages are in real time, whatever the clock of test data shows. */
import type { Scope } from '../checkout/session.ts';
import type { Delivery } from '../store/delivery.ts';
import type { Store } from '../store/store.ts';
import type { Transact } from '../transact.ts';

export type RetentionDuties = {
  readonly store: Store;
  readonly transact: Transact;
  /** Real time in milliseconds. */
  readonly realNow: () => number;
  readonly deliveryDays: number;
  /** 0: for ever. */
  readonly eventDays: number;
};

const DAY_MS = 24 * 3_600_000;
/** Answers to repeated requests are kept for at least a day. */
const KEEP_ANSWERS_MS = 25 * 3_600_000;
const BATCH = 250;

/** Forgets a bounded number of each kind; says whether there may be more. */
export async function forgetOld(duties: RetentionDuties): Promise<boolean> {
  const { store, realNow, deliveryDays, eventDays } = duties;
  const now = realNow();
  let removed = await store.purgeAnswers(now - KEEP_ANSWERS_MS);
  const deliveriesBefore = now - deliveryDays * DAY_MS;
  for (const scope of await store.placesWithOld('deliveries', deliveriesBefore)) {
    removed += await giveUp(duties, scope, deliveriesBefore);
    removed += await store.purgeDeliveries(scope, deliveriesBefore);
  }
  if (eventDays === 0) return removed > 0;
  const eventsBefore = now - eventDays * DAY_MS;
  for (const scope of await store.placesWithOld('events', eventsBefore)) {
    removed += await store.purgeEvents(scope, eventsBefore);
  }
  return removed > 0;
}

/** What has been waiting for so long, behind a receiver that has failed ever since, comes to its end. */
async function giveUp(
  { store, transact }: RetentionDuties,
  scope: Scope,
  createdBefore: number,
): Promise<number> {
  const oldestFirst = { limit: BATCH, before: 'whd_' };
  const { rows } = await store.deliveries(scope, { state: 'pending', createdBefore }, oldestFirst);
  if (rows.length > 0) await transact({ subject: 'deliveries', scope, results: rows.map(givenUp) });
  return rows.length;
}

function givenUp({ id, receiver, subject, createdAt, lastStatus }: Delivery) {
  return {
    id,
    receiver,
    subject,
    lease: null,
    round: null,
    failing: false,
    at: createdAt,
    state: 'failed',
    dueAt: null,
    httpStatus: lastStatus,
    error: 'given up',
    attempt: null,
  } as const;
}
