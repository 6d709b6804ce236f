/** Sums of movements of money, and numbers of sessions, by intervals of time and currency. */
import type { Tenant } from '../../checkout/tenant.ts';
import {
  type Interval,
  MOST_DUE,
  type MovementSum,
  type SessionCount,
  type SessionSum,
  timesToPayMs,
} from '../../checkout/totals.ts';
import { firstIdAt, type IdPrefix } from '../../lib/id.ts';
import { either, join, nothing, raw, type Sql, sql } from '../sql.ts';
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

/** The intervals as rows, whose bounds are ids with this prefix. */
const spansOf = ({ intervals }: TotalsFilter, prefix: IdPrefix): Sql =>
  sql`span (place, first, beyond) AS (VALUES ${join(
    intervals.map(
      ({ from, to }, place) =>
        sql`(${raw(`${place}`)}, ${firstIdAt(prefix, from)}, ${firstIdAt(prefix, to)})`,
    ),
    ', ',
  )})`;

/** A WITH of the currencies and the intervals. */
const ranges = (tenant: Tenant, filter: TotalsFilter, prefix: IdPrefix): Sql => sql`
  WITH RECURSIVE currency (name) AS (${currenciesOf(tenant, filter)}), ${spansOf(filter, prefix)}`;

/** Money of a session: PostgreSQL has it in a narrow row, where SQLite has what it follows from in an index. */
const amountsOf = either({
  // Of these sessions, those that are not active were paid more than they are owed.
  sqlite: raw('max(amount - amount_paid, 0) AS open, max(amount_paid - amount, 0) AS excess'),
  postgres: raw('amount_open AS open, amount_excess AS excess'),
});
const currencyColumn = either({ sqlite: raw('invoice_currency'), postgres: raw('currency') });
const isDue = either({
  sqlite: raw("(status = 'active' OR paid_in_excess = 1)"),
  postgres: raw('(amount_open > 0 OR amount_excess > 0)'),
});

type DueRow = Pick<SessionSum, 'interval' | 'currency'> & {
  readonly [part in 'found' | `${'open' | 'excess'}${'Count' | 'Millions' | 'Rest'}`]: number;
};

/** Reads as lists do, for a limited time: there may be much to look at. */
const search = <R, T>(tenant: Tenant, statement: Sql, from: (row: R) => T): Read<T[]> => ({
  ...all(statement, from, 'list'),
  tenant,
  rare: true,
});

function dueFrom(rows: readonly DueRow[], most: number): SessionSum[] | null {
  if (rows.reduce((sum, { found }) => sum + Number(found), 0) > most) return null;
  return rows.map(({ interval, currency, ...row }) => ({
    interval,
    currency,
    open: { count: Number(row.openCount), amount: fromParts(row.openMillions, row.openRest) },
    excess: { count: Number(row.excessCount), amount: fromParts(row.excessMillions, row.excessRest) },
  }));
}

export const totals = {
  movements(tenant: Tenant, filter: TotalsFilter): Read<MovementSum[]> {
    const times = timesToPay.map(([name, is]) => `count(*) FILTER (WHERE time_to_pay_ms ${is}) AS "${name}"`);
    const sums = raw(
      [
        'rail, type, late, fee_currency AS "feeCurrency", count(*) AS count',
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
          GROUP BY place, name, rail, type, late, fee_currency`,
        postgres: sql`found.* FROM currency CROSS JOIN span CROSS JOIN LATERAL (
          SELECT ${sums} FROM movement WHERE ${conditions} GROUP BY rail, type, late, fee_currency) AS found`,
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

  /**
   * Money that sessions which were created in the intervals are owed, or were paid beyond their amounts; null if these are
   * more than are added up. They are looked at in the order of lists: an index by currency would be one more that each
   * change of an amount has to write.
   */
  due(tenant: Tenant, filter: TotalsFilter, most = MOST_DUE): Read<SessionSum[] | null> {
    const { currency } = filter;
    const table = either({ sqlite: raw('checkout'), postgres: raw('checkout_overview') });
    const rows = sql`SELECT place, ${currencyColumn} AS name, ${amountsOf}
      FROM span CROSS JOIN ${table}${indexedBy('checkout_overview')}
      WHERE ${owned(tenant)} AND id >= span.first AND id < span.beyond AND ${inTime(`checkout.${RARELY}`)} AND ${isDue}
        ${currency === undefined ? nothing : sql`AND ${currencyColumn} = ${currency}`}
      LIMIT ${most + 1}`;
    const sums = raw(
      ['open', 'excess']
        .map(
          (part) =>
            `count(*) FILTER (WHERE ${part} > 0) AS "${part}Count", ${partsOf(part, `${part}Millions`, `${part}Rest`)}`,
        )
        .join(', '),
    );
    return {
      sql: sql`WITH ${spansOf(filter, 'chk')}
        SELECT place AS interval, name AS currency, count(*) AS found, ${sums} FROM (${rows}) AS due GROUP BY place, name`,
      by: 'list',
      tenant,
      rare: true,
      from: (found) => dueFrom(found as readonly DueRow[], most),
    };
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
