/** Sums of movements of money, and numbers of sessions, by intervals of time and currency. */
import type { Tenant } from '../../checkout/tenant.ts';
import { type Interval, type MovementSum, type SessionCount, timesToPayMs } from '../../checkout/totals.ts';
import { firstIdAt, type IdPrefix } from '../../lib/id.ts';
import { either, join, raw, type Sql, sql } from '../sql.ts';
import { classesOf, currenciesOf, isOfClass } from './checkout-classes.ts';
import { all, indexedBy, inTime, owned, RARELY, type Read } from './read.ts';

/** Intervals that are asked for, of one currency or of all. */
export type TotalsFilter = { readonly intervals: readonly Interval[]; readonly currency?: string };

/** Amounts are summed up in two parts, which many of the largest leave in the range of integers. */
const MILLION = 1_000_000;

type SumRow = Omit<MovementSum, 'amount' | 'fee'> & {
  readonly [part in 'millions' | 'rest' | 'feeMillions' | 'feeRest']: number;
};

/** Columns with the sum of a column, in two parts. */
const partsOf = (column: string, millions: string, rest: string) =>
  `coalesce(sum(${column} / ${MILLION}), 0) AS "${millions}", coalesce(sum(${column} % ${MILLION}), 0) AS "${rest}"`;

const fromParts = (millions: number, rest: number) => BigInt(millions) * BigInt(MILLION) + BigInt(rest);

/** Conditions of the times to pay, by their names in a sum. All are counted in the one pass that sums up. */
const timesToPay = [
  ...Object.entries(timesToPayMs).map(([name, ms]) => [name, `<= ${ms}`]),
  ['over1Week', `> ${timesToPayMs.within1Week}`],
] as const;

/** A WITH of the currencies and the intervals, whose bounds are ids with this prefix. */
const ranges = (tenant: Tenant, { intervals, ...filter }: TotalsFilter, prefix: IdPrefix): Sql => sql`
  WITH RECURSIVE currency (name) AS (${currenciesOf(tenant, filter)}), span (place, first, beyond) AS (VALUES ${join(
    intervals.map(
      ({ from, to }, place) =>
        sql`(${raw(`${place}`)}, ${firstIdAt(prefix, from)}, ${firstIdAt(prefix, to)})`,
    ),
    ', ',
  )})`;

/** Reads as lists do, for a limited time: there may be much to look at. */
const search = <R, T>(tenant: Tenant, statement: Sql, from: (row: R) => T): Read<T[]> => ({
  ...all(statement, from, 'list'),
  tenant,
  rare: true,
});

export const totals = {
  movements(tenant: Tenant, filter: TotalsFilter): Read<MovementSum[]> {
    const times = timesToPay.map(([name, is]) => `count(*) FILTER (WHERE time_to_pay_ms ${is}) AS "${name}"`);
    const sums = raw(
      [
        'type, late, fee_currency AS "feeCurrency", count(*) AS count',
        partsOf('amount', 'millions', 'rest'),
        partsOf('fee', 'feeMillions', 'feeRest'),
        ...times,
      ].join(', '),
    );
    const conditions = sql`${owned(tenant, 'movement')} AND movement.currency = currency.name
      AND movement.id >= span.first AND movement.id < span.beyond AND ${inTime(`movement.${RARELY}`)}`;
    const statement = sql`${ranges(tenant, filter, 'mov')}
      SELECT place AS interval, name AS currency, ${either({
        sqlite: sql`${sums} FROM currency CROSS JOIN span
          CROSS JOIN movement${indexedBy('movement_currency')} ON ${conditions}
          GROUP BY place, name, type, late, fee_currency`,
        postgres: sql`found.* FROM currency CROSS JOIN span CROSS JOIN LATERAL (
          SELECT ${sums} FROM movement WHERE ${conditions} GROUP BY type, late, fee_currency) AS found`,
      })}`;
    return search(
      tenant,
      statement,
      ({ late, count, millions, rest, feeMillions, feeRest, ...row }: SumRow) => ({
        ...row,
        late: Boolean(late),
        count: Number(count),
        amount: fromParts(millions, rest),
        fee: fromParts(feeMillions, feeRest),
      }),
    );
  },

  /** Sessions that were created in the intervals, as they are now. */
  sessions(tenant: Tenant, filter: TotalsFilter): Read<SessionCount[]> {
    const count = sql`(
      SELECT count(*) FROM checkout${indexedBy('checkout_class')}
      WHERE ${isOfClass(tenant)} AND checkout.id >= span.first AND checkout.id < span.beyond AND ${inTime(`checkout.${RARELY}`)})`;
    // Made out before the empty ones are left out: else each is counted twice.
    const statement = sql`${ranges(tenant, filter, 'chk')},
      class (status, payment_status, partially_paid, paid_in_excess) AS (${classesOf({})}),
      counted AS MATERIALIZED (
        SELECT place AS interval, name AS currency, status,
          partially_paid AS "partiallyPaid", paid_in_excess AS "paidInExcess", ${count} AS count
        FROM currency CROSS JOIN class CROSS JOIN span WHERE name IS NOT NULL
      )
      SELECT * FROM counted WHERE count > 0`;
    return search(tenant, statement, ({ partiallyPaid, paidInExcess, count, ...row }: SessionCount) => ({
      ...row,
      partiallyPaid: Boolean(partiallyPaid),
      paidInExcess: Boolean(paidInExcess),
      count: Number(count),
    }));
  },
};
