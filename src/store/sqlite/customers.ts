import type { DatabaseSync } from 'node:sqlite';
import { type Customer, emailKey } from '../../checkout/customer.ts';
import type { Scope } from '../../checkout/session.ts';
import type { Page, PageRequest } from '../store.ts';
import { type Condition, pageOf, pageQuery } from './page.ts';
import { customerFrom, liveOf, type Row } from './rows.ts';

export type CustomerReader = ReturnType<typeof customerReader>;

export function customerReader(database: DatabaseSync) {
  const byId = database.prepare('SELECT data FROM customer WHERE account = ? AND live = ? AND id = ?');
  const byEmail = database.prepare('SELECT data FROM customer WHERE account = ? AND live = ? AND email = ?');
  const one = (row: unknown) => (row === undefined ? null : customerFrom(row as Row));

  return {
    read: (scope: Scope, id: string): Customer | null => one(byId.get(scope.account, liveOf(scope), id)),

    readByEmail: (scope: Scope, email: string): Customer | null =>
      email === '' ? null : one(byEmail.get(scope.account, liveOf(scope), email)),

    list(scope: Scope, filter: { email?: string }, page: PageRequest): Page<Customer> {
      const ofEmail: Condition = filter.email === undefined ? null : ['email = ?', emailKey(filter.email)];
      const { sql, values } = pageQuery('SELECT data FROM customer', scope, [ofEmail], page);
      const rows = database.prepare(sql).all(...values) as Row[];
      return pageOf(rows.map(customerFrom), page);
    },
  };
}
