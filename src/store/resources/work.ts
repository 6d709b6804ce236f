/** The work that waits: what is due, and how much. */
import type { CheckoutId } from '../../checkout/ids.ts';
import type { Mode, Tenant, TenantTime } from '../../checkout/tenant.ts';
import { firstIdAt } from '../../lib/id.ts';
import type { RealTime } from '../../lib/time.ts';
import { LONGEST_PROBE_MS } from '../../webhooks/health.ts';
import { either, isAnyOf, raw, type Sql, sql } from '../sql.ts';
import type { Row } from '../tables.ts';
import { all, asItIs, owned, type Read, single } from './read.ts';
import { accountsWith, isAmong } from './tenants.ts';

export type WorkKind = 'checkouts' | 'deliveries' | 'providerEvents' | 'bankEntries';
/** Tenants in which work is due, by its kind. */
export type DueTenants = Readonly<Record<WorkKind, readonly Tenant[]>>;

/** Lists of tenants, to be filled. */
export const noTenants = (): Record<WorkKind, Tenant[]> => ({
  checkouts: [],
  deliveries: [],
  providerEvents: [],
  bankEntries: [],
});

export type DueCheckout = { readonly id: CheckoutId; readonly dueAt: TenantTime };

/** Sessions that are due by `now` in the clock of their tenant but for these, the longest due first. */
export function dueCheckouts(
  tenant: Tenant,
  now: TenantTime,
  limit: number,
  except: readonly string[] = [],
): Read<DueCheckout[]> {
  const source = either({
    sqlite: sql`SELECT id, due_at AS "dueAt" FROM checkout WHERE NOT ${isAnyOf('id', except)} AND`,
    postgres: sql`SELECT checkout AS id, due_at AS "dueAt" FROM timer WHERE`,
  });
  return all(
    sql`${source} ${owned(tenant)} AND due_at <= ${now} ORDER BY due_at LIMIT ${limit}`,
    asItIs<DueCheckout>,
    'look',
  );
}

export const work = {
  /** Due sessions, those that somebody holds as well. */
  listDueCheckouts: (tenant: Tenant, now: TenantTime, limit: number): Read<DueCheckout[]> =>
    dueCheckouts(tenant, now, limit),
  countDueDeliveries,
};

/**
 * A real time that has been: that of the newest event of all. Test clocks only go ahead, so what they were ahead when an
 * event was made is no more than they are now. Ids begin with their time. `among` as in `Reachable`.
 */
export function newestTime(among: readonly number[] | null): Read<RealTime | null> {
  const reachable = { inShards: true, among };
  return single(
    sql`SELECT max(at) AS newest FROM (
          SELECT ${newestIn('live', among)} AS at FROM ${accountsWith('live', reachable)}
          UNION ALL SELECT ${newestIn('test', among)} - test_clock_offset_ms FROM ${accountsWith('test', reachable)}
        ) AS known`,
    ({ newest }: { readonly newest: RealTime | null }) => newest,
    'look',
  );
}

function newestIn(mode: Mode, among: readonly number[] | null): Sql {
  return sql`(SELECT created_at FROM event WHERE ${isAmong('account', among)}event.account = number AND live = ${mode === 'live'}
              ORDER BY id DESC LIMIT 1)`;
}

/** So many of a tenant at once. */
const STRANDED_AT_ONCE = 250;

type Found = Pick<Row<'delivery'>, 'id' | 'receiver' | 'subject' | 'lastStatus' | 'lastError'>;

/** Deliveries that are not due although none of their ordering key is before them; `among` as in `Reachable`. */
export function isStranded(since: RealTime, among: readonly number[] | null): Sql {
  return sql`state = 'pending' AND due_at IS NULL AND id >= ${firstIdAt('whd', since)} AND NOT EXISTS (
    SELECT 1 FROM delivery AS earlier
    WHERE ${isAmong('earlier.account', among)}earlier.account = delivery.account AND earlier.live = delivery.live
      AND earlier.receiver = delivery.receiver AND earlier.subject = delivery.subject AND earlier.state = 'pending'
      AND (earlier.sequence, earlier.id) < (delivery.sequence, delivery.id))`;
}

export const strandedDeliveries = (tenant: Tenant, since: RealTime) =>
  all(
    sql`SELECT id, receiver, subject, last_status AS "lastStatus", last_error AS "lastError" FROM delivery
        WHERE ${owned(tenant)} AND ${isStranded(since, [tenant.account])} LIMIT ${STRANDED_AT_ONCE}`,
    ({ lastStatus: httpStatus, lastError: error, ...delivery }: Found) => ({
      ...delivery,
      httpStatus,
      error,
    }),
    'look',
  );

/** Numbers for operators. */
export type Gauges = {
  readonly pendingDeliveries: number;
  readonly suspendedReceivers: number;
  /** Provider events that wait for a person. */
  readonly openProviderEvents: number;
  readonly openBankEntries: number;
};

/** Deliveries that are due and may go out: receivers that are suspended get no more than what they are probed with. */
function countDueDeliveries(tenant: Tenant, now: number): Read<number> {
  return single(
    sql`SELECT count(*) AS due FROM delivery
        WHERE ${owned(tenant)} AND due_at <= ${now} AND receiver NOT IN (
          SELECT id FROM webhook_receiver
          WHERE ${owned(tenant)} AND probe_at > ${now} AND probe_at <= ${now + LONGEST_PROBE_MS})`,
    ({ due }: { readonly due: number }) => due,
    'look',
  );
}

/** `among` as in `Reachable`. */
export const gauges = (among: readonly number[] | null): Read<Gauges> => {
  const count = (table: string, condition: string) =>
    sql`(SELECT count(*) FROM ${raw(table)} WHERE ${isAmong('account', among)}${raw(condition)})`;
  return single(
    sql`SELECT ${count('delivery', "state = 'pending'")} AS pending,
          ${count('webhook_receiver', 'probe_at IS NOT NULL')} AS suspended,
          ${count('provider_event', "state = 'open'")} AS events,
          ${count('bank_entry', "state = 'open'")} AS entries`,
    ({
      pending,
      suspended,
      events,
      entries,
    }: Readonly<Record<'pending' | 'suspended' | 'events' | 'entries', number>>) => ({
      pendingDeliveries: pending,
      suspendedReceivers: suspended,
      openProviderEvents: events,
      openBankEntries: entries,
    }),
    'count',
  );
};
