/** Retention: removes data after its time. Ages are in real time, whatever the test clock shows. */

import { REQUEST_LOG_DAYS } from '../accounts/request-log.ts';
import type { Tenant, TenantTime } from '../checkout/tenant.ts';
import type { RealTime } from '../lib/time.ts';
import type { Store } from '../store/store.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import { ownOrigin } from '../writer/command.ts';
import type { Execute } from '../writer/writer.ts';

export type RetentionDependencies = {
  readonly store: Store;
  readonly execute: Execute;
  /** Hears why entries of the log of requests stay. */
  readonly onError: (error: unknown) => void;
  /** Real time in milliseconds. */
  readonly realNow: () => RealTime;
  readonly deliveryDays: number;
  /** 0 keeps them for ever. */
  readonly eventDays: number;
};

const DAY_MS = 24 * 3_600_000;
/** Stored answers to repeated requests are kept for at least a day. */
const KEEP_ANSWERS_MS = 25 * 3_600_000;
const BATCH = 250;

/** Removes a bounded number of rows of each kind; returns true if there may be more. */
export async function removeOld(dependencies: RetentionDependencies): Promise<boolean> {
  const { store, realNow, deliveryDays, eventDays } = dependencies;
  const now = realNow();
  let removed = await store.retention.purgeAnswers(now - KEEP_ANSWERS_MS);
  const deliveriesBefore = now - deliveryDays * DAY_MS;
  for (const { tenant, now: before } of await store.retention.listTenants('deliveries', deliveriesBefore)) {
    removed += await giveUp(dependencies, tenant, before);
    removed += await store.retention.purgeDeliveries(tenant, before);
  }
  if (eventDays > 0) {
    const eventsBefore = now - eventDays * DAY_MS;
    for (const { tenant, now: before } of await store.retention.listTenants('events', eventsBefore)) {
      removed += await store.retention.purgeEvents(tenant, before);
    }
  }
  removed += await removeRequests(dependencies, now - REQUEST_LOG_DAYS * DAY_MS);
  return removed > 0;
}

/** Removes old entries of the log of requests, whose trouble is nobody else's: each tenant by itself, and last of all. */
async function removeRequests(
  { store, onError }: RetentionDependencies,
  createdBefore: RealTime,
): Promise<number> {
  let removed = 0;
  for (const tenant of await store.requestLog.listTenants(createdBefore)) {
    removed += await store.requestLog.purge(tenant, createdBefore).catch((error: unknown) => {
      onError(error);
      return 0;
    });
  }
  return removed;
}

/** Fails deliveries that have waited for so long behind a failing receiver. */
async function giveUp(
  { store, execute }: RetentionDependencies,
  tenant: Tenant,
  createdBefore: TenantTime,
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
