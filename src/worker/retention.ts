/** Retention: removes data after its time. Ages are in real time, whatever the test clock shows. */

import { REQUEST_LOG_DAYS } from '../accounts/request-log.ts';
import { type Tenant, type TenantTime, tenantName } from '../checkout/tenant.ts';
import type { Part, Round } from '../lib/rounds.ts';
import type { RealTime } from '../lib/time.ts';
import type { Store } from '../store/store.ts';
import type { Delivery } from '../webhooks/delivery.ts';
import { ownOrigin } from '../writer/command.ts';
import type { Execute } from '../writer/writer.ts';

export type RetentionDependencies = {
  readonly store: Store;
  readonly execute: Execute;
  readonly round: Round;
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
  const { retention, requestLog } = store;
  const now = realNow();
  let removed = 0;
  let isCut = false;
  const round: Round = async (parts) => {
    const result = await dependencies.round(parts);
    isCut ||= result.isCut;
    return result;
  };
  const part = (name: string, remove: () => Promise<number>): Part => ({
    name,
    run: async () => {
      const count = await remove();
      removed += count;
    },
  });
  async function ofEach(
    what: 'deliveries' | 'events',
    days: number,
    partsOf: (tenant: Tenant, before: TenantTime) => readonly Part[],
  ): Promise<void> {
    const clocks = await retention.listTenants(what, now - days * DAY_MS);
    await round(clocks.flatMap(({ tenant, now: before }) => partsOf(tenant, before)));
  }

  const deliveries = () =>
    ofEach('deliveries', deliveryDays, (tenant, before) => [
      part(`${tenantName(tenant)}: given up`, () => giveUp(dependencies, tenant, before)),
      part(`${tenantName(tenant)}: removed`, () => retention.purgeDeliveries(tenant, before)),
    ]);
  const events = () =>
    ofEach('events', eventDays, (tenant, before) => [
      part(`${tenantName(tenant)}: events`, () => retention.purgeEvents(tenant, before)),
    ]);
  async function requests(): Promise<void> {
    const before = now - REQUEST_LOG_DAYS * DAY_MS;
    const tenants = await requestLog.listTenants(before);
    await round(
      tenants.map((tenant) =>
        part(`${tenantName(tenant)}: requests`, () => requestLog.purge(tenant, before)),
      ),
    );
  }

  const kinds = [
    part('answers', () => retention.purgeAnswers(now - KEEP_ANSWERS_MS, round)),
    { name: 'deliveries', run: deliveries },
    ...(eventDays > 0 ? [{ name: 'events', run: events }] : []),
    { name: 'requests', run: requests },
  ];
  await round(kinds);
  return removed > 0 || isCut;
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
