/** Lists in the order of ids, newest first, a page at a time. */
import type { SQLInputValue } from 'node:sqlite';
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../store.ts';
import { liveOf } from './rows.ts';

/** A condition with its values, or null where it is not asked for. */
export type Condition = readonly [sql: string, ...values: SQLInputValue[]] | null;

export type Query = { readonly sql: string; readonly values: SQLInputValue[] };

/** `select` ends with the table. One row more than the page is asked for: it tells whether there is more. */
export function pageQuery(
  select: string,
  tenant: Tenant,
  conditions: readonly Condition[],
  { limit, after, before }: PageRequest,
): Query {
  const all: readonly Condition[] = [
    ['account = ? AND live = ?', tenant.account, liveOf(tenant)],
    ...conditions,
    after === undefined ? null : ['id < ?', after],
    before === undefined ? null : ['id > ?', before],
  ];
  const given = all.filter((condition) => condition !== null);
  const direction = before === undefined ? 'DESC' : 'ASC';
  return {
    sql: `${select} WHERE ${given.map(([sql]) => sql).join(' AND ')} ORDER BY id ${direction} LIMIT ?`,
    values: [...given.flatMap(([, ...values]) => values), limit + 1],
  };
}

/** The page that the rows of such a query are. */
export function pageOf<T>(rows: readonly T[], { limit, before }: PageRequest): Page<T> {
  const shown = rows.slice(0, limit);
  return { rows: before === undefined ? shown : shown.reverse(), hasMore: rows.length > limit };
}
