/**
 * Lists of sessions on PostgreSQL of which every condition has many rows. A page may be found among the first of each. If
 * it is not, few may fulfil all that is asked for: those are found by the indexes alone, of whose entries a hundred cost
 * what one row costs.
 */
import type { CheckoutRow } from '../columns.ts';
import type { Page } from '../page.ts';
import { join, type Sql, sql } from '../sql.ts';
import { rowsOf, type Steps } from '../steps.ts';
import type { Many } from './checkout-leads.ts';
import { among } from './checkout-pages.ts';
import { INDEXES } from './checkout-search.ts';
import { directionOf } from './read.ts';

export function* intersected(many: Many): Steps<Page<CheckoutRow>> {
  const { tenant, page, leads, limits } = many;
  for (const { first, rest } of leads) {
    const found = yield* among(tenant, rest, page, first(limits.near));
    if (found.hasMore) return found;
  }
  const ids = yield* inAll(many);
  return yield* among(tenant, {}, page, sql`SELECT unnest(${{ values: ids }}::text[])`);
}

/** Ids of the page and one more, by the indexes of all conditions. */
function* inAll({ page, leads }: Many): Generator<Sql, readonly string[], readonly object[]> {
  // PostgreSQL would go through one in the order of ids, and look each up in the next one, but for the OFFSET.
  const common = join(
    leads.map(({ ids }) => sql`(${ids(null)} OFFSET 0)`),
    ' INTERSECT ',
  );
  const inOrder = sql`ORDER BY id ${directionOf(page)}`;
  // A search alone may find the same session by each of its indexes.
  const rows = yield* rowsOf<{ readonly id: string }>(
    sql`SELECT DISTINCT id FROM (
        SELECT id FROM (${common}) AS common ${inOrder} LIMIT ${INDEXES * (page.limit + 1)}) AS first
      ${inOrder} LIMIT ${page.limit + 1}`,
  );
  return rows.map(({ id }) => id);
}
