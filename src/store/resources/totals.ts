/** Sums of movements of money, and numbers of sessions, by intervals of time and currency. */
import type { Tenant } from '../../checkout/tenant.ts';
import {
  type Interval,
  MOST_DUE,
  type MovementSum,
  type SessionCount,
  type SessionSum,
  type TimesToPay,
  timesToPayMs,
} from '../../checkout/totals.ts';
import { firstIdAt, type IdPrefix } from '../../lib/id.ts';
import { either, join, nothing, raw, type Sql, sql } from '../sql.ts';
import { classesOf, currenciesOf, isOfClass } from './checkout-classes.ts';
import { blockRows, blocksIn, FEW_DUE, inBlocks, owing, type Span } from './checkout-counts.ts';
import { all, indexedBy, inTime, isSet, owned, RARELY, type Read } from './read.ts';

/** Intervals that are asked for, of one currency or of all. */
export type TotalsFilter = { readonly intervals: readonly Interval[]; readonly currency?: string };

/** Amounts are summed up in two parts, which many of the largest leave in the range of integers. */
const MILLION = 1_000_000;

/** The sum of a column in two parts, as text: the sum of the rest may have more digits than a JSON number holds. */
const partsOf = (column: string): readonly [millions: string, rest: string] => [
  `CAST(coalesce(sum(${column} / ${MILLION}), 0) AS TEXT)`,
  `CAST(coalesce(sum(${column} % ${MILLION}), 0) AS TEXT)`,
];

const fromParts = (millions: string, rest: string) => BigInt(millions) * BigInt(MILLION) + BigInt(rest);

/** Conditions of the times to pay. All are counted in the one pass that sums up. */
const timesToPay = [...Object.values(timesToPayMs).map((ms) => `<= ${ms}`), `> ${timesToPayMs.within1Week}`];

/**
 * Sums of a column as one value, a JSON array: the number of rows, and the sum in two parts. So they are made out for each
 * interval by itself, in the order of an index, where a GROUP BY would put all rows in order first.
 */
const packed = (column: string, ...further: readonly string[]): Sql => {
  const sums = raw(['count(*)', ...partsOf(column), ...further].join(', '));
  return either({ sqlite: sql`json_array(${sums})`, postgres: sql`json_build_array(${sums})::text` });
};

type SumRow = {
  readonly interval: number;
  readonly currency: string;
  readonly rail: string;
  readonly of: MovementSum['of'];
  readonly feeCurrency: string | null;
  readonly sums: string;
};

type Packed = [count: number, millions: string, rest: string, ...times: number[]];

