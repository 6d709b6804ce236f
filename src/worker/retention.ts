/** Forgetting what is not kept for ever. Ages are in real time, whatever the clock of test data shows. */
import type { Tenant } from '../checkout/tenant.ts';
import type { Store } from '../store/store.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import { ownOrigin } from '../writer/command.ts';
import type { Execute } from '../writer/writer.ts';

export type RetentionDuties = {
  readonly store: Store;
  readonly execute: Execute;
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
  let removed = await store.retention.purgeAnswers(now - KEEP_ANSWERS_MS);
  const deliveriesBefore = now - deliveryDays * DAY_MS;
  for (const tenant of await store.retention.listTenants('deliveries', deliveriesBefore)) {
    removed += await giveUp(duties, tenant, deliveriesBefore);
    removed += await store.retention.purgeDeliveries(tenant, deliveriesBefore);
  }
  if (eventDays === 0) return removed > 0;
  const eventsBefore = now - eventDays * DAY_MS;
  for (const tenant of await store.retention.listTenants('events', eventsBefore)) {
    removed += await store.retention.purgeEvents(tenant, eventsBefore);
  }
  return removed > 0;
}

/** What has been waiting for so long, behind a receiver that has failed ever since, comes to its end. */
async function giveUp(
  { store, execute }: RetentionDuties,
  tenant: Tenant,
  createdBefore: number,
): Promise<number> {
  const oldestFirst = { limit: BATCH, before: 'whd_' };
  const { rows } = await store.deliveries.list(tenant, { state: 'pending', createdBefore }, oldestFirst);
  if (rows.length > 0) {
    const origin = ownOrigin(tenant, 'time');
    await execute({ subject: 'deliveries', origin, results: rows.map(givenUp) });
  }
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
