/** Pages of a table in the order of its ids, the newest first. */
import type { Tenant } from '../../checkout/tenant.ts';
import type { Page, PageRequest } from '../store.ts';
import { tenantColumns } from './rows.ts';

type Value = string | number | boolean;

type Wanted = {
  readonly table: string;
  readonly columns: string;
  /** By the names of columns; undefined for those that may have any value. */
  readonly equal: Readonly<Record<string, string | undefined>>;
  /** Of few values, and written out, so that the planner sees which partial index there is for it. */
  readonly state?: string | undefined;
};

/** Finds one row more than the page has, if there are so many. */
export function pageQuery(
  tenant: Tenant,
  { table, columns, equal, state }: Wanted,
  { limit, after, before }: PageRequest,
): { text: string; values: Value[] } {
  const values: Value[] = [...tenantColumns(tenant)];
  const bind = (value: Value): string => `$${values.push(value)}`;
  const conditions = ['account = $1 AND live = $2'];
  for (const [column, value] of Object.entries(equal)) {
    if (value !== undefined) conditions.push(`${column} = ${bind(value)}`);
  }
  if (state !== undefined) conditions.push(`state = '${state}'`);
  if (after !== undefined) conditions.push(`id < ${bind(after)}`);
  if (before !== undefined) conditions.push(`id > ${bind(before)}`);
  const direction = before === undefined ? 'DESC' : 'ASC';
  return {
    text: `SELECT ${columns} FROM ${table} WHERE ${conditions.join(' AND ')}
           ORDER BY id ${direction} LIMIT ${bind(limit + 1)}`,
    values,
  };
}

/** The page out of what its query has found. */
export function pageOf<T>(found: readonly T[], { limit, before }: PageRequest): Page<T> {
  const rows = found.slice(0, limit);
  return { rows: before === undefined ? rows : rows.reverse(), hasMore: found.length > limit };
}
