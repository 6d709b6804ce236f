/** Numbers for the overview of a tenant: each of a bounded number of rows, or of one index alone. */
import {
  type DeliveryCounts,
  MOST_DELIVERIES,
  MOST_TIMES,
  MOST_WAITING,
  type TimeToPay,
  type Waiting,
} from '../../checkout/overview.ts';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Interval } from '../../checkout/totals.ts';
import { firstIdAt } from '../../lib/id.ts';
import { nothing, raw, type Sql, sql } from '../sql.ts';
import { classed, currenciesOf } from './checkout-classes.ts';
import { all, indexedBy, inTime, owned, RARELY, type Read, single } from './read.ts';

/** Digits of a time that are told, as the power of ten that it is below: others would only make it longer to sort. */
const TOLD = 1_000;
/** Powers of ten by which times are rounded down, the last one for all that are longer. */
const STEPS = Array.from({ length: 9 }, (_, place) => 10 ** place);

const rounded = raw(
  `CASE ${STEPS.map((step) => `WHEN time_to_pay_ms < ${TOLD * step} THEN time_to_pay_ms / ${step} * ${step}`).join(' ')}
   ELSE time_to_pay_ms / ${TOLD * 1e6} * ${TOLD * 1e6} END`,
);

/** The number of rows, of which no more are looked at than are counted. `before` is a WITH. */
const counted = (rows: Sql, before = nothing): Sql =>
  sql`(SELECT count(*) FROM (${before} SELECT 1 FROM ${rows} LIMIT ${raw(`${MOST_WAITING}`)}) AS found)`;

type TimeRow = Readonly<Record<'count' | 'median' | 'p90', number | null>>;

const numberIn = (value: number | null) => (value === null ? null : Number(value));

/** Read in a thread, in the turn of the tenant. */
const search = <T>(tenant: Tenant, read: Read<T>): Read<T> => ({ ...read, by: 'list', tenant });

export const overview = {
  /** `excessSince` is when the sessions were made, at the earliest, of which excess is counted. */
  waiting(
    tenant: Tenant,
    { excessSince }: { readonly excessSince: number },
  ): Read<Omit<Waiting, 'disabledEndpoints'>> {
    const mine = owned(tenant);
    const page = { limit: MOST_WAITING };
    const within = sql` AND checkout.id >= ${firstIdAt('chk', excessSince)}`;
    const excess = classed(tenant, { paidInExcess: true }, { page, within, most: MOST_WAITING });
    const goesBack = sql`SELECT 1 FROM refund${indexedBy('refund_checkout')}
      WHERE ${mine} AND refund.checkout = session.id AND state <> 'failed'`;
    return search(
      tenant,
      single(
        sql`SELECT
          ${counted(sql`bank_entry WHERE ${mine} AND state = 'open'`)} AS "bankEntries",
          ${counted(sql`refund WHERE ${mine} AND rail = 'bank' AND state = 'pending'`)} AS "bankRefunds",
          ${counted(sql`session WHERE NOT EXISTS (${goesBack})`, sql`WITH session (id) AS (${excess})`)} AS excess,
          ${counted(sql`delivery WHERE ${mine} AND state = 'failed'`)} AS "failedDeliveries",
          ${counted(sql`webhook_receiver WHERE ${mine} AND probe_at IS NOT NULL`)} AS "suspendedReceivers",
          ${counted(sql`provider_event WHERE ${mine} AND state = 'open'`)} AS "providerEvents"`,
        (row: Omit<Waiting, 'disabledEndpoints'>) => row,
      ),
    );
  },

  /** States of the newest deliveries that were made in the time. */
  deliveries(tenant: Tenant, { from, to }: Interval): Read<DeliveryCounts> {
    const rows = sql`SELECT state FROM delivery
      WHERE ${owned(tenant)} AND id >= ${firstIdAt('whd', from)} AND id < ${firstIdAt('whd', to)}
      ORDER BY id DESC LIMIT ${raw(`${MOST_DELIVERIES}`)}`;
    const count = (state: string) => raw(`count(*) FILTER (WHERE state = '${state}') AS ${state}`);
    return search(
      tenant,
      single(
        sql`SELECT ${count('delivered')}, ${count('pending')}, ${count('failed')} FROM (${rows}) AS newest`,
        (row: DeliveryCounts) => row,
      ),
    );
  },

  /** Times of the newest payments in a currency, to three digits: equal ones are counted before they are put in order. */
  timeToPay(
    tenant: Tenant,
    { from, to, currency }: Interval & { readonly currency: string },
  ): Read<TimeToPay> {
    const newest = sql`SELECT time_to_pay_ms FROM movement${indexedBy('movement_currency')}
      WHERE ${owned(tenant)} AND currency = ${currency} AND id >= ${firstIdAt('mov', from)}
        AND id < ${firstIdAt('mov', to)} AND ${inTime(`movement.${RARELY}`)} AND time_to_pay_ms IS NOT NULL
      ORDER BY id DESC LIMIT ${raw(`${MOST_TIMES}`)}`;
    const rows = sql`SELECT ${rounded} AS ms, count(*) AS count FROM (${newest}) AS newest GROUP BY 1`;
    return search(
      tenant,
      single(
        sql`WITH equal AS (${rows}),
          ranked AS (SELECT ms, sum(count) OVER (ORDER BY ms) AS reached, sum(count) OVER () AS whole FROM equal)
          SELECT coalesce(max(whole), 0) AS count, min(ms) FILTER (WHERE reached * 2 >= whole) AS median,
            min(ms) FILTER (WHERE reached * 10 >= whole * 9) AS p90 FROM ranked`,
        ({ count, median, p90 }: TimeRow) => ({
          count: Number(count),
          medianMs: numberIn(median),
          p90Ms: numberIn(p90),
        }),
      ),
    );
  },

  /** Currencies of the sessions that there are. */
  currencies(tenant: Tenant): Read<string[]> {
    return search(
      tenant,
      all(
        sql`WITH RECURSIVE currency (name) AS (${currenciesOf(tenant, {})})
            SELECT name FROM currency WHERE name IS NOT NULL ORDER BY name`,
        ({ name }: { readonly name: string }) => name,
      ),
    );
  },
};
