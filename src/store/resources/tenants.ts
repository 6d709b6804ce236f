/** Accounts and modes that have rows of a kind: one question for all of them, for with thousands most have none. */
import type { Tenant } from '../../checkout/tenant.ts';
import { raw, type Sql, sql } from '../sql.ts';
import { all, type Read, tenantOf } from './read.ts';

/** Those with a row for which the condition holds; it may use the columns of the account. */
export function tenantsWith(table: string, holds: (live: boolean) => Sql): Read<Tenant[]> {
  const withSome = (live: boolean) => sql`
    SELECT number AS account, ${raw(`${live}`)} AS live FROM account WHERE EXISTS (
      SELECT 1 FROM ${raw(table)} WHERE account = number AND live = ${raw(`${live}`)} AND ${holds(live)})`;
  return all(
    sql`${withSome(true)} UNION ALL ${withSome(false)}`,
    ({ account, live }: { readonly account: number; readonly live: boolean }) => tenantOf(account, live),
    'look',
  );
}
