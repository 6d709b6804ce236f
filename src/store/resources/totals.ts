/** Sums of movements of money, and numbers of sessions, by intervals of time and currency. */
import type { Tenant } from '../../checkout/tenant.ts';
import {
  type Interval,
  type MovementSum,
  type SessionCount,
  type TimesToPay,
  timesToPayMs,
} from '../../checkout/totals.ts';
import { firstIdAt, type IdPrefix } from '../../lib/id.ts';
import { either, join, nothing, raw, type Sql, sql } from '../sql.ts';
import { classesOf, currenciesOf, isOfClass } from './checkout-classes.ts';
import { all, indexedBy, inTime, isSet, owned, RARELY, type Read } from './read.ts';

/** Intervals that are asked for, of one currency or of all. */
export type TotalsFilter = { readonly intervals: readonly Interval[]; readonly currency?: string };

/** Amounts are summed up in two parts, which many of the largest leave in the range of integers. */
const MILLION = 1_000_000;

const parts = (column: string) =>
  [`${column} / ${MILLION}`, `${column} % ${MILLION}`].map(
    (part) => `CAST(coalesce(sum(${part}), 0) AS TEXT)`,
  );

/** Conditions of the times to pay. All are counted in the one pass that sums up. */
const timesToPay = [...Object.values(timesToPayMs).map((ms) => `<= ${ms}`), `> ${timesToPayMs.within1Week}`];

/**
 * Sums of a column as one value, a JSON array: the number of rows, and the sum in two parts. So they are made out for each
 * interval by itself, in the order of an index, where a GROUP BY would put all rows in order first.
 */
const packed = (column: string, ...further: readonly string[]): Sql => {
  const sums = raw(['count(*)', ...parts(column), ...further].join(', '));
  return either({ sqlite: sql`json_array(${sums})`, postgres: sql`json_build_array(${sums})::text` });
};

type SumRow = {
  readonly interval: number;
  readonly currency: string;
  readonly of: MovementSum['of'];
  readonly feeCurrency: string | null;
  readonly sums: string;
};

type Packed = [count: number, millions: string, rest: string, ...times: number[]];

/** The sum of a row; none of what there is nothing of. */
function sumFrom({ interval, currency, of, feeCurrency, sums }: SumRow): MovementSum[] {
  const [count, millions, rest, ...times] = JSON.parse(sums) as Packed;
  if (count === 0) return [];
  const amount = BigInt(millions) * BigInt(MILLION) + BigInt(rest);
  const sum = { interval, currency, count, amount };
  switch (of) {
    case 'all':
      return [{ ...sum, of, ...timesFrom(times) }];
    case 'fee':
      return feeCurrency === null ? [] : [{ ...sum, of, feeCurrency }];
    default:
      return [{ ...sum, of }];
  }
}

function timesFrom([
  within1Minute = 0,
  within10Minutes = 0,
  within1Hour = 0,
  within1Day = 0,
  within1Week = 0,
  over1Week = 0,
]: readonly number[]): TimesToPay {
  return { within1Minute, within10Minutes, within1Hour, within1Day, within1Week, over1Week };
}

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
    const mine = owned(tenant, 'movement');
    const within = sql`movement.id >= span.first AND movement.id < span.beyond AND ${inTime(`movement.${RARELY}`)}`;
    const wanted = filter.currency === undefined ? nothing : sql` AND movement.currency = ${filter.currency}`;
    const times = timesToPay.map((is) => `count(*) FILTER (WHERE time_to_pay_ms ${is})`);
    const withFee = sql`movement${indexedBy('movement_fee')} WHERE ${mine} AND fee_currency IS NOT NULL`;
    /** Few rows, which are put in order. PostgreSQL would join them with the intervals in an order of its own. */
    const apart = (what: Sql, from: Sql, index: string, condition: Sql) => {
      const rows = sql`${mine} AND ${condition} AND ${within}${wanted}`;
      return sql`SELECT place, ${either({
        sqlite: sql`movement.currency, ${what}, NULL, ${packed('amount')} FROM ${from} CROSS JOIN span
          CROSS JOIN movement${indexedBy(index)} ON ${rows} GROUP BY place, movement.currency, ${what}`,
        postgres: sql`found.currency, ${what}, NULL, found.sums FROM ${from} CROSS JOIN span CROSS JOIN LATERAL (
          SELECT currency, ${packed('amount')} AS sums FROM movement WHERE ${rows} GROUP BY currency) AS found`,
      })}`;
    };
    const statement = sql`${ranges(tenant, filter, 'mov')}, back (type) AS (VALUES ('refund'), ('reversal')),
      late (type) AS (VALUES ('late')),
      charge (name) AS (
        SELECT min(fee_currency) FROM ${withFee}
        UNION ALL SELECT (SELECT min(fee_currency) FROM ${withFee} AND fee_currency > charge.name)
          FROM charge WHERE charge.name IS NOT NULL),
      charged (currency, name) AS (
        SELECT currency.name, charge.name FROM currency CROSS JOIN charge
        WHERE currency.name IS NOT NULL AND charge.name IS NOT NULL AND (
          SELECT movement.id FROM ${withFee} AND fee_currency = charge.name AND movement.currency = currency.name
          ORDER BY movement.id LIMIT 1) IS NOT NULL)
      SELECT place AS interval, name AS currency, 'all' AS of, NULL AS "feeCurrency", (
        SELECT ${packed('amount', ...times)} FROM movement${indexedBy('movement_currency')}
        WHERE ${mine} AND movement.currency = currency.name AND ${within}) AS sums
      FROM currency CROSS JOIN span WHERE name IS NOT NULL
      UNION ALL ${apart(raw('back.type'), raw('back'), 'movement_back', sql`movement.type = back.type AND movement.type <> 'payment'`)}
      UNION ALL ${apart(raw('late.type'), raw('late'), 'movement_late', isSet('late', true))}
      UNION ALL SELECT place, charged.currency, 'fee', charged.name, (
        SELECT ${packed('fee')} FROM ${withFee} AND fee_currency = charged.name
          AND movement.currency = charged.currency AND ${within})
      FROM charged CROSS JOIN span`;
    const read = search(tenant, statement, (row: SumRow) => row);
    return { ...read, from: (rows) => read.from(rows).flatMap(sumFrom) };
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
