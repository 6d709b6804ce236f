/**
 * Counting sessions on PostgreSQL. An index that ends with a block of time in the place of the id has one entry for all
 * that are alike, with six bytes for each of them: to count a million of them it reads 8 MB, where the index of classes has
 * 150. A block is as long as ids share the first digits of their time; what an interval has of the blocks at its ends is
 * counted by ids.
 */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Interval } from '../../checkout/totals.ts';
import { firstIdAt } from '../../lib/id.ts';
import { join, raw, type Sql, sql } from '../sql.ts';
import { classesOf } from './checkout-classes.ts';
import { owned } from './read.ts';

/** The digits that are left out are of five bits each. */
const BLOCK_MS = 32 ** 4;
/** Length of the beginning of an id that names a block. */
const BLOCK_LENGTH = 10;

const blockAt = (ms: number): string => firstIdAt('chk', ms).slice(0, BLOCK_LENGTH);

/** An interval with its place among those that were asked for, or a part of it. */
export type Span = Interval & { readonly place: number };

/** The blocks that are in the intervals as a whole, and the times at their ends that are not. */
export function blocksIn(intervals: readonly Interval[]) {
  const whole: Span[] = [];
  const rest: Span[] = [];
  for (const [place, { from, to }] of intervals.entries()) {
    const first = Math.ceil(from / BLOCK_MS) * BLOCK_MS;
    const beyond = Math.floor(to / BLOCK_MS) * BLOCK_MS;
    const parts: Interval[] = [{ from, to }];
    if (first < beyond) {
      whole.push({ place, from: first, to: beyond });
      parts.splice(0, 1, { from, to: first }, { from: beyond, to });
    }
    rest.push(...parts.filter((each) => each.from < each.to).map((each) => ({ place, ...each })));
  }
  return { whole, rest };
}

/** Blocks as rows of a WITH; there may be none. */
export const blockRows = (blocks: readonly Span[]): Sql => {
  const rows = blocks.map(
    ({ place, from, to }) => sql`(${raw(`${place}`)}, ${blockAt(from)}, ${blockAt(to)})`,
  );
  const all = rows.length === 0 ? raw("SELECT 0, '', '' WHERE false") : sql`VALUES ${join(rows, ', ')}`;
  return sql`block (place, first, beyond) AS (${all})`;
};

/** The sessions of a class, whatever its payment status, in the currency and the blocks of a row. */
export const inBlocks = (tenant: Tenant): Sql => sql`FROM checkout
  WHERE ${owned(tenant, 'checkout')} AND invoice_currency = currency.name AND checkout.status = class.status
    AND checkout.partially_paid = class.partially_paid AND checkout.paid_in_excess = class.paid_in_excess
    AND created_block >= block.first AND created_block < block.beyond`;

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
 * Rows of a WITH behind `currency`, `span` and `block`: the classes of sessions that are owed money or were paid beyond
 * their amounts, and whether those in whole blocks are surely more than the most, or few. All of such classes are, but for
 * drafts: where there are more of them than that, nothing is said. It makes a look at the amounts of too many unnecessary.
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
          CROSS JOIN block CROSS JOIN LATERAL (SELECT 1 ${inBlocks(tenant)} OFFSET 0) AS found
        LIMIT (SELECT CASE WHEN count > ${most} THEN 0 ELSE count + ${most} + 1 END FROM draft)) AS first),
    surely (more, few) AS MATERIALIZED (
      SELECT found.count > ${most} + draft.count, found.count <= ${few} AND draft.count <= ${most}
      FROM found CROSS JOIN draft)`;
};
