/**
 * Counting sessions on PostgreSQL. An index that ends with the quarter of an hour in the place of the id has one entry for
 * all that are alike, with six bytes for each of them: to count a million of them it reads 8 MB, where the index of
 * classes has 150. Days begin with a quarter of an hour in every time zone; where an interval does not, what is left of it
 * is counted by ids.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Interval } from '../../checkout/totals.ts';
import { join, raw, type Sql, sql } from '../sql.ts';
import { classesOf } from './checkout-classes.ts';
import { owned } from './read.ts';

const QUARTER_MS = 900_000;

/** An interval with its place among those that were asked for, or a part of it. */
export type Span = Interval & { readonly place: number };

/** Quarters of an hour, counted since 1970. */
type Quarters = { readonly place: number; readonly first: number; readonly beyond: number };

/** The quarters of an hour that are in the intervals as a whole, and the times at their ends that are not. */
export function quartersIn(intervals: readonly Interval[]) {
  const whole: Quarters[] = [];
  const rest: Span[] = [];
  for (const [place, { from, to }] of intervals.entries()) {
    const [first, beyond] = [Math.ceil(from / QUARTER_MS), Math.floor(to / QUARTER_MS)];
    const parts: Interval[] = [{ from, to }];
    if (first < beyond) {
      whole.push({ place, first, beyond });
      parts.splice(0, 1, { from, to: first * QUARTER_MS }, { from: beyond * QUARTER_MS, to });
    }
    rest.push(...parts.filter((each) => each.from < each.to).map((each) => ({ place, ...each })));
  }
  return { whole, rest };
}

/** Quarters as rows of a WITH; there may be none. */
export const quarterRows = (quarters: readonly Quarters[]): Sql => {
  const rows = quarters.map(({ place, first, beyond }) => `(${place}, ${first}, ${beyond})`);
  return raw(
    `quarters (place, first, beyond) AS (${
      rows.length === 0 ? 'SELECT 0, 0, 0 WHERE false' : `VALUES ${rows.join(', ')}`
    })`,
  );
};

/** The sessions of a class, whatever its payment status, in the currency and the quarters of a row. */
export const inQuarters = (tenant: Tenant): Sql => sql`FROM checkout
  WHERE ${owned(tenant, 'checkout')} AND invoice_currency = currency.name AND checkout.status = class.status
    AND checkout.partially_paid = class.partially_paid AND checkout.paid_in_excess = class.paid_in_excess
    AND created_quarter >= quarters.first AND created_quarter < quarters.beyond`;

/** The classes of which sessions may be owed money, or were paid beyond their amounts. */
const owingClasses: Sql = join(
  [
    classesOf({ status: 'active' }),
    classesOf({ status: 'completed', paidInExcess: true }),
    classesOf({ status: 'expired', paidInExcess: true }),
  ],
  ' UNION ALL ',
);

/** A session that is found by its class costs as much as nine that are gone through in the order of lists. */
export const FEW_DUE = 25_000;

/**
 * Rows of a WITH behind `currency`, `span` and `quarters`: the classes of sessions that are owed money or were paid beyond
 * their amounts, and whether these are surely more than the most, or few. All of such classes are, but for drafts: where
 * there are more of them than that, nothing is said. It makes a look at the amounts of too many unnecessary.
 */
export const owing = (tenant: Tenant, limits: { readonly most: number; readonly few: number }): Sql => {
  const [most, few] = [raw(`${limits.most}`), raw(`${limits.few}`)];
  return sql`
    class (status, payment_status, partially_paid, paid_in_excess) AS (${owingClasses}),
    draft (count) AS MATERIALIZED (
      SELECT count(*) FROM (
        SELECT 1 FROM span CROSS JOIN LATERAL (
          SELECT 1 FROM checkout_overview
          WHERE ${owned(tenant)} AND amount = 0 AND id >= span.first AND id < span.beyond LIMIT ${most} + 1) AS found
        LIMIT ${most} + 1) AS first),
    found (count) AS MATERIALIZED (
      SELECT count(*) FROM (
        SELECT 1 FROM currency CROSS JOIN (SELECT DISTINCT status, partially_paid, paid_in_excess FROM class) AS class
          CROSS JOIN quarters CROSS JOIN LATERAL (SELECT 1 ${inQuarters(tenant)} OFFSET 0) AS found
        LIMIT (SELECT CASE WHEN count > ${most} THEN 0 ELSE count + ${most} + 1 END FROM draft)) AS first),
    surely (more, few) AS MATERIALIZED (
      SELECT found.count > ${most} + draft.count, found.count <= ${few} AND draft.count <= ${most}
      FROM found CROSS JOIN draft)`;
};