/** The sum of a row; none of what there is nothing of. */
function sumFrom({ interval, currency, rail, of, feeCurrency, sums }: SumRow): MovementSum[] {
  const [count, millions, rest, ...times] = JSON.parse(sums) as Packed;
  if (count === 0) return [];
  const sum = { interval, currency, rail, count, amount: fromParts(millions, rest) };
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

const placed = ({ intervals }: TotalsFilter): readonly Span[] =>
  intervals.map((interval, place) => ({ place, ...interval }));

/** Times as rows, whose bounds are ids with this prefix; there may be none. */
const spansOf = (spans: readonly Span[], prefix: IdPrefix): Sql => {
  const rows = spans.map(
    ({ place, from, to }) => sql`(${raw(`${place}`)}, ${firstIdAt(prefix, from)}, ${firstIdAt(prefix, to)})`,
  );
  const all = rows.length === 0 ? raw("SELECT 0, '', '' WHERE false") : sql`VALUES ${join(rows, ', ')}`;
  return sql`span (place, first, beyond) AS (${all})`;
};

/** The sessions of a class that were created in the time of a row. */
const inSpan = (tenant: Tenant): Sql =>
  sql`${isOfClass(tenant)} AND checkout.id >= span.first AND checkout.id < span.beyond`;

/** A WITH of the currencies and the times. */
const ranges = (tenant: Tenant, filter: TotalsFilter, spans: Sql): Sql => sql`
  WITH RECURSIVE currency (name) AS (${currenciesOf(tenant, filter)}), ${spans}`;

/** Money that an active session is owed, and that was paid beyond an amount, by the columns of the session. */
export const amountOpen =
  "CASE WHEN status = 'active' AND amount > amount_paid THEN amount - amount_paid ELSE 0 END";
export const amountExcess = 'CASE WHEN amount_paid > amount THEN amount_paid - amount ELSE 0 END';

type DueRow = Pick<SessionSum, 'interval' | 'currency'> & {
  readonly [part in 'found' | `${'open' | 'excess'}Count`]: number;
} & {
  readonly [part in `${'open' | 'excess'}${'Millions' | 'Rest'}`]: string;
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
    const mine = owned(tenant, 'movement');
    const within = sql`movement.id >= span.first AND movement.id < span.beyond AND ${inTime(`movement.${RARELY}`)}`;
    const wanted = filter.currency === undefined ? nothing : sql` AND movement.currency = ${filter.currency}`;
    const times = timesToPay.map((is) => `count(*) FILTER (WHERE time_to_pay_ms ${is})`);
    const ofRail = sql`movement${indexedBy('movement_rail')} WHERE ${mine}`;
    const ofBoth = sql`movement${indexedBy('movement_total')} WHERE ${mine}`;
    const withFee = sql`movement${indexedBy('movement_fee')} WHERE ${mine} AND fee_currency IS NOT NULL`;
    /** Few rows, which are put in order. PostgreSQL would join them with the intervals in an order of its own. */
    const apart = (what: Sql, from: Sql, index: string, condition: Sql) => {
      const rows = sql`${mine} AND ${condition} AND ${within}${wanted}`;
      return sql`SELECT place, ${either({
        sqlite: sql`movement.currency, movement.rail, ${what}, NULL, ${packed('amount')} FROM ${from} CROSS JOIN span
          CROSS JOIN movement${indexedBy(index)} ON ${rows} GROUP BY place, movement.currency, movement.rail, ${what}`,
        postgres: sql`found.currency, found.rail, ${what}, NULL, found.sums FROM ${from} CROSS JOIN span CROSS JOIN LATERAL (
          SELECT currency, rail, ${packed('amount')} AS sums FROM movement WHERE ${rows} GROUP BY currency, rail) AS found`,
      })}`;
    };
    const statement = sql`${ranges(tenant, filter, spansOf(placed(filter), 'mov'))}, back (type) AS (VALUES ('refund'), ('reversal')),
      late (type) AS (VALUES ('late')),
      mover (name) AS (
        SELECT min(rail) FROM ${ofRail}
        UNION ALL SELECT (SELECT min(rail) FROM ${ofRail} AND movement.rail > mover.name) FROM mover WHERE mover.name IS NOT NULL),
      moved (currency, rail) AS (
        SELECT currency.name, mover.name FROM currency CROSS JOIN mover
        WHERE currency.name IS NOT NULL AND mover.name IS NOT NULL AND (
          SELECT movement.id FROM ${ofBoth} AND movement.currency = currency.name AND movement.rail = mover.name
          ORDER BY movement.id LIMIT 1) IS NOT NULL),
      charge (name) AS (
        SELECT min(fee_currency) FROM ${withFee}
        UNION ALL SELECT (SELECT min(fee_currency) FROM ${withFee} AND fee_currency > charge.name)
          FROM charge WHERE charge.name IS NOT NULL),
      charged (currency, rail, name) AS (
        SELECT moved.currency, moved.rail, charge.name FROM moved CROSS JOIN charge
        WHERE charge.name IS NOT NULL AND (
          SELECT movement.id FROM ${withFee} AND fee_currency = charge.name
            AND movement.currency = moved.currency AND movement.rail = moved.rail
          ORDER BY movement.id LIMIT 1) IS NOT NULL)
      SELECT place AS interval, moved.currency, moved.rail, 'all' AS of, NULL AS "feeCurrency", (
        SELECT ${packed('amount', ...times)} FROM ${ofBoth}
          AND movement.currency = moved.currency AND movement.rail = moved.rail AND ${within}) AS sums
      FROM moved CROSS JOIN span
      UNION ALL ${apart(raw('back.type'), raw('back'), 'movement_back', sql`movement.type = back.type AND movement.type <> 'payment'`)}
      UNION ALL ${apart(raw('late.type'), raw('late'), 'movement_late', isSet('late', true))}
      UNION ALL SELECT place, charged.currency, charged.rail, 'fee', charged.name, (
        SELECT ${packed('fee')} FROM ${withFee} AND fee_currency = charged.name
          AND movement.currency = charged.currency AND movement.rail = charged.rail AND ${within})
      FROM charged CROSS JOIN span`;
    const read = search(tenant, statement, (row: SumRow) => row);
    return { ...read, from: (rows) => read.from(rows).flatMap(sumFrom) };
  },

  /**
   * Money that sessions which were created in the intervals are owed, or were paid beyond their amounts; null if these are
   * more than are added up. They are looked at in the order of lists: an index by currency would be one more that each
   * change of an amount has to write. PostgreSQL, which a row costs more, finds few by their classes.
   */
  due(tenant: Tenant, filter: TotalsFilter, most = MOST_DUE, few = FEW_DUE): Read<SessionSum[] | null> {
    const { currency } = filter;
    const span = spansOf(placed(filter), 'chk');
    const sums = ['open', 'excess'].map((part) => {
      const [millions, rest] = partsOf(part);
      return `count(*) FILTER (WHERE ${part} > 0) AS "${part}Count", ${millions} AS "${part}Millions", ${rest} AS "${part}Rest"`;
    });
    const owes = sql`${owned(tenant, 'checkout_overview')} AND (amount_open > 0 OR amount_excess > 0)`;
    const summed = sql`SELECT place AS interval, name AS currency, count(*) AS found, ${raw(sums.join(', '))}`;
    return {
      sql: either({
        sqlite: sql`WITH ${span} ${summed} FROM (
          SELECT place, invoice_currency AS name, ${raw(`${amountOpen} AS open, ${amountExcess} AS excess`)}
          FROM span CROSS JOIN checkout${indexedBy('checkout_overview')}
          WHERE ${owned(tenant)} AND id >= span.first AND id < span.beyond AND ${inTime(`checkout.${RARELY}`)}
            AND (status = 'active' AND amount > amount_paid OR paid_in_excess = 1)
            ${currency === undefined ? nothing : sql`AND invoice_currency = ${currency}`}
          LIMIT ${most + 1}) AS due GROUP BY place, name`,
        // One row, which counts them, is enough for too many.
        postgres: sql`${ranges(tenant, filter, span)}, ${blockRows(blocksIn(filter.intervals).whole)},
          ${owing(tenant, { most, few })}
          ${summed} FROM (
            SELECT place, found.currency AS name, amount_open AS open, amount_excess AS excess
            FROM span CROSS JOIN LATERAL (SELECT * FROM checkout_overview WHERE id = ANY (ARRAY(
              SELECT of_class.id FROM currency CROSS JOIN class CROSS JOIN LATERAL (
                SELECT checkout.id FROM checkout WHERE ${inSpan(tenant)} OFFSET 0) AS of_class
              LIMIT (SELECT count + ${raw(`${most + 1}`)} FROM draft))) AND ${owes} OFFSET 0) AS found WHERE (SELECT few FROM surely)
            UNION ALL SELECT place, checkout_overview.currency, amount_open, amount_excess
            FROM span CROSS JOIN checkout_overview
            WHERE id >= span.first AND id < span.beyond AND ${owes} AND (SELECT NOT more AND NOT few FROM surely)
              ${currency === undefined ? nothing : sql`AND checkout_overview.currency = ${currency}`}
            LIMIT ${raw(`${most + 1}`)}) AS due GROUP BY place, name
          UNION ALL SELECT 0, '', ${raw(`${most + 1}`)}, 0, '0', '0', 0, '0', '0' FROM surely WHERE more`,
      }),
      by: 'list',
      tenant,
      rare: true,
      from: (found) => dueFrom(found as readonly DueRow[], most),
    };
  },

  /** Sessions that were created in the intervals, as they are now. */
  sessions(tenant: Tenant, filter: TotalsFilter): Read<SessionCount[]> {
    const { whole, rest } = blocksIn(filter.intervals);
    const times = either({
      sqlite: spansOf(placed(filter), 'chk'),
      postgres: sql`${spansOf(rest, 'chk')}, ${blockRows(whole)}`,
    });
    const byId = sql`SELECT place, name, status, partially_paid, paid_in_excess, (
        SELECT count(*) FROM checkout${indexedBy('checkout_class')}
        WHERE ${inSpan(tenant)} AND ${inTime(`checkout.${RARELY}`)})
      FROM currency CROSS JOIN class CROSS JOIN span WHERE name IS NOT NULL`;
    const byBlock = sql`SELECT place, name, status, partially_paid, paid_in_excess, (SELECT count(*) ${inBlocks(tenant)})
      FROM currency CROSS JOIN (SELECT DISTINCT status, partially_paid, paid_in_excess FROM class) AS class
        CROSS JOIN block WHERE name IS NOT NULL`;
    // Made out before the empty ones are left out: else each is counted twice.
    const statement = sql`${ranges(tenant, filter, times)},
      class (status, payment_status, partially_paid, paid_in_excess) AS (${classesOf({})}),
      counted (place, name, status, partially_paid, paid_in_excess, count) AS MATERIALIZED (
        ${either({ postgres: sql`${byBlock} UNION ALL` })} ${byId})
      SELECT place AS interval, name AS currency, status,
        partially_paid AS "partiallyPaid", paid_in_excess AS "paidInExcess", count
      FROM counted WHERE count > 0`;
    return search(tenant, statement, ({ partiallyPaid, paidInExcess, count, ...row }: SessionCount) => ({
      ...row,
      partiallyPaid: Boolean(partiallyPaid),
      paidInExcess: Boolean(paidInExcess),
      count: Number(count),
    }));
  },
};
